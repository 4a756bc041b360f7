// SPDX-License-Identifier: Apache-2.0
#include "api/passthrough_runtime.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "api/location.h"
#include "os/clock.h"
#include "os/memory_info.h"

namespace umrt {
namespace {

constexpr std::size_t alignment_max = (2_MiB).n;

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

std::size_t alignment_for(Bytes bytes) {
  if (bytes >= 2_MiB) return alignment_max;
  return bytes >= 64_KiB ? (64_KiB).n : 256;
}

tl::unexpected<Error> no_handle(const char* what, const void* handle) {
  return failure(UMRT_ERROR_INVALID_HANDLE, fmt::format("{} {} does not exist, or not any more", what, handle));
}

Status check_device(std::uint32_t device) {
  if (device == 0) return {};
  return failure(UMRT_ERROR_INVALID_DEVICE,
                 fmt::format("device is {}: there is one, numbered 0 (umrt is disabled)", device));
}

}  // namespace

PassthroughRuntime::~PassthroughRuntime() {
  for (const auto& [base, block] : blocks_) std::free(reinterpret_cast<void*>(base));
}

Result<void*> PassthroughRuntime::allocate(const AllocationRequest& request) {
  if (request.bytes.n > SIZE_MAX - alignment_max) {
    return failure(UMRT_ERROR_SIZE_OVERFLOW,
                   fmt::format("bytes is {}: no address space has room for that", request.bytes.n));
  }
  const std::size_t alignment = alignment_for(request.bytes);
  const Bytes rounded = round_up(request.bytes, {alignment});
  void* memory = std::aligned_alloc(alignment, rounded.n);
  if (memory == nullptr)
    return failure(UMRT_ERROR_OUT_OF_MEMORY, fmt::format("the system has no {} bytes", request.bytes.n));
  std::memset(memory, 0, rounded.n);
  const std::lock_guard lock(mutex_);
  blocks_[number_of(memory)] = {request.bytes, std::string(request.name)};
  return memory;
}

Status PassthroughRuntime::free(void* pointer) {
  if (pointer == nullptr) return {};
  {
    const std::lock_guard lock(mutex_);
    if (blocks_.erase(number_of(pointer)) == 0) {
      return failure(UMRT_ERROR_FOREIGN_POINTER,
                     fmt::format("pointer is {}: umrt_malloc did not return it, or it is free already", pointer));
    }
  }
  std::free(pointer);
  return {};
}

Result<std::map<std::uintptr_t, PassthroughRuntime::Block>::const_iterator> PassthroughRuntime::find(
    const void* pointer, Bytes bytes) const {
  const std::uintptr_t at = number_of(pointer);
  auto found = blocks_.upper_bound(at);
  if (found == blocks_.begin() || (--found, at - found->first >= found->second.bytes.n)) {
    return failure(UMRT_ERROR_FOREIGN_POINTER,
                   fmt::format("pointer is {}: no live allocation of umrt_malloc holds it", pointer));
  }
  const std::uint64_t left = found->second.bytes.n - (at - found->first);
  if (bytes == Bytes{} || bytes.n > left) {
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("bytes is {}: it must be 1 to {} from this pointer on", bytes.n, left));
  }
  return found;
}

Status PassthroughRuntime::advise(const void* pointer, Bytes bytes, umrt_advice advice, umrt_location location) {
  if (auto valid = advised({}, advice, location, 1); !valid) return tl::unexpected(valid.error());
  const std::lock_guard lock(mutex_);
  if (auto found = find(pointer, bytes); !found) return tl::unexpected(found.error());
  return {};
}

Status PassthroughRuntime::prefetch(const void* pointer, Bytes bytes, umrt_location target, umrt_stream stream) {
  if (auto valid = processor_of(target, 1, "destination"); !valid) return tl::unexpected(valid.error());
  if (auto found = synchronize_stream(stream); !found) return found;
  const std::lock_guard lock(mutex_);
  if (auto found = find(pointer, bytes); !found) return tl::unexpected(found.error());
  return {};
}

Result<MemoryInfo> PassthroughRuntime::memory_info(std::uint32_t device) {
  if (auto checked = check_device(device); !checked) return tl::unexpected(checked.error());
  return MemoryInfo{os::memory_available(), os::memory_available()};
}

