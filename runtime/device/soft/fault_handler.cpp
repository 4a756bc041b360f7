// SPDX-License-Identifier: Apache-2.0
#include "device/soft/fault_handler.h"

#include <cerrno>
#include <csignal>

#include "device/soft/doorbell.h"
#include "os/fault_context.h"

namespace umrt::soft {
namespace {

DeviceProcess* process = nullptr;  // set once, before any kernel runs

// The handler runs on its worker's signal stack; thread-local storage of a shared library might have to be allocated.
int worker_of(const void* place_on_stack) noexcept {
  for (std::size_t i = 0; i < process->workers.size(); ++i) {
    const std::span<std::byte> stack = process->workers[i].signal_stack;
    if (place_on_stack >= stack.data() && place_on_stack < stack.data() + stack.size()) return static_cast<int>(i);
  }
  return -1;
}

[[noreturn]] void end_kernel(std::uint32_t index, umrt_result result, int signal, const void* address) noexcept {
  LaunchBoard& launch = process->control->launch;
  if (launch.has_crashed.exchange(1) == 0) {
    launch.crash_result = result;
    launch.crash_signal = signal;
    launch.crash_address = reinterpret_cast<std::uintptr_t>(address);
  }
  ::siglongjmp(process->workers[index].after_crash, 1);
}

// Steps: 0 publish the fault, 1 wait and do what is posted here, 2 leave once released.
WorkerPhase wait_for_page(std::uint32_t index, std::uint64_t fault) noexcept {
  ControlBlock& control = *process->control;
  WorkerState& worker = control.worker[index];
  worker.fault.store(fault);
  worker.fault_at.store(os::monotonic_ns());
  worker.phase.store(WorkerPhase::waiting);
  control.new_faults.fetch_or(std::uint64_t{1} << index);
  ring_host(control);
  const auto is_due = [&] { return worker.phase.load() != WorkerPhase::waiting || worker.posted.load() != 0; };
  SpinHistory& spins = process->workers[index].spins;
  for (;;) {
    process->operations->run(worker.posted);
    if (worker.phase.load() != WorkerPhase::waiting) break;
    const bool is_spinning = may_spin(control, 1) && spins.is_worthwhile();
    if (is_spinning && spin_until(control.spin_ns, is_due)) {
      spins.paid();
      continue;
    }
    const bool is_taken = (control.new_faults.load() >> index & 1) == 0;
    if (is_spinning && !is_taken) spins.was_in_vain();
    control.busy_workers.fetch_sub(1);
    sleep_until(worker.changes, worker.sleeps, is_due);
    control.busy_workers.fetch_add(1);
  }
  process->operations->run(worker.posted);  // given while it was still waiting
  return worker.phase.exchange(WorkerPhase::running);
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
  const int saved_errno = errno;
  const ControlBlock& control = *process->control;
  const auto* address = static_cast<const std::byte*>(info->si_addr);
  const int index = worker_of(&signal);
  if (index < 0) {  // a defect of the agent: die as one does
    ::signal(signal, SIG_DFL);
    return;
  }
  const bool is_managed = address >= control.arena && address < control.arena + control.arena_bytes.n;
  const auto worker = static_cast<std::uint32_t>(index);
  if (signal != SIGBUS || info->si_code != BUS_ADRERR || !is_managed) {
    const bool is_address = signal == SIGSEGV || signal == SIGBUS;
    end_kernel(worker, is_address ? UMRT_ERROR_ILLEGAL_ADDRESS : UMRT_ERROR_LAUNCH_FAILED, signal, address);
  }
  const os::FaultContext access = os::fault_context(context);
  const auto offset = static_cast<std::uint64_t>(address - control.arena);
  const std::uint64_t fault = PageFaultWord::pack(offset, access.is_write, access.is_protection);
  const WorkerPhase released = wait_for_page(worker, fault);
  if (released == WorkerPhase::illegal) end_kernel(worker, UMRT_ERROR_ILLEGAL_ADDRESS, SIGSEGV, address);
  if (released == WorkerPhase::lost) end_kernel(worker, UMRT_ERROR_DATA_LOSS, SIGBUS, address);
  errno = saved_errno;
}

void on_park(int) noexcept {
  const int saved_errno = errno;
  ControlBlock& control = *process->control;
  control.parked.fetch_add(1);
  os::futex_wake_all(control.parked);
  while (control.park_wanted.load() != 0) os::futex_wait(control.park_wanted, 1);
  control.parked.fetch_sub(1);
  errno = saved_errno;
}

}  // namespace

void install_fault_handlers(DeviceProcess& installed) noexcept {
  process = &installed;
  struct sigaction action {};
  ::sigemptyset(&action.sa_mask);  // a worker that waits for a page can still be parked
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = on_fault;
  for (const int signal : {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    ::sigaction(signal, &action, nullptr);
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  action.sa_handler = on_park;
  ::sigaction(SIGUSR1, &action, nullptr);
}

void use_signal_stack(std::span<std::byte> stack) noexcept {
  stack_t description{};
  description.ss_sp = stack.data();
  description.ss_size = stack.size();
  ::sigaltstack(&description, nullptr);
}

}  // namespace umrt::soft
