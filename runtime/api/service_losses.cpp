// SPDX-License-Identifier: Apache-2.0
// A device whose process has ended: what its streams are told, which bytes went with it.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/service_loop.h"
#include "base/log.h"

namespace umrt {

void ServiceLoop::device_lost(const DeviceLost& lost) {
  is_lost_[lost.device.device()] = true;
  ++device_deaths_;
  log::error("the process of device {} has ended: what only it held is lost", lost.device.device());
  streams_.set_sticky_error(lost.device, {UMRT_ERROR_LAUNCH_FAILED, 0,
                                          fmt::format("the process of device {} has ended; umrt_device_reset starts it "
                                                      "again",
                                                      lost.device.device())});
}

// Ranges that have lost bytes, each told once.
Status ServiceLoop::loss_since_start(ProcessorId device) {
  std::string names;
  for (const RangeView& view : engine_.ranges()) {
    if (!holds(view.range, view.base, view.bytes)) continue;  // freed, and not released yet
    std::uint32_t& told = lost_granules_[view.range.n];
    const std::uint32_t lost =
        view.counters->data_lost_granules - std::exchange(told, view.counters->data_lost_granules);
    if (lost == 0) continue;
    names += fmt::format("{}{} ({} KiB)", names.empty() ? "" : ", ", recorder_.label_of(view.range),
                         granule_bytes(view.page_class) * lost / 1_KiB);
  }
  if (names.empty()) return {};
  return failure(UMRT_ERROR_DATA_LOSS,
                 fmt::format("device {} ended with the only copy of bytes of {}", device.device(), names));
}

}  // namespace umrt
