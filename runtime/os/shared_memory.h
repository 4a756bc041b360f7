// SPDX-License-Identifier: Apache-2.0
// The owner of memory that several processes can map: a memory file (memfd), zero until it is written to.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/units.h"
#include "os/file_descriptor.h"

namespace umrt::os {

class SharedMemory {
 public:
  SharedMemory() = default;  // none
  static Result<SharedMemory> make(Bytes bytes);

  explicit operator bool() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }

  // Both return an errno, 0 when done. Bytes that were never written read as zero.
  int write(Bytes offset, const std::byte* from, Bytes bytes) const noexcept;
  int read(Bytes offset, std::byte* to, Bytes bytes) const noexcept;

  // Gives the memory back, even where a forked child still holds the descriptor. Nobody may map it any more.
  void release() noexcept;

 private:
  FileDescriptor fd_;
};

}  // namespace umrt::os
