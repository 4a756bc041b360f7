// SPDX-License-Identifier: Apache-2.0
// What the service thread does: it owns the device, the engine, the streams and the recorder, brings events from the
// one to the other, and carries out requests of application threads.
//
// Structure: an iteration waits for the device, steps the engine with what came, runs the mailbox, lets streams start
// what they can. Concurrency: one thread, but for `has_pending_work` and `device_deaths`. It touches no managed memory
// and takes no lock that an application thread can hold while it faults. Guarantee: every request to the engine is
// answered once.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/range_backend.h"
#include "api/start_options.h"
#include "api/streams.h"
#include "core/engine.h"
#include "device/device.h"
#include "telemetry/recorder.h"

namespace umrt {

class Mailbox;

struct RangeName {
  RangeId range;
  Bytes asked;
  std::string name, call_site;
};

class ServiceLoop final : private StreamExecutor {
 public:
  ServiceLoop(std::unique_ptr<Device> device, const StartOptions& options);

  void run(Mailbox& mailbox);  // until stop()
  void stop() { is_stopping_ = true; }

  // Requests, each on the service thread. `done` is called once, here or later.
  using Done = std::function<void(Status)>;
  Status create_range(const NewRange& range);
  void release_range(RangeId range, Done done);
  Bytes bytes_of(RangeId range) const;
  // Whether this range, with this base, is there and reaches as far. Between a look-up in the heap and a request here,
  // another thread may have freed it, and its id may name another range. Freed is freed, also before it is released.
  bool holds(RangeId range, Address base, Bytes end) const;
  // `done` once what is now on its way into or out of these bytes has landed. A thread may have seen bytes arrive
  // before the engine has heard of it; a query that follows is to tell what the thread knows.
  void when_landed(Address begin, Address end, Bytes granule, Done done);
  // `change` says what the hints of a block become; blocks that have the same ones are told to the engine together.
  // For a range that holds().
  void advise(RangeId range, Bytes begin, Bytes end, const std::function<Hints(const Hints&)>& change, Done done);
  void reset_device(ProcessorId device, Done done);

  Streams& streams() { return streams_; }
  const Engine& engine() const { return engine_; }
  const Device& device() const { return *device_; }
  Recorder& recorder() { return recorder_; }
  // `renamed`: what live ranges are called now. Ranges in `unused` are kept by the heap for later and left out.
  ReportModel report(std::span<const RangeName> renamed, std::span<const RangeId> unused, const ReportHeap& heap);
  bool has_pending_work() const noexcept { return streams_.has_pending(); }       // any thread
  std::uint64_t device_deaths() const noexcept { return device_deaths_.load(); }  // any thread; counted before told

 private:
  // Adds an event for the engine, and steps it at once unless a step is under way.
  void tell(const Event& event);
  void step();
  void handle(const DeviceEvents& events);
  bool is_legal(const Fault& fault);
  void device_lost(const DeviceLost& lost);
  void kernel_ended(const KernelEnded& ended);
  RequestId new_request(Done done);
  void end_request(RequestId request, Status status);
  void begin_reset(ProcessorId device);
  void advance_reset(ProcessorId device);
  void advance_resets();
  Status restart(ProcessorId device);
  void count_in_flight(const BlockAction& action, bool is_begin);
  bool is_in_flight(Address address) const;
  void advance_landings();
  Status loss_since_start(ProcessorId device);
  std::optional<Ticks> deadline() const;
  void tick();

  Status start(ProcessorId device, const LaunchWork& work) override;
  void start(std::uint64_t stream, const PrefetchWork& work) override;
  Ticks now() const override { return device_->now(); }

  std::unique_ptr<Device> device_;
  Engine engine_;
  Streams streams_;
  Recorder recorder_;
  std::uint64_t samples_per_second_;

  std::vector<Event> untold_;  // waits for the step that is under way
  std::vector<Event> stepped_;
  std::vector<Action> actions_;
  bool is_stepping_ = false;
  std::unordered_map<std::uint64_t, Done> requests_;
  std::uint64_t requests_made_ = 0;

  struct Landing {
    std::vector<Address> granules;  // that were in flight and have not been seen landed
    Done done;
  };
  std::vector<Landing> landings_;

  struct Kernel {
    std::uint64_t launch = 0, phase = 0;
    Ticks began;
  };
  std::vector<std::optional<Kernel>> kernels_;  // one a device: the running one
  std::vector<bool> is_lost_;                   // one a device: its process has ended and was not started again
  struct Reset {
    enum class Step : std::uint8_t { streams, kernel, evacuation, actions };  // what it waits for
    Done done;
    Step step = Step::streams;
  };
  std::vector<std::deque<Reset>> resets_;                           // one a device: the first is under way
  std::vector<std::int64_t> actions_in_flight_;                     // one a device: given to it and not answered
  std::vector<std::optional<Address>> bases_;                       // of ranges that are not freed, by RangeId
  std::unordered_map<std::uint32_t, std::uint32_t> lost_granules_;  // by range, as told so far
  std::atomic<std::uint64_t> device_deaths_{0};
  std::uint64_t launches_ = 0;
  Ticks last_tick_;
  std::uint64_t random_ = 0x9e3779b97f4a7c15;  // xorshift64; chooses samples, so a fixed seed is as good as any
  std::uint64_t sample_debt_ns_ = 0;           // time for which no sample was taken yet
  bool is_stopping_ = false;
};

}  // namespace umrt
