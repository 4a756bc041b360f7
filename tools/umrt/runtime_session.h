// SPDX-License-Identifier: Apache-2.0
// The runtime from init to shutdown, as an object; a failed call as an exception; a stream, an event and an array in
// managed memory as owners.
#pragma once

#include <umrt/umrt.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "telemetry/report_model.h"

namespace umrt::tool {

struct CallError : std::runtime_error {
  CallError(umrt_result failed, const std::string& message) : std::runtime_error(message), result{failed} {}
  umrt_result result;
};

void check(umrt_result result, const char* call);  // throws unless it is success
ExitCode exit_code_of(umrt_result result);

struct SessionSetup {  // zero and empty: as the settings say
  std::uint32_t devices = 0;
  std::uint64_t device_budget = 0;
  std::string policy;
  std::vector<std::string> settings;  // "key=value"
};

class RuntimeSession {
 public:
  explicit RuntimeSession(const SessionSetup& setup);
  ~RuntimeSession() { umrt_shutdown(); }
  RuntimeSession(const RuntimeSession&) = delete;
  RuntimeSession& operator=(const RuntimeSession&) = delete;

  std::uint32_t device_count() const;
  ReportModel report() const;
};

class Stream {
 public:
  explicit Stream(std::uint32_t device) { check(umrt_stream_create(&stream_, device), "umrt_stream_create"); }
  Stream(Stream&& other) noexcept : stream_{std::exchange(other.stream_, nullptr)} {}
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (stream_ != nullptr) umrt_stream_destroy(stream_);
  }
  umrt_stream get() const { return stream_; }

 private:
  umrt_stream stream_ = nullptr;
};

class Event {
 public:
  Event() { check(umrt_event_create(&event_), "umrt_event_create"); }
  Event(Event&& other) noexcept : event_{std::exchange(other.event_, nullptr)} {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) umrt_event_destroy(event_);
  }
  umrt_event get() const { return event_; }

 private:
  umrt_event event_ = nullptr;
};

template <class T>
class ManagedArray {
 public:
  ManagedArray(const char* name, std::uint64_t count, umrt_access_pattern pattern) : count_{count} {
    umrt_hints hints;
    umrt_hints_init(&hints);
    hints.name = name;
    hints.pattern = pattern;
    void* pointer = nullptr;
    check(umrt_malloc_hinted(&pointer, count * sizeof(T), &hints), name);
    data_ = static_cast<T*>(pointer);
  }
  ManagedArray(ManagedArray&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, count_{std::exchange(other.count_, 0)} {}
  ManagedArray& operator=(ManagedArray&&) = delete;
  ~ManagedArray() { umrt_free(data_); }

  friend void swap(ManagedArray& a, ManagedArray& b) noexcept {
    std::swap(a.data_, b.data_);
    std::swap(a.count_, b.count_);
  }

  T* data() const { return data_; }
  std::uint64_t size() const { return count_; }
  std::span<T> span() const { return {data_, count_}; }

 private:
  T* data_ = nullptr;
  std::uint64_t count_;
};

}  // namespace umrt::tool
