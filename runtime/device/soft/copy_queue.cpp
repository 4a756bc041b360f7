// SPDX-License-Identifier: Apache-2.0
#include "device/soft/copy_queue.h"

#include <bit>
#include <csignal>

#include "base/assert.h"

namespace umrt::soft {

CopyQueue::CopyQueue(std::uint32_t threads, Work work, std::function<void()> ring)
    : work_{std::move(work)}, ring_{std::move(ring)} {
  sigset_t all, before;  // signals are for the application's threads
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  for (std::uint32_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run_thread(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

CopyQueue::~CopyQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CopyQueue::submit(std::uint32_t job, bool is_urgent) {
  {
    const std::lock_guard lock(mutex_);
    UMRT_ASSERT(job < jobs_max);
    (is_urgent ? urgent_ : other_) |= std::uint64_t{1} << job;
    order_[job] = ++submitted_;
    waiting_.fetch_add(1);
  }
  if (!threads_.empty()) changed_.notify_one();
}

std::uint32_t CopyQueue::next() {
  std::uint64_t& set = urgent_ != 0 ? urgent_ : other_;
  auto first = static_cast<std::uint32_t>(std::countr_zero(set));
  for (std::uint64_t bits = set; bits != 0; bits &= bits - 1) {
    const auto job = static_cast<std::uint32_t>(std::countr_zero(bits));
    if (static_cast<std::int32_t>(order_[job] - order_[first]) < 0) first = job;
  }
  set &= ~(std::uint64_t{1} << first);
  waiting_.fetch_sub(1);
  return first;
}

bool CopyQueue::run_one() {
  std::uint32_t job = 0;
  {
    const std::lock_guard lock(mutex_);
    if ((urgent_ | other_) == 0) return false;
    job = next();
  }
  work_(job);
  finished_.fetch_or(std::uint64_t{1} << job);
  return true;
}

std::uint64_t CopyQueue::take_finished() noexcept {
  return finished_.load(std::memory_order_relaxed) == 0 ? 0 : finished_.exchange(0);
}

void CopyQueue::run_thread() {
  for (;;) {
    std::uint32_t job = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || (urgent_ | other_) != 0; });
      if ((urgent_ | other_) == 0) return;
      job = next();
    }
    work_(job);
    finished_.fetch_or(std::uint64_t{1} << job);
    ring_();
  }
}

}  // namespace umrt::soft
