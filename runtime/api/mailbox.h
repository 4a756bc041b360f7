// SPDX-License-Identifier: Apache-2.0
// Requests of application threads for the service thread: a list that takes no lock, so that a thread that stands still
// for a page fault can hold up nobody.
#pragma once

#include <atomic>

namespace umrt {

class ServiceLoop;

struct Request {
  Request* next = nullptr;
  // On the service thread. The request may be gone when it returns: its owner waits on it.
  virtual void run(ServiceLoop& loop) noexcept = 0;

 protected:
  ~Request() = default;
};

class Mailbox {
 public:
  void post(Request& request) noexcept {  // any thread
    Request* newest = newest_.load(std::memory_order_relaxed);
    do {
      request.next = newest;
    } while (!newest_.compare_exchange_weak(newest, &request, std::memory_order_acq_rel, std::memory_order_relaxed));
  }

  // Runs what has been posted, oldest first. The service thread.
  void run_all(ServiceLoop& loop) noexcept {
    Request* oldest = nullptr;
    for (Request* at = newest_.exchange(nullptr, std::memory_order_acq_rel); at != nullptr;) {
      Request* older = at->next;
      at->next = oldest;
      oldest = at;
      at = older;
    }
    while (oldest != nullptr) {
      Request& request = *oldest;
      oldest = oldest->next;
      request.run(loop);
    }
  }

 private:
  std::atomic<Request*> newest_{nullptr};
};

}  // namespace umrt
