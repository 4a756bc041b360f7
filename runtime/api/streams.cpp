// SPDX-License-Identifier: Apache-2.0
#include "api/streams.h"

#include <fmt/format.h>

#include <memory>

#include "api/countdown.h"

namespace umrt {
namespace {

tl::unexpected<Error> no_stream(std::uint64_t stream) {
  return failure(UMRT_ERROR_INVALID_HANDLE, fmt::format("stream {:#x} does not exist, or not any more", stream));
}
tl::unexpected<Error> no_event(std::uint64_t event) {
  return failure(UMRT_ERROR_INVALID_HANDLE, fmt::format("event {:#x} does not exist, or not any more", event));
}

}  // namespace

Streams::Streams(std::uint32_t devices, StreamExecutor& executor)
    : executor_{executor}, devices_(devices), default_stream_{streams_.add({device_processor(0), {}, false})} {}

Result<std::uint64_t> Streams::create_stream(std::uint32_t device) {
  if (device >= devices_.size()) {
    return failure(UMRT_ERROR_INVALID_DEVICE,
                   fmt::format("device is {}: there are {}, numbered from 0", device, devices_.size()));
  }
  return streams_.add({device_processor(device), {}, false});
}

Result<Streams::Stream*> Streams::find_stream(std::uint64_t stream) {
  Stream* found = streams_.find(stream == 0 ? default_stream_ : stream);
  if (found == nullptr) return no_stream(stream);
  return found;
}

Result<ProcessorId> Streams::device_of(std::uint64_t stream) const {
  const Stream* found = streams_.find(stream == 0 ? default_stream_ : stream);
  if (found == nullptr) return no_stream(stream);
  return found->device;
}

Status Streams::destroy_stream(std::uint64_t stream) {
  if (stream == 0 || stream == default_stream_)
    return failure(UMRT_ERROR_INVALID_VALUE, "stream is NULL: the default stream cannot be destroyed");
  const Stream* found = streams_.find(stream);
  if (found == nullptr) return no_stream(stream);
  if (!found->queue.empty()) return failure(UMRT_ERROR_NOT_READY, "work of the stream is still running");
  streams_.remove(stream);
  return {};
}

Status Streams::add(std::uint64_t stream, Work work) {
  const auto found = find_stream(stream);
  if (!found) return tl::unexpected(found.error());
  if (auto error = sticky_error((*found)->device); !error) return error;
  (*found)->queue.push_back(std::move(work));
  pending_.fetch_add(1);
  return {};
}

void Streams::when_done(Stream& stream, std::function<void()> notify) {
  if (stream.queue.empty()) return notify();
  stream.queue.push_back(NotifyWork{std::move(notify)});
  pending_.fetch_add(1);
}

Status Streams::when_done(std::uint64_t stream, std::function<void(Status)> notify) {
  const auto found = find_stream(stream);
  if (!found) return tl::unexpected(found.error());
  const ProcessorId device = (*found)->device;
  when_done(**found, [this, device, notify = std::move(notify)] { notify(sticky_error(device)); });
  return {};
}

void Streams::when_all_done(std::function<void(Status)> notify) {
  const auto all = std::make_shared<Countdown>([this, notify = std::move(notify)] {
    for (std::uint32_t i = 0; i < devices_.size(); ++i) {
      if (Status error = sticky_error(device_processor(i)); !error) return notify(std::move(error));
    }
    notify({});
  });
  streams_.for_each([&](std::uint64_t, Stream& stream) { when_done(stream, [all] {}); });
}

void Streams::when_device_done(ProcessorId device, std::function<void(Status)> notify) {
  const auto all =
      std::make_shared<Countdown>([this, device, notify = std::move(notify)] { notify(sticky_error(device)); });
  streams_.for_each([&](std::uint64_t, Stream& stream) {
    if (stream.device == device) when_done(stream, [all] {});
  });
}

Status Streams::query_stream(std::uint64_t stream) const {
  const Stream* found = streams_.find(stream == 0 ? default_stream_ : stream);
  if (found == nullptr) return no_stream(stream);
  if (!found->queue.empty()) return failure(UMRT_ERROR_NOT_READY, "work of the stream is still running");
  return sticky_error(found->device);
}

Result<std::uint64_t> Streams::create_event() { return events_.add({}); }

Status Streams::destroy_event(std::uint64_t event) {
  if (events_.find(event) == nullptr) return no_event(event);
  events_.remove(event);
  return {};
}

Status Streams::record(std::uint64_t event, std::uint64_t stream) {
  Event* found = events_.find(event);
  if (found == nullptr) return no_event(event);
  if (auto added = add(stream, RecordWork{event, found->records + 1}); !added) return added;
  ++found->records;
  return {};
}

Status Streams::wait(std::uint64_t stream, std::uint64_t event) {
  const Event* found = events_.find(event);
  if (found == nullptr) return no_event(event);
  return add(stream, WaitWork{event, found->records});
}

Status Streams::query_event(std::uint64_t event) const {
  const Event* found = events_.find(event);
  if (found == nullptr) return no_event(event);
  if (found->completed < found->records) return failure(UMRT_ERROR_NOT_READY, "the event is not complete yet");
  return found->status;
}

Status Streams::when_recorded(std::uint64_t event, std::function<void(Status)> notify) {
  Event* found = events_.find(event);
  if (found == nullptr) return no_event(event);
  if (found->completed >= found->records)
    notify(found->status);
  else
    found->waiting.emplace_back(found->records, std::move(notify));
  return {};
}

Result<Ticks> Streams::elapsed(std::uint64_t begin, std::uint64_t end) const {
  const Event* first = events_.find(begin);
  if (first == nullptr) return no_event(begin);
  const Event* last = events_.find(end);
  if (last == nullptr) return no_event(end);
  for (const Event* event : {first, last}) {
    if (event->records == 0)
      return failure(UMRT_ERROR_INVALID_VALUE,
                     fmt::format("event {:#x} was never recorded", event == first ? begin : end));
    if (event->completed < event->records)
      return failure(UMRT_ERROR_NOT_READY,
                     fmt::format("event {:#x} is not complete yet", event == first ? begin : end));
  }
  return last->at - first->at;
}

void Streams::advance() {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    streams_.for_each([&](std::uint64_t handle, Stream& stream) { goes_on |= advance(handle, stream); });
  }
}

