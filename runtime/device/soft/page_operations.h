// SPDX-License-Identifier: Apache-2.0
// Executes posted page operations inside the device process, on the agent or on a waiting worker.
#pragma once

#include "device/soft/control_block.h"
#include "device/soft/fault_way.h"

namespace umrt::soft {

class PageOperations {
 public:
  PageOperations(ControlBlock& control, PageTable pages) : control_{&control}, pages_{pages} {}

  // Takes every bit of `posted` and carries it out. Async-signal-safe.
  void run(std::atomic<std::uint64_t>& posted) noexcept;

 private:
  void execute(PostedOperation& operation) noexcept;
  int map_protected(std::byte* view, std::byte* frame, Bytes bytes) noexcept;
  void release_waiting(const PostedOperation& operation) noexcept;

  ControlBlock* control_;
  PageTable pages_;
};

}  // namespace umrt::soft
