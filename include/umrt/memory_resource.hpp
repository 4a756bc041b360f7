// SPDX-License-Identifier: Apache-2.0
// Managed memory for std::pmr containers, whose elements kernels then work on in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <utility>

#include "umrt/hints.hpp"

namespace umrt {

/**
 * Allocates with umrt_malloc_hinted(), any alignment. Throws out_of_memory. Any thread; each allocation is a range of
 * its own, so containers of many small nodes want a std::pmr pool in between. Equal to every other memory_resource of
 * umrt: what one allocated another one may free. All must be freed before umrt_shutdown().
 */
class memory_resource : public std::pmr::memory_resource {
 public:
  memory_resource() = default;
  explicit memory_resource(hints with) : hints_{std::move(with)} {}

 private:
  static constexpr std::size_t alignment_of_malloc = 256;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    // Where more alignment is asked for than every range has, the range is larger and the result lies inside of it.
    const std::size_t slack = alignment > alignment_of_malloc ? alignment : 0;
    if (bytes > std::numeric_limits<std::size_t>::max() - slack) {
      detail::throw_error(UMRT_ERROR_SIZE_OVERFLOW,
                          std::to_string(bytes) + " bytes aligned to " + std::to_string(alignment));
    }
    const umrt_hints values = hints_.c_hints();
    void* pointer = nullptr;
    check(umrt_malloc_hinted(&pointer, bytes + slack == 0 ? 1 : bytes + slack, &values));
    if (slack == 0) return pointer;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return static_cast<std::byte*>(pointer) + ((alignment - address % alignment) % alignment);
  }

  void do_deallocate(void* pointer, std::size_t, std::size_t alignment) override {
    if (alignment > alignment_of_malloc) {
      umrt_pointer_info info;
      if (umrt_pointer_get_info(pointer, &info) == UMRT_SUCCESS) pointer = info.base;
    }
    umrt_free(pointer);
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return dynamic_cast<const memory_resource*>(&other) != nullptr;
  }

  hints hints_;
};

}  // namespace umrt
