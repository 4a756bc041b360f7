// SPDX-License-Identifier: Apache-2.0
// Jobs whose bytes are to be moved, taken by copy threads and by the service thread when it has nothing better to do.
//
// Concurrency: one thread submits and collects; any number of copy threads work. The lock is held for a few
// instructions and never by an application's thread. Guarantee: every submitted job is run once and collected once.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace umrt::soft {

class CopyQueue {
 public:
  static constexpr std::uint32_t jobs_max = 64;  // numbers of jobs are below; bits of a word
  using Work = std::function<void(std::uint32_t job)>;

  // `ring` is called on a copy thread when a job is done.
  CopyQueue(std::uint32_t threads, Work work, std::function<void()> ring);
  ~CopyQueue();  // what is submitted is run first
  CopyQueue(const CopyQueue&) = delete;
  CopyQueue& operator=(const CopyQueue&) = delete;

  void submit(std::uint32_t job, bool is_urgent);
  bool run_one();                          // on the calling thread; false: nothing was waiting
  std::uint64_t take_finished() noexcept;  // bits of jobs
  bool has_finished() const noexcept { return finished_.load() != 0; }
  bool has_waiting() const noexcept { return waiting_.load() != 0; }

 private:
  void run_thread();
  std::uint32_t next();  // with the lock held

  Work work_;
  std::function<void()> ring_;
  std::mutex mutex_;  // protects the two words below and is_ending_
  std::condition_variable changed_;
  std::uint64_t urgent_ = 0, other_ = 0;
  std::array<std::uint32_t, jobs_max> order_{};  // smaller came earlier
  std::uint32_t submitted_ = 0;
  bool is_ending_ = false;
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<std::uint64_t> finished_{0};
  std::vector<std::thread> threads_;
};

}  // namespace umrt::soft
