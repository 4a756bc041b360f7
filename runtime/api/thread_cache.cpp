// SPDX-License-Identifier: Apache-2.0
#include "api/thread_cache.h"

#include <mutex>
#include <thread>

#include "base/assert.h"

namespace umrt {
namespace {

Bytes bytes_of(const RangeRecord& range) { return {range.bytes.load(std::memory_order_relaxed)}; }

}  // namespace

void OwnerLock::lock() noexcept {
  while (is_held_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
}

std::optional<std::uint32_t> ThreadCache::magazine_of(PageClass page_class, Bytes bytes) {
  if (page_class == PageClass::page_2m || bytes > range_max) return std::nullopt;
  const auto granules = static_cast<std::uint32_t>(bytes / granule_bytes(page_class));
  if (granules > 16) return std::nullopt;
  return page_class == PageClass::page_4k ? granules - 1 : 15 + granules;
}

RangeRecord* ThreadCache::take_range(std::uint32_t magazine) {
  const std::lock_guard held{lock_};
  auto& ranges = ranges_[magazine];
  if (ranges.count == 0) return nullptr;
  RangeRecord* range = ranges.items[--ranges.count];
  held_ -= bytes_of(*range);
  return range;
}

bool ThreadCache::keep_range(std::uint32_t magazine, RangeRecord& range) {
  const std::lock_guard held{lock_};
  auto& ranges = ranges_[magazine];
  const Bytes held_then = held_ + bytes_of(range);
  if (ranges.count == ranges_per_magazine || held_then > held_max) return false;
  ranges.items[ranges.count++] = &range;
  held_ = held_then;
  return true;
}

std::optional<ObjectRef> ThreadCache::take_object(std::uint32_t size_index) {
  const std::lock_guard held{lock_};
  auto& objects = objects_[size_index];
  if (objects.count == 0) return std::nullopt;
  return objects.items[--objects.count];
}

void ThreadCache::keep_object(std::uint32_t size_index, ObjectRef object, std::vector<ObjectRef>& overflow) {
  const std::lock_guard held{lock_};
  auto& objects = objects_[size_index];
  if (objects.count == objects_per_magazine) {
    objects.count -= object_batch;
    const auto* leaving = objects.items.data() + objects.count;
    overflow.insert(overflow.end(), leaving, leaving + object_batch);
  }
  objects.items[objects.count++] = object;
}

void ThreadCache::refill(std::uint32_t size_index, std::span<const ObjectRef> objects) {
  const std::lock_guard held{lock_};
  auto& magazine = objects_[size_index];
  UMRT_ASSERT(magazine.count + objects.size() <= objects_per_magazine);
  for (const ObjectRef& object : objects) magazine.items[magazine.count++] = object;
}

void ThreadCache::drain(Content& content) {
  const std::lock_guard held{lock_};
  for (auto& magazine : ranges_) {
    content.ranges.insert(content.ranges.end(), magazine.items.begin(), magazine.items.begin() + magazine.count);
    magazine.count = 0;
  }
  for (auto& magazine : objects_) {
    content.objects.insert(content.objects.end(), magazine.items.begin(), magazine.items.begin() + magazine.count);
    magazine.count = 0;
  }
  held_ = {};
}

Bytes ThreadCache::held() const {
  const std::lock_guard held{lock_};
  return held_;
}

}  // namespace umrt
