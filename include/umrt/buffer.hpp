// SPDX-License-Identifier: Apache-2.0
// An owned array in managed memory, and what can be said of it: where it is wanted, how it will be used.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "umrt/hints.hpp"
#include "umrt/stream.hpp"

namespace umrt {

/**
 * `size()` elements of T, valid on the host and in kernels of every device. Kernels take `data()` or `span()`, never
 * the buffer. Elements are zero on first use, except where freed managed memory is used again, as with malloc. No two
 * threads may change one buffer object at the same time; its elements are ordinary memory.
 */
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "elements are moved between processors as bytes");
  static_assert(alignof(T) <= 256, "umrt_malloc() aligns to 256 bytes");

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  /** Empty, without memory. */
  buffer() noexcept = default;
  /** `count` elements, not bytes; 0 is an empty buffer. Throws out_of_memory; call_failed for wrong hints. */
  explicit buffer(std::size_t count, const hints& with = {}) : size_{count} {
    if (count == 0) return;
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      detail::throw_error(UMRT_ERROR_SIZE_OVERFLOW,
                          std::to_string(count) + " elements of " + std::to_string(sizeof(T)) + " bytes");
    }
    const umrt_hints values = with.c_hints();
    void* pointer = nullptr;
    check(umrt_malloc_hinted(&pointer, count * sizeof(T), &values));
    data_ = static_cast<T*>(pointer);
  }
  buffer(buffer&& other) noexcept { swap(*this, other); }
  buffer& operator=(buffer&& other) noexcept {
    buffer taken{std::move(other)};
    swap(*this, taken);
    return *this;
  }
  /** Waits for the work that streams have been given so far. */
  ~buffer() { umrt_free(data_); }

  friend void swap(buffer& a, buffer& b) noexcept {
    std::swap(a.data_, b.data_);
    std::swap(a.size_, b.size_);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  bool empty() const noexcept { return size_ == 0; }
  std::span<T> span() noexcept { return {data_, size_}; }
  std::span<const T> span() const noexcept { return {data_, size_}; }

  /** Not checked. */
  T& operator[](std::size_t index) noexcept { return data_[index]; }
  const T& operator[](std::size_t index) const noexcept { return data_[index]; }
  iterator begin() noexcept { return data_; }
  iterator end() noexcept { return data_ + size_; }
  const_iterator begin() const noexcept { return data_; }
  const_iterator end() const noexcept { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/**
 * Moves part of a range to a place ahead of use. Stream ordered; returns at once. A hint: what finds no room stays.
 * Throws call_failed: INVALID_VALUE (0 bytes, part outside of one range), FOREIGN_POINTER, INVALID_DEVICE.
 */
inline void prefetch(const void* pointer, std::size_t bytes, umrt_location destination, const stream& in) {
  check(umrt_prefetch_async(pointer, bytes, destination, in.handle()));
}
/** In the default stream. */
inline void prefetch(const void* pointer, std::size_t bytes, umrt_location destination) {
  check(umrt_prefetch_async(pointer, bytes, destination, nullptr));
}
/** All of a buffer. An empty one has nothing to move. */
template <class T>
void prefetch(const buffer<T>& all, umrt_location destination, const stream& in) {
  if (!all.empty()) prefetch(all.data(), all.size_bytes(), destination, in);
}
template <class T>
void prefetch(const buffer<T>& all, umrt_location destination) {
  if (!all.empty()) prefetch(all.data(), all.size_bytes(), destination);
}

/**
 * Tells what is known of part of a range, rounded outwards to whole blocks. Takes effect before it returns; not stream
 * ordered. `location` is for preferred location and accessed-by. Throws call_failed as prefetch() does.
 */
inline void advise(const void* pointer, std::size_t bytes, umrt_advice advice, umrt_location location = nowhere()) {
  check(umrt_advise(pointer, bytes, advice, location));
}
template <class T>
void advise(const buffer<T>& all, umrt_advice advice, umrt_location location = nowhere()) {
  if (!all.empty()) advise(all.data(), all.size_bytes(), advice, location);
}

}  // namespace umrt
