// SPDX-License-Identifier: Apache-2.0
// Streams and events: what is to run in which order. No thread of its own and no device: it starts work through
// StreamExecutor and is told when it has ended.
//
// Structure: a stream is a queue of work; its head may be running. One kernel at a time runs on a device. Handles hold
// a slot and its generation, so that a handle of something destroyed is told from a live one. Concurrency: the service
// thread, but for `pending`. Guarantee: work of a stream runs in order; once a device has failed, its launches are
// dropped, and everything else still completes.
#pragma once

#include <umrt/umrt.h>

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "api/handle_table.h"
#include "base/result.h"
#include "core/event.h"

namespace umrt {

struct LaunchWork {
  umrt_kernel kernel = nullptr;
  std::vector<std::byte> arguments;
  std::uint64_t items = 0, grain = 0;
};
struct PrefetchWork {
  RangeId range;
  Address base;  // of the range
  Bytes begin, end;
  ProcessorId target;
};
struct RecordWork {
  std::uint64_t event = 0, record = 0;
};
struct WaitWork {
  std::uint64_t event = 0, record = 0;
};
struct NotifyWork {
  std::function<void()> notify;
};
using Work = std::variant<LaunchWork, PrefetchWork, RecordWork, WaitWork, NotifyWork>;

class StreamExecutor {
 public:
  virtual Status start(ProcessorId device, const LaunchWork& work) = 0;    // ends by kernel_ended
  virtual void start(std::uint64_t stream, const PrefetchWork& work) = 0;  // ends by prefetch_ended
  virtual Ticks now() const = 0;

 protected:
  ~StreamExecutor() = default;
};

class Streams {
 public:
  Streams(std::uint32_t devices, StreamExecutor& executor);

  // Handles as numbers; 0 is the default stream of device 0 and no event.
  Result<std::uint64_t> create_stream(std::uint32_t device);
  Status destroy_stream(std::uint64_t stream);  // NOT_READY: its work has not ended
  Status add(std::uint64_t stream, Work work);  // fails with the device's sticky error
  // Calls `notify` with the stream's sticky error once all work given so far has ended.
  Status when_done(std::uint64_t stream, std::function<void(Status)> notify);
  void when_all_done(std::function<void(Status)> notify);                         // of all streams
  void when_device_done(ProcessorId device, std::function<void(Status)> notify);  // of its streams
  Status query_stream(std::uint64_t stream) const;

  Result<std::uint64_t> create_event();
  Status destroy_event(std::uint64_t event);
  Status record(std::uint64_t event, std::uint64_t stream);
  Status wait(std::uint64_t stream, std::uint64_t event);
  Status query_event(std::uint64_t event) const;
  Status when_recorded(std::uint64_t event, std::function<void(Status)> notify);
  Result<Ticks> elapsed(std::uint64_t begin, std::uint64_t end) const;

  void advance();  // starts what can start; call it after anything above and below
  void kernel_ended(ProcessorId device, Status status);
  void prefetch_ended(std::uint64_t stream);

  Status sticky_error(ProcessorId device) const;
  void set_sticky_error(ProcessorId device, Error error);  // the first one stays
  void clear_sticky_error(ProcessorId device);
  bool is_running_kernel() const;
  bool is_running_kernel(ProcessorId device) const { return devices_[device.device()].running.has_value(); }
  // Launches that have not begun wait while it is so.
  void hold_launches(ProcessorId device, bool are_held) { state(device).are_launches_held = are_held; }
  Result<ProcessorId> device_of(std::uint64_t stream) const;

  bool has_pending() const noexcept { return pending_.load(std::memory_order_acquire) != 0; }  // any thread

 private:
  struct Stream {
    ProcessorId device;
    std::deque<Work> queue;
    bool is_running = false;  // the head
  };
  struct Event {
    std::uint64_t records = 0;    // asked for
    std::uint64_t completed = 0;  // the last one that has completed
    Ticks at;
    Status status;  // of the device then: the work before the record may have failed
    std::vector<std::pair<std::uint64_t, std::function<void(Status)>>> waiting;  // for a record
  };
  struct DeviceState {
    std::optional<std::uint64_t> running;  // stream whose kernel runs
    std::optional<Error> error;
    bool are_launches_held = false;
  };

  Result<Stream*> find_stream(std::uint64_t stream);
  bool advance(std::uint64_t handle, Stream& stream);  // false: nothing could start or end
  bool run_head(std::uint64_t handle, Stream& stream);
  void pop(Stream& stream);
  void complete(const RecordWork& work, ProcessorId device);
  void when_done(Stream& stream, std::function<void()> notify);
  DeviceState& state(ProcessorId device) { return devices_[device.device()]; }

  StreamExecutor& executor_;
  HandleTable<Stream> streams_;
  HandleTable<Event> events_;
  std::vector<DeviceState> devices_;
  std::uint64_t default_stream_;
  std::atomic<std::uint64_t> pending_{0};  // works that have not ended
};

}  // namespace umrt
