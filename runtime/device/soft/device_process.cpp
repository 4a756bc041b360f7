// SPDX-License-Identifier: Apache-2.0
#include "device/soft/device_process.h"

#include <array>
#include <cerrno>
#include <csetjmp>
#include <optional>

#include "device/soft/doorbell.h"
#include "device/soft/fault_handler.h"
#include "device/soft/page_operations.h"
#include "device/soft/stager.h"
#include "os/child_process.h"
#include "os/mapping.h"
#include "os/userfaultfd.h"

namespace umrt::soft {
namespace {

constexpr Bytes kernel_stack = 1_MiB;
constexpr Bytes signal_stack = 64_KiB;
constexpr Bytes guard = 64_KiB;

struct Memory {  // of the process; mapped once, never given back
  os::Mapping view, huge_pool, small_pool, stacks;
};

struct Process {
  ControlBlock* control = nullptr;
  Memory memory;
  std::optional<os::Userfaultfd> faults;
  std::optional<PageOperations> operations;
  std::array<WorkerThread, workers_max> threads{};
  DeviceProcess handlers{};
};
Process* process = nullptr;  // on the agent's stack; a thread here starts with one word of argument, its number

int map_memory(const ControlBlock& control, Memory& memory) {
  auto view = os::Mapping::reserve_at(control.arena, control.arena_bytes);
  auto huge_pool = os::Mapping::reserve(round_up(control.budget, 2_MiB));
  auto small_pool = os::Mapping::reserve(round_up(control.budget, 2_MiB));
  auto stacks =
      os::Mapping::reserve(round_up((kernel_stack + signal_stack + guard) * (control.workers + helpers), 2_MiB));
  if (!view || !huge_pool || !small_pool || !stacks) return ENOMEM;
  memory = {std::move(*view), std::move(*huge_pool), std::move(*small_pool), std::move(*stacks)};
  if (const int error = os::make_rejoinable(memory.view.base()); error != 0) return error;
  const auto large = control.has_huge_pages ? os::PageSize::huge : os::PageSize::small;
  const Bytes huge_zone = control.arena_bytes - control.huge_begin;
  const bool is_advised =
      os::advise_page_size(memory.view.base() + control.huge_begin.n, huge_zone, large) &&
      os::advise_page_size(memory.view.base(), control.huge_begin, os::PageSize::small) &&
      os::advise_page_size(memory.huge_pool.base(), memory.huge_pool.bytes(), large) &&
      os::advise_page_size(memory.small_pool.base(), memory.small_pool.bytes(), os::PageSize::small) &&
      os::advise_page_size(memory.stacks.base(), memory.stacks.bytes(), os::PageSize::small);
  return is_advised ? 0 : EINVAL;
}

int watch_memory(const ControlBlock& control, const Memory& memory) {
  auto faults = os::Userfaultfd::open(
      {.move = control.way == FaultWay::move, .faults_as_sigbus = true, .kernel_mode = control.kernel_mode_faults});
  if (!faults) return faults.error().system_errno;
  using Watch = os::Userfaultfd::Watch;
  if (auto done = faults->watch(memory.view.base(), memory.view.bytes(), Watch::missing_and_protected); !done)
    return done.error().system_errno;
  for (const os::Mapping* pool : {&memory.huge_pool, &memory.small_pool}) {
    if (auto done = faults->watch(pool->base(), pool->bytes(), Watch::protected_alone); !done)
      return done.error().system_errno;
  }
  process->faults.emplace(std::move(*faults));
  return 0;
}

void run_launch(ControlBlock& control, WorkerThread& thread) {
  LaunchBoard& launch = control.launch;
  if (sigsetjmp(thread.after_crash, 1) == 0) {
    const std::uint64_t pieces = launch.items / launch.grain + (launch.items % launch.grain != 0);
    while (launch.has_crashed.load(std::memory_order_relaxed) == 0) {
      const std::uint64_t piece = launch.next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) break;
      const std::uint64_t begin = piece * launch.grain;
      const std::uint64_t left = launch.items - begin;
      launch.kernel(launch.arguments.data(), begin, begin + (left < launch.grain ? left : launch.grain));
    }
  }
  if (launch.running.fetch_sub(1) == 1) {
    launch.has_ended.store(1);
    ring_host(control);
  }
}

int run_worker(void* argument) {
  const auto index = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(argument));
  ControlBlock& control = *process->control;
  use_signal_stack(process->threads[index].signal_stack);
  control.worker[index].thread.store(os::own_thread_id());
  for (std::uint32_t seen = 0;;) {
    LaunchBoard& launch = control.launch;
    while (launch.generation.load() == seen) os::futex_wait(launch.generation, seen);
    seen = launch.generation.load();
    control.busy_workers.fetch_add(1);
    run_launch(control, process->threads[index]);
    control.busy_workers.fetch_sub(1);
  }
}