bool Streams::advance(std::uint64_t handle, Stream& stream) {
  bool has_moved = false;
  while (!stream.queue.empty() && !stream.is_running && run_head(handle, stream)) has_moved = true;
  return has_moved;
}

// False: the head has to wait.
bool Streams::run_head(std::uint64_t handle, Stream& stream) {
  Work& head = stream.queue.front();
  if (const auto* record = std::get_if<RecordWork>(&head)) {
    complete(*record, stream.device);
    pop(stream);
  } else if (const auto* wait = std::get_if<WaitWork>(&head)) {
    const Event* event = events_.find(wait->event);  // destroyed: holds nobody up
    if (event != nullptr && event->completed < wait->record) return false;
    pop(stream);
  } else if (const auto* prefetch = std::get_if<PrefetchWork>(&head)) {
    stream.is_running = true;
    executor_.start(handle, *prefetch);
  } else if (auto* notify = std::get_if<NotifyWork>(&head)) {
    const std::function<void()> call = std::move(notify->notify);
    pop(stream);
    call();
  } else {
    DeviceState& device = state(stream.device);
    if (device.error) {
      pop(stream);
      return true;
    }
    if (device.running || device.are_launches_held) return false;
    if (auto started = executor_.start(stream.device, std::get<LaunchWork>(head)); !started) {
      device.error = started.error();
      pop(stream);
      return true;
    }
    stream.is_running = true;
    device.running = handle;
  }
  return true;
}

void Streams::pop(Stream& stream) {
  stream.queue.pop_front();
  stream.is_running = false;
  pending_.fetch_sub(1);
}

void Streams::complete(const RecordWork& work, ProcessorId device) {
  Event* event = events_.find(work.event);
  if (event == nullptr) return;  // destroyed meanwhile
  event->completed = work.record;
  event->at = executor_.now();
  event->status = sticky_error(device);
  auto waiting = std::move(event->waiting);
  event->waiting.clear();
  for (auto& [record, notify] : waiting) {
    if (record <= work.record)
      notify(event->status);
    else
      event->waiting.emplace_back(record, std::move(notify));
  }
}

void Streams::kernel_ended(ProcessorId device, Status status) {
  DeviceState& ended = state(device);
  UMRT_ASSERT(ended.running.has_value());
  Stream* stream = streams_.find(*std::exchange(ended.running, std::nullopt));
  if (!status) set_sticky_error(device, status.error());
  UMRT_ASSERT(stream != nullptr);
  pop(*stream);
}

void Streams::prefetch_ended(std::uint64_t handle) {
  Stream* stream = streams_.find(handle);
  UMRT_ASSERT(stream != nullptr);
  pop(*stream);
}

Status Streams::sticky_error(ProcessorId device) const {
  const auto& error = devices_[device.device()].error;
  if (error) return tl::unexpected(*error);
  return {};
}

void Streams::set_sticky_error(ProcessorId device, Error error) {
  if (!state(device).error) state(device).error = std::move(error);
}

void Streams::clear_sticky_error(ProcessorId device) { state(device).error.reset(); }

bool Streams::is_running_kernel() const {
  for (const DeviceState& device : devices_)
    if (device.running) return true;
  return false;
}

}  // namespace umrt