Result<umrt_pointer_info> PassthroughRuntime::pointer_info(const void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = find(pointer, Bytes{1});
  if (!found) return tl::unexpected(found.error());
  umrt_pointer_info info{};
  info.base = reinterpret_cast<void*>((*found)->first);
  info.bytes = (*found)->second.bytes.n;
  info.page_class = UMRT_PAGE_CLASS_4K;
  info.location = {UMRT_LOCATION_HOST, 0};
  info.on_host = 1;
  (*found)->second.name.copy(info.name, sizeof info.name - 1);
  return info;
}

Result<umrt_residency> PassthroughRuntime::residency(const void* pointer, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  if (auto found = find(pointer, bytes); !found) return tl::unexpected(found.error());
  umrt_residency residency{};
  residency.host_bytes = bytes.n;
  return residency;
}

Status PassthroughRuntime::reset_device(std::uint32_t device) { return check_device(device); }

Result<umrt_stream> PassthroughRuntime::create_stream(std::uint32_t device) {
  if (auto checked = check_device(device); !checked) return tl::unexpected(checked.error());
  const std::lock_guard lock(mutex_);
  return reinterpret_cast<umrt_stream>(streams_.add(true));
}

Status PassthroughRuntime::destroy_stream(umrt_stream stream) {
  if (stream == nullptr)
    return failure(UMRT_ERROR_INVALID_VALUE, "stream is NULL: the default stream cannot be destroyed");
  if (auto found = synchronize_stream(stream); !found) return found;
  const std::lock_guard lock(mutex_);
  streams_.remove(number_of(stream));
  return {};
}

// Everything has run by the time that it was given.
Status PassthroughRuntime::synchronize_stream(umrt_stream stream) {
  const std::lock_guard lock(mutex_);
  if (stream != nullptr && streams_.find(number_of(stream)) == nullptr) return no_handle("stream", stream);
  return {};
}

Status PassthroughRuntime::wait_event(umrt_stream stream, umrt_event event) {
  if (auto found = synchronize_stream(stream); !found) return found;
  return synchronize_event(event);
}

Status PassthroughRuntime::launch(umrt_stream stream, const LaunchOrder& order) {
  if (auto found = synchronize_stream(stream); !found) return found;
  alignas(64) std::byte arguments[UMRT_LAUNCH_ARGUMENTS_MAX];
  if (!order.arguments.empty()) std::memcpy(arguments, order.arguments.data(), order.arguments.size());
  if (order.items != 0) order.kernel(arguments, 0, order.items);
  return {};
}

Result<umrt_event> PassthroughRuntime::create_event() {
  const std::lock_guard lock(mutex_);
  return reinterpret_cast<umrt_event>(events_.add({}));
}

Status PassthroughRuntime::destroy_event(umrt_event event) {
  if (auto found = synchronize_event(event); !found) return found;
  const std::lock_guard lock(mutex_);
  events_.remove(number_of(event));
  return {};
}

Status PassthroughRuntime::record_event(umrt_event event, umrt_stream stream) {
  if (auto found = synchronize_stream(stream); !found) return found;
  if (auto found = synchronize_event(event); !found) return found;
  const std::lock_guard lock(mutex_);
  *events_.find(number_of(event)) = {true, os::monotonic_ns()};
  return {};
}

Status PassthroughRuntime::synchronize_event(umrt_event event) {
  const std::lock_guard lock(mutex_);
  if (events_.find(number_of(event)) == nullptr) return no_handle("event", event);
  return {};
}

Result<float> PassthroughRuntime::elapsed_ms(umrt_event begin, umrt_event end) {
  const std::lock_guard lock(mutex_);
  for (umrt_event event : {begin, end}) {
    const Recorded* recorded = events_.find(number_of(event));
    if (recorded == nullptr) return no_handle("event", event);
    if (!recorded->is_recorded)
      return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("event {} was never recorded", static_cast<void*>(event)));
  }
  const double ns = static_cast<double>(events_.find(number_of(end))->at_ns) -
                    static_cast<double>(events_.find(number_of(begin))->at_ns);
  return static_cast<float>(ns / 1e6);
}

Result<std::string> PassthroughRuntime::report(umrt_report_format format) {
  return format == UMRT_REPORT_JSON ? std::string("{\"schema_version\": 1, \"disabled\": true}\n")
                                    : std::string("umrt is disabled (UMRT_DISABLE): nothing was placed or counted.\n");
}

}  // namespace umrt
