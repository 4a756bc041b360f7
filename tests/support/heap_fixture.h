// SPDX-License-Identifier: Apache-2.0
// A heap over an arena that is only numbers: no test of the heap touches managed memory.
#pragma once

#include <memory>

#include "api/heap.h"
#include "support/backend_model.h"

namespace umrt::test {

struct HeapFixture {
  HeapFixture() : HeapFixture{1_GiB, 256_MiB} {}
  HeapFixture(Bytes arena_bytes, Bytes small_zone)
      : arena{.base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 44),
              .bytes = arena_bytes,
              .huge_begin = {small_zone.n}},
        heap{std::make_unique<Heap>(arena, backend)} {}

  void* allocate(Bytes bytes, const void* call_site = nullptr) {
    return heap->allocate({.bytes = bytes, .page_class = {}, .hints = {}, .name = {}, .call_site = call_site}).value();
  }
  umrt_result code_of_free(void* pointer) {
    const Status status = heap->free(pointer);
    return status ? UMRT_SUCCESS : status.error().code;
  }

  Arena arena;
  BackendModel backend;
  std::unique_ptr<Heap> heap;
};

inline std::byte* offset_by(void* pointer, std::ptrdiff_t bytes) { return static_cast<std::byte*>(pointer) + bytes; }

}  // namespace umrt::test
