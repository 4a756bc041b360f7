// SPDX-License-Identifier: Apache-2.0
// A child process of the same program, invisible to the application's wait(), with threads of its own.
//
// Structure: clone3 without an exit signal (so neither wait() nor SIGCHLD shows it) and without the fork handlers of
// the C library. Another thread may have held the allocator's lock at that moment, so nothing in the child may
// allocate, and pthread_create is out of reach. Threads of the child therefore run on thread control blocks that were
// made in the parent: threads that did nothing but park, whose copies in the child have no thread of their own.
// Guarantee: the child ends when the parent's creating thread ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/file_descriptor.h"

namespace umrt::os {

class ThreadTemplates {  // parked threads of this process, one for each thread that the child will start
 public:
  static Result<ThreadTemplates> make(std::uint32_t count);
  ThreadTemplates(ThreadTemplates&&) noexcept;
  ThreadTemplates& operator=(ThreadTemplates&&) = delete;
  ~ThreadTemplates();  // ends the parked threads; copies in a child stay usable

  std::span<void* const> control_blocks() const;

 private:
  struct State;
  explicit ThreadTemplates(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ChildProcess {
 public:
  // Runs `main(argument)` in the child, on a copy of the calling thread. `main` must end by exit_child. Descriptors
  // other than `keep_open` are closed there, signal handlers are at their defaults, and all signals but those of a
  // crash are blocked.
  static Result<ChildProcess> spawn(void (*main)(void*), void* argument, std::span<const int> keep_open,
                                    const ThreadTemplates& templates);
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();  // kills and reaps

  int pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once the child has ended
  bool is_running() const { return pid_ > 0; }
  void kill() noexcept;  // pidfd() tells when it has ended
  void kill_and_reap() noexcept;

 private:
  int pid_ = -1;
  FileDescriptor pidfd_;
};

// In the child alone. Starts a thread on a control block of the templates and on the given stack; false when refused.
bool start_child_thread(void* control_block, std::span<std::byte> stack, int (*run)(void*), void* argument) noexcept;
int own_thread_id() noexcept;
void signal_own_thread(int thread, int signal) noexcept;  // a thread of this process
void run_thread_when_idle() noexcept;                     // SCHED_IDLE: only on cores that nobody else wants
[[noreturn]] void exit_child(int status) noexcept;

}  // namespace umrt::os
