// SPDX-License-Identifier: Apache-2.0
// C functions: streams, events, launches.
#include "api/abi.h"

using namespace umrt;

namespace {

tl::unexpected<Error> null_handle(const char* name) {
  return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("{} is NULL: it must be an event of umrt_event_create", name));
}

}  // namespace

umrt_result umrt_stream_create(umrt_stream* stream, uint32_t device) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (stream == nullptr) return abi::null_argument("stream");
    return abi::store(runtime.create_stream(device), stream);
  });
}

umrt_result umrt_stream_destroy(umrt_stream stream) {
  return abi::with_runtime([&](Runtime& runtime) { return runtime.destroy_stream(stream); });
}

umrt_result umrt_stream_synchronize(umrt_stream stream) {
  return abi::with_runtime([&](Runtime& runtime) { return runtime.synchronize_stream(stream); });
}

umrt_result umrt_stream_query(umrt_stream stream) {
  return abi::with_runtime([&](Runtime& runtime) { return runtime.query_stream(stream); });
}

umrt_result umrt_stream_wait_event(umrt_stream stream, umrt_event event) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (event == nullptr) return null_handle("event");
    return runtime.wait_event(stream, event);
  });
}

umrt_result umrt_event_create(umrt_event* event) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (event == nullptr) return abi::null_argument("event");
    return abi::store(runtime.create_event(), event);
  });
}

umrt_result umrt_event_destroy(umrt_event event) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (event == nullptr) return null_handle("event");
    return runtime.destroy_event(event);
  });
}

umrt_result umrt_event_record(umrt_event event, umrt_stream stream) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (event == nullptr) return null_handle("event");
    return runtime.record_event(event, stream);
  });
}

umrt_result umrt_event_synchronize(umrt_event event) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (event == nullptr) return null_handle("event");
    return runtime.synchronize_event(event);
  });
}

umrt_result umrt_event_query(umrt_event event) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (event == nullptr) return null_handle("event");
    return runtime.query_event(event);
  });
}

umrt_result umrt_event_elapsed_ms(float* milliseconds, umrt_event begin, umrt_event end) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (milliseconds == nullptr) return abi::null_argument("milliseconds");
    if (begin == nullptr) return null_handle("begin");
    if (end == nullptr) return null_handle("end");
    return abi::store(runtime.elapsed_ms(begin, end), milliseconds);
  });
}

umrt_result umrt_synchronize(void) {
  return abi::with_runtime([](Runtime& runtime) { return runtime.synchronize(); });
}

umrt_result umrt_launch(umrt_stream stream, umrt_kernel kernel, const void* arguments, size_t arguments_bytes,
                        uint64_t items, uint64_t grain) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (kernel == nullptr) return abi::null_argument("kernel");
    if (arguments == nullptr && arguments_bytes != 0) return abi::null_argument("arguments");
    if (arguments_bytes > UMRT_LAUNCH_ARGUMENTS_MAX) {
      return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("arguments_bytes is {}: a launch can take {}",
                                                           arguments_bytes, UMRT_LAUNCH_ARGUMENTS_MAX));
    }
    const auto* bytes = static_cast<const std::byte*>(arguments);
    return runtime.launch(stream, {kernel, {bytes, arguments_bytes}, items, grain});
  });
}
