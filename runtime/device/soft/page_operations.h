// SPDX-License-Identifier: Apache-2.0
// Executes posted page operations inside the device process, on the agent or on a waiting worker.
#pragma once

#include <optional>

#include "device/soft/control_block.h"
#include "device/soft/fault_way.h"

namespace umrt::soft {

// Lets go the workers that wait for what an executed operation has mapped. Who executed it does so at once. The host
// does so again before it tells of the operation: a worker can fault before the mapping and publish its fault after the
// first release, and the host may have told of that fault already. Harmless for a page that is gone again.
void release_waiting(ControlBlock& control, const PostedOperation& operation) noexcept;

// Stops every worker, wherever it is. For the agent alone, once at a time.
class ParkedWorkers {
 public:
  explicit ParkedWorkers(ControlBlock& control) noexcept;
  ~ParkedWorkers();
  ParkedWorkers(const ParkedWorkers&) = delete;
  ParkedWorkers& operator=(const ParkedWorkers&) = delete;

 private:
  ControlBlock& control_;
};

class PageOperations {
 public:
  PageOperations(ControlBlock& control, PageTable pages) : control_{&control}, pages_{pages} {}

  // Takes every bit of `posted` and carries it out. Async-signal-safe.
  void run(std::atomic<std::uint64_t>& posted) noexcept;

 private:
  void execute(PostedOperation& operation) noexcept;
  int map_protected(std::byte* view, std::byte* frame, Bytes bytes) noexcept;
  int share(std::byte* view, Bytes bytes) noexcept;
  void unshare(std::byte* view, Bytes bytes) noexcept;
  void park() noexcept {
    if (!parked_) parked_.emplace(*control_);
  }

  ControlBlock* control_;
  PageTable pages_;
  std::optional<ParkedWorkers> parked_;  // from `share` to `resume`; the agent's
};

}  // namespace umrt::soft
