// SPDX-License-Identifier: Apache-2.0
#include "device/soft/device_copies.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "device/soft/doorbell.h"
#include "device/soft/soft_device.h"

namespace umrt::soft {
namespace {

constexpr std::uint64_t death_check_ns = 10'000'000;

class HostSide {
 public:
  HostSide(ControlBlock& control, int pidfd) : control_{control}, pidfd_{pidfd} {}

  template <class IsDue>
  bool await(IsDue is_due) noexcept {
    if (may_spin(control_, 2) && spin_until(control_.spin_ns, is_due)) return true;
    StagingRing& ring = control_.staging;
    while (!is_due()) {
      if (os::is_readable(pidfd_)) return false;
      const std::uint32_t seen = ring.host_changes.load();
      ring.host_sleeps.fetch_add(1);
      if (!is_due()) os::futex_wait_for(ring.host_changes, seen, death_check_ns);
      ring.host_sleeps.fetch_sub(1);
    }
    return true;
  }
  void tell() noexcept { wake_if_asleep(control_.staging.stager_changes, control_.staging.stager_sleeps); }

 private:
  ControlBlock& control_;
  int pidfd_;
};

// Both directions; the bytes are on a page that the process shares with this one and has no effect on it.
int try_process_vm(int pid, const ControlBlock& control) {
  decltype(control.arena) word = nullptr;
  auto* const there = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&control.arena));
  const os::CopyPiece piece{reinterpret_cast<std::byte*>(&word), there, {sizeof word}};
  const int error = os::copy_from_process(pid, {&piece, 1});
  return error != 0 ? error : os::copy_to_process(pid, {&piece, 1});
}

}  // namespace

const char* copy_way_name(CopyWay way) { return way == CopyWay::process_vm ? "process_vm" : "staged"; }

Status DeviceCopies::start(CopyWayChoice choice, const os::ChildProcess& process, ControlBlock& control) {
  pid_ = process.pid();
  pidfd_ = process.pidfd();
  control_ = &control;
  way_ = CopyWay::staged;
  if (choice == CopyWayChoice::staged) return {};
  const int error = try_process_vm(pid_, control);
  if (error == 0) {
    way_ = CopyWay::process_vm;
    return {};
  }
  const std::string why = fmt::format("process_vm_readv and process_vm_writev: {}", std::strerror(error));
  if (choice == CopyWayChoice::process_vm)
    return failure(UMRT_ERROR_NOT_SUPPORTED, fmt::format("soft.copy_way is process_vm: {}", why), error);
  log::warning("every byte is copied twice, through shared memory: {}", why);
  return {};
}

int DeviceCopies::to_device(std::span<const os::CopyPiece> pieces) noexcept {
  return way_ == CopyWay::process_vm ? os::copy_to_process(pid_, pieces) : staged(pieces, true);
}

int DeviceCopies::from_device(std::span<const os::CopyPiece> pieces) noexcept {
  return way_ == CopyWay::process_vm ? os::copy_from_process(pid_, pieces) : staged(pieces, false);
}

int DeviceCopies::staged(std::span<const os::CopyPiece> pieces, bool is_to_device) noexcept {
  UMRT_ASSERT(pieces.size() <= os::copy_pieces_max);
  const std::lock_guard held(ring_);
  StagingRing& ring = control_->staging;
  std::copy(pieces.begin(), pieces.end(), ring.pieces.begin());
  ring.piece_count = static_cast<std::uint32_t>(pieces.size());
  ring.is_to_device = is_to_device;
  ring.filled.store(0);
  ring.emptied.store(0);
  ring.orders.fetch_add(1);
  HostSide side(*control_, pidfd_);
  side.tell();
  const auto place = [](const os::CopyPiece& piece) { return piece.local; };
  const bool is_through = is_to_device ? send(ring, pieces, side, place) : receive(ring, pieces, side, place);
  const bool is_done = is_through && side.await([&] { return ring.emptied.load() == ring.filled.load(); });
  return is_done ? 0 : ESRCH;
}

}  // namespace umrt::soft
