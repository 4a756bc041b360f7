// SPDX-License-Identifier: Apache-2.0
// The caches of all threads of one heap. A thread gets its cache at its first call and gives the content back when it
// ends, if the heap is still there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "api/thread_cache.h"

namespace umrt {

class ThreadCaches : public std::enable_shared_from_this<ThreadCaches> {
 public:
  using GiveBack = std::function<void(const ThreadCache::Content&)>;
  explicit ThreadCaches(GiveBack give_back);  // called by threads that end; made by std::make_shared
  ~ThreadCaches();

  // The calling thread's. Null while the thread is ending: its cache is gone already.
  ThreadCache* local() { return current.owner == serial_ ? current.cache : find_or_make_local(); }

  void drain_all(ThreadCache::Content& content);
  Bytes held() const;
  void close();  // from its return on `give_back` is not called any more

 private:
  struct Current {
    std::uint64_t owner;  // serial number: an address could belong to a later heap
    ThreadCache* cache;
  };
  static constinit thread_local Current current;
  struct ThreadEnd;
  static ThreadEnd& thread_end();

  ThreadCache* find_or_make_local();
  void thread_ended(ThreadCache* cache);

  std::uint64_t serial_;
  GiveBack give_back_;
  std::mutex end_mutex_;  // held while a thread gives back; before list_mutex_
  bool is_closed_ = false;
  mutable std::mutex list_mutex_;  // protects caches_
  std::vector<std::unique_ptr<ThreadCache>> caches_;
};

}  // namespace umrt
