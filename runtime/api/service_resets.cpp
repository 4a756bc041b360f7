// SPDX-License-Identifier: Apache-2.0
// A device that is started anew. Resets of one device follow each other; each is a chain of steps, and the loop tries
// the one that is due whenever something has happened:
// 0 wait for the device's streams, and launch no more there, 1 let the kernel that runs end, 2 bring bytes home,
// 3 wait until nothing is in flight there, 4 a new process, 5 tell the engine, and launch again.
#include <utility>

#include "api/service_loop.h"

namespace umrt {

void ServiceLoop::reset_device(ProcessorId device, Done done) {
  auto& resets = resets_[device.device()];
  resets.push_back({std::move(done)});
  if (resets.size() == 1) begin_reset(device);
}

void ServiceLoop::begin_reset(ProcessorId device) {
  streams_.when_device_done(device, [this, device](const Status&) {
    streams_.hold_launches(device, true);
    resets_[device.device()].front().step = Reset::Step::kernel;
    advance_reset(device);
  });
}

void ServiceLoop::advance_reset(ProcessorId device) {
  auto& resets = resets_[device.device()];
  if (resets.empty()) return;
  Reset& reset = resets.front();
  if (reset.step == Reset::Step::kernel && !streams_.is_running_kernel(device)) {
    if (is_lost_[device.device()]) {
      reset.step = Reset::Step::actions;
    } else {
      reset.step = Reset::Step::evacuation;
      tell(DeviceEvacuated{now(), device, new_request([this, device](const Status&) {  // also where it dies meanwhile
                             resets_[device.device()].front().step = Reset::Step::actions;
                           })});
    }
  }
  // While the engine steps, more actions may come out of it.
  if (reset.step != Reset::Step::actions || is_stepping_ || actions_in_flight_[device.device()] != 0) return;
  const Status restarted = restart(device);
  const Done done = std::move(reset.done);
  resets.pop_front();
  streams_.hold_launches(device, false);
  done(restarted);
  if (!resets.empty()) begin_reset(device);
}

void ServiceLoop::advance_resets() {
  for (std::uint32_t i = 0; i < resets_.size(); ++i) advance_reset(device_processor(i));
}

Status ServiceLoop::restart(ProcessorId device) {
  if (auto restarted = device_->reset(device); !restarted) {
    streams_.set_sticky_error(device, restarted.error());
    return restarted;
  }
  is_lost_[device.device()] = false;
  streams_.clear_sticky_error(device);
  tell(DeviceReady{now(), device});
  return loss_since_start(device);
}

void ServiceLoop::count_in_flight(const BlockAction& action, bool is_begin) {
  for (const ProcessorId p : {action.source, action.target})
    if (p.is_device()) actions_in_flight_[p.device()] += is_begin ? 1 : -1;
}

}  // namespace umrt
