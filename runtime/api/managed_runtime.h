// SPDX-License-Identifier: Apache-2.0
// The runtime with devices: heap, service thread and what connects them. Any thread.
#pragma once

#include <atomic>
#include <memory>

#include "api/runtime.h"
#include "api/service.h"

namespace umrt {

class ManagedRuntime final : public Runtime, private RangeBackend {
 public:
  static Result<std::unique_ptr<ManagedRuntime>> start(const StartOptions& options, const DeviceFactory& make_device);

  Status shutdown() override;
  Result<void*> allocate(const AllocationRequest& request) override;
  Status free(void* pointer) override;
  Status advise(const void* pointer, Bytes bytes, umrt_advice advice, umrt_location location) override;
  Status prefetch(const void* pointer, Bytes bytes, umrt_location target, umrt_stream stream) override;
  Result<MemoryInfo> memory_info(std::uint32_t device) override;
  Result<umrt_pointer_info> pointer_info(const void* pointer) override;
  Result<umrt_residency> residency(const void* pointer, Bytes bytes) override;
  std::uint32_t device_count() const override { return service_->device_count(); }
  Status reset_device(std::uint32_t device) override;
  Result<umrt_stream> create_stream(std::uint32_t device) override;
  Status destroy_stream(umrt_stream stream) override;
  Status synchronize_stream(umrt_stream stream) override;
  Status query_stream(umrt_stream stream) override;
  Status wait_event(umrt_stream stream, umrt_event event) override;
  Status launch(umrt_stream stream, const LaunchOrder& order) override;
  Status synchronize() override;
  Result<umrt_event> create_event() override;
  Status destroy_event(umrt_event event) override;
  Status record_event(umrt_event event, umrt_stream stream) override;
  Status synchronize_event(umrt_event event) override;
  Status query_event(umrt_event event) override;
  Result<float> elapsed_ms(umrt_event begin, umrt_event end) override;
  Result<std::string> report(umrt_report_format format) override;

 private:
  ManagedRuntime(std::unique_ptr<Service> service, const StartOptions& options);

  // RangeBackend, for the heap
  Status create(const NewRange& range) override;
  Status release(RangeId range) override;
  bool has_pending_work() const override { return service_->has_pending_work(); }
  std::uint64_t device_deaths() const override { return service_->device_deaths(); }
  void wait_for_pending_work() override;
  void renamed(const NewRange&) override {}  // report() asks the heap

  void wait_landed(Address begin, Address end, Bytes granule);

  struct Part {  // of one range
    Allocation allocation;
    Bytes begin, end;  // offsets in the engine's range
  };
  Result<Part> part_of(const void* pointer, Bytes bytes) const;
  static bool is_there(const ServiceLoop& loop, const Part& part);
  Status check_device(std::uint32_t device) const;
  void log_leaks() const;

  std::unique_ptr<Service> service_;
  Bytes host_budget_;
  std::atomic<std::uint64_t> bytes_in_ranges_{0};
  Heap heap_;
};

}  // namespace umrt
