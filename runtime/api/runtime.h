// SPDX-License-Identifier: Apache-2.0
// What the C functions call: the runtime of the process, managed or disabled. Arguments are checked as far as that
// needs no knowledge of ranges and handles; the implementations check the rest.
#pragma once

#include <umrt/umrt.h>

#include <cstddef>
#include <span>
#include <string>

#include "api/heap.h"
#include "base/result.h"

namespace umrt {

struct LaunchOrder {
  umrt_kernel kernel = nullptr;
  std::span<const std::byte> arguments;
  std::uint64_t items = 0, grain = 0;
};

struct MemoryInfo {
  Bytes free, total;
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Status shutdown() = 0;  // waits for all work; the object is deleted afterwards

  virtual Result<void*> allocate(const AllocationRequest& request) = 0;
  virtual Status free(void* pointer) = 0;
  virtual Status advise(const void* pointer, Bytes bytes, umrt_advice advice, umrt_location location) = 0;
  virtual Status prefetch(const void* pointer, Bytes bytes, umrt_location target, umrt_stream stream) = 0;
  virtual Result<MemoryInfo> memory_info(std::uint32_t device) = 0;
  virtual Result<umrt_pointer_info> pointer_info(const void* pointer) = 0;
  virtual Result<umrt_residency> residency(const void* pointer, Bytes bytes) = 0;

  virtual std::uint32_t device_count() const = 0;
  virtual Status reset_device(std::uint32_t device) = 0;

  virtual Result<umrt_stream> create_stream(std::uint32_t device) = 0;
  virtual Status destroy_stream(umrt_stream stream) = 0;
  virtual Status synchronize_stream(umrt_stream stream) = 0;
  virtual Status query_stream(umrt_stream stream) = 0;
  virtual Status wait_event(umrt_stream stream, umrt_event event) = 0;
  virtual Status launch(umrt_stream stream, const LaunchOrder& order) = 0;
  virtual Status synchronize() = 0;

  virtual Result<umrt_event> create_event() = 0;
  virtual Status destroy_event(umrt_event event) = 0;
  virtual Status record_event(umrt_event event, umrt_stream stream) = 0;
  virtual Status synchronize_event(umrt_event event) = 0;
  virtual Status query_event(umrt_event event) = 0;
  virtual Result<float> elapsed_ms(umrt_event begin, umrt_event end) = 0;

  virtual Result<std::string> report(umrt_report_format format) = 0;
};

}  // namespace umrt
