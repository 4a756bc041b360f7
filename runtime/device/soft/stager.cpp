// SPDX-License-Identifier: Apache-2.0
#include "device/soft/stager.h"

#include "device/soft/doorbell.h"

namespace umrt::soft {
namespace {

class StagerSide {
 public:
  explicit StagerSide(ControlBlock& control) : control_{control} {}

  template <class IsDue>
  bool await(IsDue is_due) noexcept {  // the process ends with the host
    if (may_spin(control_, 2) && spin_until(control_.spin_ns, is_due)) return true;
    sleep_until(control_.staging.stager_changes, control_.staging.stager_sleeps, is_due);
    return true;
  }
  void tell() noexcept { wake_if_asleep(control_.staging.host_changes, control_.staging.host_sleeps); }

 private:
  ControlBlock& control_;
};

}  // namespace

void run_stager(ControlBlock& control) noexcept {
  StagingRing& ring = control.staging;
  StagerSide side(control);
  const auto place = [](const os::CopyPiece& piece) { return piece.remote; };
  for (std::uint32_t served = 0;; ++served) {
    sleep_until(ring.stager_changes, ring.stager_sleeps, [&] { return ring.orders.load() != served; });
    // A copy: once the last chunk is emptied, the host may write the next order.
    const std::array<os::CopyPiece, os::copy_pieces_max> order = ring.pieces;
    const std::span<const os::CopyPiece> pieces(order.data(), ring.piece_count);
    ring.is_to_device ? receive(ring, pieces, side, place) : send(ring, pieces, side, place);
  }
}

}  // namespace umrt::soft
