// SPDX-License-Identifier: Apache-2.0
// C functions: memory, hints, where bytes are.
#include "api/abi.h"
#include "api/location.h"

using namespace umrt;

namespace {

Status allocate(Runtime& runtime, void** pointer, size_t bytes, const umrt_hints* hints, const void* call_site) {
  if (pointer == nullptr) return abi::null_argument("pointer");
  if (bytes == 0) return failure(UMRT_ERROR_INVALID_VALUE, "bytes is 0: it must be at least 1");
  AllocationRequest request{.bytes = {bytes}, .page_class = {}, .hints = {}, .name = {}, .call_site = call_site};
  if (hints != nullptr) {
    const auto made = hints_of(*hints, runtime.device_count());
    if (!made) return tl::unexpected(made.error());
    request.hints = made->hints;
    request.page_class = made->page_class;
    if (hints->name != nullptr) request.name = hints->name;
  }
  return abi::store(runtime.allocate(request), pointer);
}

}  // namespace

void umrt_hints_init(umrt_hints* hints) {
  if (hints == nullptr) return;
  *hints = umrt_hints{};
  hints->version = UMRT_HINTS_VERSION;
}

umrt_result umrt_malloc(void** pointer, size_t bytes) {
  const void* call_site = __builtin_return_address(0);
  return abi::with_runtime([&](Runtime& runtime) { return allocate(runtime, pointer, bytes, nullptr, call_site); });
}

umrt_result umrt_malloc_hinted(void** pointer, size_t bytes, const umrt_hints* hints) {
  const void* call_site = __builtin_return_address(0);
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (hints == nullptr) return abi::null_argument("hints");
    return allocate(runtime, pointer, bytes, hints, call_site);
  });
}

umrt_result umrt_free(void* pointer) {
  return abi::with_runtime([&](Runtime& runtime) { return runtime.free(pointer); });
}

umrt_result umrt_advise(const void* pointer, size_t bytes, umrt_advice advice, umrt_location location) {
  return abi::with_runtime([&](Runtime& runtime) { return runtime.advise(pointer, Bytes{bytes}, advice, location); });
}

umrt_result umrt_mem_get_info(uint32_t device, size_t* free_bytes, size_t* total_bytes) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (free_bytes == nullptr) return abi::null_argument("free_bytes");
    if (total_bytes == nullptr) return abi::null_argument("total_bytes");
    const auto info = runtime.memory_info(device);
    if (!info) return tl::unexpected(info.error());
    *free_bytes = info->free.n;
    *total_bytes = info->total.n;
    return {};
  });
}

umrt_result umrt_pointer_get_info(const void* pointer, umrt_pointer_info* info) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (info == nullptr) return abi::null_argument("info");
    return abi::store(runtime.pointer_info(pointer), info);
  });
}

umrt_result umrt_range_get_residency(const void* pointer, size_t bytes, umrt_residency* residency) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (residency == nullptr) return abi::null_argument("residency");
    return abi::store(runtime.residency(pointer, Bytes{bytes}), residency);
  });
}

umrt_result umrt_prefetch_async(const void* pointer, size_t bytes, umrt_location destination, umrt_stream stream) {
  return abi::with_runtime(
      [&](Runtime& runtime) { return runtime.prefetch(pointer, Bytes{bytes}, destination, stream); });
}