int run_grower(void*) {
  ControlBlock& control = *process->control;
  os::run_thread_when_idle();
  Bytes grown;
  for (;;) {
    const std::uint32_t seen = control.growth_changes.load();
    const Bytes wanted{control.huge_bytes_wanted.load()};
    if (grown >= wanted) {
      os::futex_wait(control.growth_changes, seen);
      continue;
    }
    // One page at a time: a long call would hold up the agent's operations on the same address space.
    os::populate(process->memory.huge_pool.base() + grown.n, 2_MiB);
    grown += 2_MiB;
  }
}

int run_stager_thread(void*) { run_stager(*process->control); }

bool start_threads(const ControlBlock& control, const Memory& memory) {
  std::byte* at = memory.stacks.base();
  constexpr std::array<int (*)(void*), helpers> others{run_grower, run_stager_thread};
  for (std::uint32_t i = 0; i < control.workers + helpers; ++i) {
    os::forbid_access(at, guard);
    std::byte* signals = at + guard.n;
    const std::span<std::byte> stack(signals + signal_stack.n, kernel_stack.n);
    at = stack.data() + stack.size();
    const bool is_worker = i < control.workers;
    if (is_worker) process->threads[i].signal_stack = {signals, signal_stack.n};
    if (!os::start_child_thread(control.thread_control_blocks[i], stack,
                                is_worker ? run_worker : others[i - control.workers],
                                reinterpret_cast<void*>(std::uintptr_t{i})))
      return false;
  }
  for (std::uint32_t i = 0; i < control.workers; ++i) {
    while (control.worker[i].thread.load() == 0) os::cpu_relax();
  }
  return true;
}

int start(ControlBlock& control) {
  process->control = &control;
  if (const int error = map_memory(control, process->memory); error != 0) return error;
  if (const int error = watch_memory(control, process->memory); error != 0) return error;
  process->operations.emplace(control, PageTable(*process->faults, control.way));
  process->handlers = {&control, &*process->operations, {process->threads.data(), control.workers}};
  install_fault_handlers(process->handlers);
  if (!start_threads(control, process->memory)) return EAGAIN;
  control.huge_pool = process->memory.huge_pool.base();
  control.small_pool = process->memory.small_pool.base();
  return 0;
}

}  // namespace

void run_device_process(void* control_block) {
  auto& control = *static_cast<ControlBlock*>(control_block);
  Process of_this_run;
  process = &of_this_run;
  control.start_error = start(control);
  control.state.store(control.start_error == 0 ? ControlBlock::State::ready : ControlBlock::State::failed);
  os::signal_event(control.bell);
  if (control.start_error != 0) os::exit_child(1);
  for (;;) {  // the agent
    process->operations->run(control.agent_posted);
    const auto is_due = [&] { return control.agent_posted.load() != 0; };
    if (may_spin(control, 2) && spin_until(control.spin_ns, is_due)) continue;
    sleep_until(control.agent_changes, control.agent_sleeps, is_due);
  }
}

}  // namespace umrt::soft
