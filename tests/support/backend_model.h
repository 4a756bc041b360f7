// SPDX-License-Identifier: Apache-2.0
// A RangeBackend that knows what it was told and complains of what a service could not carry out.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/range_backend.h"

namespace umrt::test {

class BackendModel : public RangeBackend {
 public:
  struct Range {
    NewRange facts;
    std::string name;
    std::uint64_t deaths_before = 0;  // of devices
  };

  Status create(const NewRange& range) override {
    const std::lock_guard held{mutex_};
    if (create_failures > 0) {
      --create_failures;
      return failure(create_failure, "the model was told to fail");
    }
    check(range.bytes.n > 0 && range.bytes.n % granule_bytes(range.page_class).n == 0, "bytes are whole granules");
    check(range.base.n % granule_bytes(range.page_class).n == 0, "the base is aligned");
    check(!ranges_.contains(range.range.n), "an id is in use once");
    const auto after = by_base_.lower_bound((range.base + range.bytes).n);
    check(after == by_base_.begin() || std::prev(after)->second <= range.base.n, "ranges do not overlap");
    by_base_.emplace(range.base.n, (range.base + range.bytes).n);
    ranges_.emplace(range.range.n, Range{.facts = range, .name = std::string{range.name}, .deaths_before = deaths});
    ++created;
    return {};
  }

  Status release(RangeId range) override {
    const std::lock_guard held{mutex_};
    if (release_failures > 0) {
      --release_failures;
      return failure(UMRT_ERROR_UNKNOWN, "the model was told to fail");
    }
    const auto found = ranges_.find(range.n);
    check(found != ranges_.end(), "a range is released once");
    by_base_.erase(found->second.facts.base.n);
    ranges_.erase(found);
    ++released;
    return {};
  }

  bool has_pending_work() const override { return pending.load(); }
  void wait_for_pending_work() override {
    ++waits;
    if (on_wait) on_wait();
    pending = false;
  }

  std::uint64_t device_deaths() const override { return deaths.load(); }

  void renamed(const NewRange& range) override {
    const std::lock_guard held{mutex_};
    check(ranges_.contains(range.range.n), "a range that is renamed exists");
    check(ranges_.at(range.range.n).facts.base == range.base, "a range that is renamed keeps its place");
    ranges_.at(range.range.n).facts = range;
    ++renames;
  }

  std::vector<Range> ranges() const {
    const std::lock_guard held{mutex_};
    std::vector<Range> all;
    for (const auto& [id, range] : ranges_) all.push_back(range);
    return all;
  }
  // Whether bytes of it may have died with a device.
  bool may_be_lost(RangeId range) const {
    const std::lock_guard held{mutex_};
    return ranges_.at(range.n).deaths_before != deaths;
  }
  std::size_t range_count() const {
    const std::lock_guard held{mutex_};
    return ranges_.size();
  }

  int create_failures = 0;
  umrt_result create_failure = UMRT_ERROR_OUT_OF_MEMORY;
  int release_failures = 0;
  std::atomic<bool> pending = false;
  std::atomic<std::uint64_t> deaths = 0;
  std::atomic<int> waits = 0;
  std::function<void()> on_wait;
  int created = 0, released = 0, renames = 0;  // under the mutex; read them when no other thread is in the heap

 private:
  static void check(bool is_true, const char* rule) {
    if (!is_true) throw std::logic_error(rule);
  }

  mutable std::mutex mutex_;
  std::map<std::uint32_t, Range> ranges_;
  std::map<std::uint64_t, std::uint64_t> by_base_;  // begin to end
};

}  // namespace umrt::test
