// SPDX-License-Identifier: Apache-2.0
// Streams and events as owners. Work given to one stream runs in the order given; streams are independent of each
// other. Different threads may use one object at the same time, but not move or destroy it meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "umrt/error.hpp"

namespace umrt {

class event;

/** An owned stream of a device. Moved from or destroyed, its handle is no longer valid. */
class stream {
 public:
  /** Throws call_failed: INVALID_DEVICE, NOT_INITIALIZED. */
  explicit stream(std::uint32_t device = 0) { check(umrt_stream_create(&handle_, device)); }
  stream(stream&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  stream& operator=(stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  /** Waits for the stream's work. What failed in it shows at umrt::synchronize(). */
  ~stream() {
    if (handle_ != nullptr) umrt_stream_destroy(handle_);
  }

  /** Waits until all work given so far has ended. Throws the device's sticky error. */
  void synchronize() const { check(umrt_stream_synchronize(handle())); }
  /** Whether nothing is left to do. Throws the device's sticky error. */
  bool is_idle() const {
    const umrt_result result = umrt_stream_query(handle());
    if (result != UMRT_ERROR_NOT_READY) check(result);
    return result == UMRT_SUCCESS;
  }
  /** Later work waits for the event's last record; an event never recorded does not hold it. */
  void wait(const event& awaited) const;

  /** Throws call_failed (INVALID_HANDLE) after a move: NULL would be the default stream. */
  umrt_stream handle() const {
    if (handle_ == nullptr) detail::throw_error(UMRT_ERROR_INVALID_HANDLE, "the stream was moved from");
    return handle_;
  }

 private:
  umrt_stream handle_ = nullptr;
};

/** A point in a stream's work, to wait for and to measure from. Must not be destroyed while it is awaited. */
class event {
 public:
  /** Throws call_failed: NOT_INITIALIZED. */
  event() { check(umrt_event_create(&handle_)); }
  event(event&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  event& operator=(event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~event() {
    if (handle_ != nullptr) umrt_event_destroy(handle_);
  }

  /** Stream ordered: complete once the work given to the stream before has ended. */
  void record(const stream& in) const { check(umrt_event_record(handle_, in.handle())); }
  /** In the default stream. */
  void record() const { check(umrt_event_record(handle_, nullptr)); }
  /** Waits for the last record. Throws the sticky error that its device had then. */
  void synchronize() const { check(umrt_event_synchronize(handle_)); }
  /** Whether the last record is complete, or there is none. Throws as synchronize() does. */
  bool is_complete() const {
    const umrt_result result = umrt_event_query(handle_);
    if (result != UMRT_ERROR_NOT_READY) check(result);
    return result == UMRT_SUCCESS;
  }

  umrt_event handle() const noexcept { return handle_; }

 private:
  umrt_event handle_ = nullptr;
};

inline void stream::wait(const event& awaited) const { check(umrt_stream_wait_event(handle(), awaited.handle())); }

/** Time between two completed events. Throws call_failed: NOT_READY, INVALID_VALUE (not recorded). */
inline std::chrono::duration<float, std::milli> time_between(const event& begin, const event& end) {
  float milliseconds = 0;
  check(umrt_event_elapsed_ms(&milliseconds, begin.handle(), end.handle()));
  return std::chrono::duration<float, std::milli>{milliseconds};
}

/** Waits for all streams of all devices. Throws the first sticky error. */
inline void synchronize() { check(umrt_synchronize()); }

}  // namespace umrt
