// SPDX-License-Identifier: Apache-2.0
// Copies between this process and one device process:
//   process_vm  process_vm_writev and process_vm_readv, by the host alone. Needs the right to trace the child.
//   staged      through a ring of shared memory (staging_ring.h): each byte is copied twice, one transfer at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>

#include "base/result.h"
#include "device/soft/control_block.h"
#include "os/child_process.h"
#include "os/process_copy.h"

namespace umrt {
enum class CopyWayChoice : std::uint8_t;
}

namespace umrt::soft {

enum class CopyWay : std::uint8_t { process_vm, staged };
const char* copy_way_name(CopyWay way);

// Concurrency: any thread copies; `start` while none does.
class DeviceCopies {
 public:
  // For a process that is ready. Tries the better way on it first: what a sandbox forbids shows in no other way. Says
  // so in the log where it is not to be had. Errors: NOT_SUPPORTED where it was asked for then.
  Status start(CopyWayChoice choice, const os::ChildProcess& process, ControlBlock& control);

  CopyWay way() const { return way_; }

  // `local` is this process's. An errno, 0 when every byte was copied; ESRCH: the process is gone.
  int to_device(std::span<const os::CopyPiece> pieces) noexcept;
  int from_device(std::span<const os::CopyPiece> pieces) noexcept;

 private:
  int staged(std::span<const os::CopyPiece> pieces, bool is_to_device) noexcept;

  CopyWay way_ = CopyWay::process_vm;
  int pid_ = -1, pidfd_ = -1;
  ControlBlock* control_ = nullptr;
  std::mutex ring_;  // one transfer at a time; never taken by an application's thread
};

}  // namespace umrt::soft
