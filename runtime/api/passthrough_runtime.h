// SPDX-License-Identifier: Apache-2.0
// UMRT_DISABLE=1: the same interface without umrt. Memory is plain zeroed memory, kernels run where they are launched,
// and there is one device, which is the host. For finding out whether umrt is to blame.
#pragma once

#include <map>
#include <mutex>

#include "api/handle_table.h"
#include "api/runtime.h"

namespace umrt {

class PassthroughRuntime final : public Runtime {
 public:
  PassthroughRuntime() = default;
  ~PassthroughRuntime() override;

  Status shutdown() override { return {}; }
  Result<void*> allocate(const AllocationRequest& request) override;
  Status free(void* pointer) override;
  Status advise(const void* pointer, Bytes bytes, umrt_advice advice, umrt_location location) override;
  Status prefetch(const void* pointer, Bytes bytes, umrt_location target, umrt_stream stream) override;
  Result<MemoryInfo> memory_info(std::uint32_t device) override;
  Result<umrt_pointer_info> pointer_info(const void* pointer) override;
  Result<umrt_residency> residency(const void* pointer, Bytes bytes) override;
  std::uint32_t device_count() const override { return 1; }
  Status reset_device(std::uint32_t device) override;
  Result<umrt_stream> create_stream(std::uint32_t device) override;
  Status destroy_stream(umrt_stream stream) override;
  Status synchronize_stream(umrt_stream stream) override;
  Status query_stream(umrt_stream stream) override { return synchronize_stream(stream); }
  Status wait_event(umrt_stream stream, umrt_event event) override;
  Status launch(umrt_stream stream, const LaunchOrder& order) override;
  Status synchronize() override { return {}; }
  Result<umrt_event> create_event() override;
  Status destroy_event(umrt_event event) override;
  Status record_event(umrt_event event, umrt_stream stream) override;
  Status synchronize_event(umrt_event event) override;
  Status query_event(umrt_event event) override { return synchronize_event(event); }
  Result<float> elapsed_ms(umrt_event begin, umrt_event end) override;
  Result<std::string> report(umrt_report_format format) override;

 private:
  struct Block {
    Bytes bytes;
    std::string name;
  };
  struct Recorded {
    bool is_recorded = false;
    std::uint64_t at_ns = 0;
  };
  Result<std::map<std::uintptr_t, Block>::const_iterator> find(const void* pointer, Bytes bytes) const;

  mutable std::mutex mutex_;  // protects what stands below
  std::map<std::uintptr_t, Block> blocks_;
  HandleTable<bool> streams_;
  HandleTable<Recorded> events_;
};

}  // namespace umrt
