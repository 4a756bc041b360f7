// SPDX-License-Identifier: Apache-2.0
#include "api/thread_caches.h"

#include <algorithm>
#include <atomic>

namespace umrt {
namespace {

constinit std::atomic<std::uint64_t> last_serial{0};
constinit thread_local bool is_thread_ending = false;

}  // namespace

constinit thread_local ThreadCaches::Current ThreadCaches::current{0, nullptr};

struct ThreadCaches::ThreadEnd {  // of the calling thread: what it has to give back, and to whom
  struct Entry {
    std::weak_ptr<ThreadCaches> caches;
    std::uint64_t serial;
    ThreadCache* cache;
  };
  std::vector<Entry> entries;

  ~ThreadEnd() {
    is_thread_ending = true;
    current = {0, nullptr};
    for (const Entry& entry : entries) {
      if (const auto caches = entry.caches.lock()) caches->thread_ended(entry.cache);
    }
  }
};

ThreadCaches::ThreadEnd& ThreadCaches::thread_end() {
  thread_local ThreadEnd end;
  return end;
}

ThreadCaches::ThreadCaches(GiveBack give_back) : serial_{++last_serial}, give_back_{std::move(give_back)} {}
ThreadCaches::~ThreadCaches() = default;

ThreadCache* ThreadCaches::find_or_make_local() {
  if (is_thread_ending) return nullptr;
  auto& entries = thread_end().entries;
  const auto is_gone = [](const ThreadEnd::Entry& entry) { return entry.caches.expired(); };
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_gone), entries.end());
  const auto is_ours = [this](const ThreadEnd::Entry& entry) { return entry.serial == serial_; };
  auto ours = std::find_if(entries.begin(), entries.end(), is_ours);
  if (ours == entries.end()) {
    const std::lock_guard held{list_mutex_};
    ThreadCache* made = caches_.emplace_back(std::make_unique<ThreadCache>()).get();
    ours = entries.insert(ours, {.caches = weak_from_this(), .serial = serial_, .cache = made});
  }
  current = {serial_, ours->cache};
  return ours->cache;
}

void ThreadCaches::thread_ended(ThreadCache* cache) {
  const std::lock_guard giving_back{end_mutex_};
  if (is_closed_) return;
  ThreadCache::Content content;
  {
    const std::lock_guard held{list_mutex_};
    cache->drain(content);
    const auto is_it = [&](const auto& owned) { return owned.get() == cache; };
    caches_.erase(std::find_if(caches_.begin(), caches_.end(), is_it));
  }
  give_back_(content);
}

void ThreadCaches::drain_all(ThreadCache::Content& content) {
  const std::lock_guard held{list_mutex_};
  for (const auto& cache : caches_) cache->drain(content);
}

Bytes ThreadCaches::held() const {
  const std::lock_guard held{list_mutex_};
  Bytes sum;
  for (const auto& cache : caches_) sum += cache->held();
  return sum;
}

void ThreadCaches::close() {
  const std::lock_guard giving_back{end_mutex_};
  is_closed_ = true;
}

}  // namespace umrt
