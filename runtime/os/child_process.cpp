// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.h"

#include <fmt/format.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "os/fork_shield.h"
#include "os/futex.h"

namespace umrt::os {

struct ThreadTemplates::State {
  std::atomic<std::uint32_t> parked{0};
  std::atomic<std::uint32_t> released{0};
  std::vector<pthread_t> threads;
  std::vector<void*> control_blocks;
};

namespace {

// Below the 1 MiB from which ForkShield leaves mappings out: the control block is at the top of the thread's stack.
constexpr std::size_t template_stack_bytes = 256 << 10;

struct Parking {
  std::atomic<std::uint32_t>* parked;
  std::atomic<std::uint32_t>* released;
};

void* park(void* argument) {
  const Parking parking = *static_cast<Parking*>(argument);
  parking.parked->fetch_add(1);
  futex_wake_all(*parking.parked);
  while (parking.released->load() == 0) futex_wait(*parking.released, 0);
  return nullptr;
}

constexpr std::size_t keep_open_max = 8;

struct ChildStart {  // on the stack: the heap may be shielded from the fork
  void (*main)(void*);
  void* argument;
  std::array<int, keep_open_max> keep_open;  // sorted
  std::size_t keep_open_count;
  pid_t parent;
};

void close_descriptors(const ChildStart& start) {
  unsigned next = 0;
  for (std::size_t i = 0; i < start.keep_open_count; ++i) {
    const auto kept = static_cast<unsigned>(start.keep_open[i]);
    if (kept > next) ::syscall(SYS_close_range, next, kept - 1, 0);
    next = kept + 1;
  }
  ::syscall(SYS_close_range, next, ~0u, 0);
}

[[noreturn]] void run_child(const ChildStart& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) exit_child(1);  // the parent ended before the line above
  ::setpgid(0, 0);                                 // Ctrl-C is the application's business
  ::prctl(PR_SET_NAME, "umrt-device");
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction fallback {};
    fallback.sa_handler = SIG_DFL;
    ::sigaction(signal, &fallback, nullptr);
  }
  sigset_t blocked;
  ::sigfillset(&blocked);
  for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGUSR1})
    ::sigdelset(&blocked, crash);
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  close_descriptors(start);
  start.main(start.argument);
  exit_child(0);
}

}  // namespace

ThreadTemplates::ThreadTemplates(std::unique_ptr<State> state) : state_{std::move(state)} {}
ThreadTemplates::ThreadTemplates(ThreadTemplates&&) noexcept = default;

Result<ThreadTemplates> ThreadTemplates::make(std::uint32_t count) {
  auto state = std::make_unique<State>();
  Parking parking{&state->parked, &state->released};
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, template_stack_bytes);
  int error = 0;
  for (std::uint32_t i = 0; i < count && error == 0; ++i) {
    pthread_t thread{};
    error = ::pthread_create(&thread, &attributes, park, &parking);
    if (error != 0) break;
    state->threads.push_back(thread);
    // On every Linux ABI of glibc and musl pthread_self() of a thread is its control block's address.
    state->control_blocks.push_back(reinterpret_cast<void*>(thread));
  }
  ::pthread_attr_destroy(&attributes);
  while (state->parked.load() < state->threads.size()) futex_wait(state->parked, state->parked.load());
  ThreadTemplates templates(std::move(state));
  if (error != 0)
    return failure(UMRT_ERROR_SYSTEM, fmt::format("cannot start a thread: {}", std::strerror(error)), error);
  return templates;
}

ThreadTemplates::~ThreadTemplates() {
  if (!state_) return;
  state_->released.store(1);
  futex_wake_all(state_->released);
  for (const pthread_t thread : state_->threads) ::pthread_join(thread, nullptr);
}

std::span<void* const> ThreadTemplates::control_blocks() const { return state_->control_blocks; }

Result<ChildProcess> ChildProcess::spawn(void (*main)(void*), void* argument, std::span<const int> keep_open,
                                         const ThreadTemplates& templates) {
  UMRT_ASSERT(keep_open.size() <= keep_open_max);
  ChildStart start{main, argument, {}, keep_open.size(), ::getpid()};
  std::copy(keep_open.begin(), keep_open.end(), start.keep_open.begin());
  std::sort(start.keep_open.begin(), start.keep_open.begin() + start.keep_open_count);

  std::vector<const void*> needed(templates.control_blocks().begin(), templates.control_blocks().end());
  needed.push_back(__builtin_frame_address(0));
  needed.push_back(reinterpret_cast<const void*>(::pthread_self()));
  const ForkShield shield(needed);

  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
  arguments.exit_signal = 0;
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) run_child(start);
  if (pid < 0) {
    const int error = errno;
    return failure(UMRT_ERROR_NO_DEVICE, fmt::format("cannot start the device process: {}", std::strerror(error)),
                   error);
  }
  ChildProcess child;
  child.pid_ = static_cast<int>(pid);
  child.pidfd_ = FileDescriptor{pidfd};
  return child;
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    kill_and_reap();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
  }
  return *this;
}

ChildProcess::~ChildProcess() { kill_and_reap(); }

void ChildProcess::kill() noexcept {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

void ChildProcess::kill_and_reap() noexcept {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  pidfd_.reset();
}

bool start_child_thread(void* control_block, std::span<std::byte> stack, int (*run)(void*), void* argument) noexcept {
  constexpr int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
  return ::clone(run, stack.data() + stack.size(), flags, argument, nullptr, control_block, nullptr) > 0;
}

int own_thread_id() noexcept { return static_cast<int>(::syscall(SYS_gettid)); }

void signal_own_thread(int thread, int signal) noexcept { ::syscall(SYS_tgkill, ::getpid(), thread, signal); }

void run_thread_when_idle() noexcept {
  const sched_param none{};
  ::syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &none);
}

void exit_child(int status) noexcept {
  ::syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

}  // namespace umrt::os
