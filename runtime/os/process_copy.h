// SPDX-License-Identifier: Apache-2.0
// Copies between this process and another one, without shared memory (process_vm_readv/writev).
#pragma once

#include <cstddef>
#include <span>

#include "base/units.h"

namespace umrt::os {

struct CopyPiece {
  std::byte* local;
  std::byte* remote;  // an address of the other process
  Bytes bytes;
};
inline constexpr std::size_t copy_pieces_max = 32;

// Both return an errno, 0 when every byte was copied. ESRCH: the process is gone. Pages of the other process are pinned
// while the call runs, so they cannot be moved meanwhile. At most `copy_pieces_max` pieces.
int copy_from_process(int pid, std::span<const CopyPiece> pieces) noexcept;
int copy_to_process(int pid, std::span<const CopyPiece> pieces) noexcept;

}  // namespace umrt::os
