// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "device/soft/page_operations.h"

namespace umrt::soft {
namespace {

class ReleaseWaiting : public testing::Test {
 protected:
  ReleaseWaiting() : arena_((4_MiB).n), control_{std::make_unique<ControlBlock>()} {
    control_->arena = arena_.data();  // only compared with
    control_->workers = 1;
    operation_.granule = 64_KiB;
    operation_.block = arena_.data() + (2_MiB).n;
    operation_.granules = GranuleMask::run(3, 2);
  }

  // Whether a worker that waits for this byte goes on.
  bool lets_go(std::uint64_t offset, PageOperation kind) {
    WorkerState& worker = control_->worker[0];
    worker.fault.store(PageFaultWord::pack(offset, true, false));
    worker.phase.store(WorkerPhase::waiting);
    operation_.kind = kind;
    release_waiting(*control_, operation_);
    return worker.phase.load() == WorkerPhase::running;
  }

  static constexpr std::uint64_t granule = 65536;
  static constexpr std::uint64_t third = 2097152 + 3 * granule;

  std::vector<std::byte> arena_;
  std::unique_ptr<ControlBlock> control_;
  PostedOperation operation_;
};

TEST_F(ReleaseWaiting, lets_go_who_waits_for_a_granule_that_was_mapped_whenever_it_began_to_wait) {
  for (const PageOperation kind : {PageOperation::map, PageOperation::zero_and_map, PageOperation::map_protected,
                                   PageOperation::unprotect, PageOperation::wake}) {
    EXPECT_TRUE(lets_go(third, kind));
    EXPECT_TRUE(lets_go(third + 2 * granule - 1, kind));
    EXPECT_FALSE(lets_go(third - 1, kind));
    EXPECT_FALSE(lets_go(third + 2 * granule, kind));
    EXPECT_FALSE(lets_go(0, kind));
  }
}

TEST_F(ReleaseWaiting, keeps_who_waits_for_a_granule_that_failed_or_was_not_mapped) {
  for (const PageOperation kind :
       {PageOperation::zero, PageOperation::unmap, PageOperation::protect, PageOperation::drop_frames}) {
    EXPECT_FALSE(lets_go(third, kind));
  }
  operation_.failed = GranuleMask::run(3, 1);
  EXPECT_FALSE(lets_go(third, PageOperation::map));
  EXPECT_TRUE(lets_go(third + granule, PageOperation::map));
}

}  // namespace
}  // namespace umrt::soft
