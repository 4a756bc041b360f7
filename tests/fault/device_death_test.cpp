// SPDX-License-Identifier: Apache-2.0
// The device process dies, by a signal that nothing can catch, at different moments of a migration.
#include <signal.h>

#include "support/device_fixture.h"

namespace umrt::test {
namespace {

class DeviceDeath : public SoftDeviceTest {
 protected:
  void kill_device() { ::kill(device->facts().processes.at(0), SIGKILL); }

  void fill() {
    ASSERT_EQ(session->run(at_host(Operation::populate)).outcome, Outcome::done);
    for (std::uint64_t i = 0; i < 64; ++i) words()[i] = i;
  }
};

TEST_F(DeviceDeath, IsReportedAndWhatWasThereIsLost) {
  fill();
  ASSERT_EQ(session->run(migration(host_processor, gpu)).outcome, Outcome::done);
  kill_device();
  EXPECT_EQ(session->next_loss().device, gpu);
  const ActionDone done = session->run(migration(gpu, host_processor));
  EXPECT_EQ(done.outcome, Outcome::lost);
  EXPECT_EQ(done.failed, GranuleMask::first(1));
}

TEST_F(DeviceDeath, LeavesBytesAtTheHostThatWereOnTheirWay) {
  fill();
  kill_device();
  session->next_loss();
  const ActionDone done = session->run(migration(host_processor, gpu));
  EXPECT_EQ(done.outcome, Outcome::lost);
  EXPECT_EQ(words()[63], 63u);  // still mapped at the host
}

TEST_F(DeviceDeath, EndsTheKernelThatRan) {
  struct Spin {
    static void run(const void*, std::uint64_t, std::uint64_t) {
      for (volatile bool goes_on = true; goes_on;) {
      }
    }
  };
  ASSERT_TRUE(session->launch(gpu, Spin::run, 0));
  kill_device();
  session->next_loss();
  EXPECT_EQ(session->next_kernel().result, UMRT_ERROR_LAUNCH_FAILED);
}

TEST_F(DeviceDeath, IsFollowedByAFreshDeviceAfterReset) {
  fill();
  kill_device();
  session->next_loss();
  const int before = device->facts().processes.at(0);
  ASSERT_TRUE(device->reset(gpu));
  EXPECT_NE(device->facts().processes.at(0), before);
  ASSERT_EQ(session->run(migration(host_processor, gpu)).outcome, Outcome::done);
  ASSERT_EQ(session->run(migration(gpu, host_processor)).outcome, Outcome::done);
  EXPECT_EQ(words()[5], 5u);
}

TEST_F(DeviceDeath, AnswersEveryActionThatWasInFlight) {
  fill();
  for (std::uint32_t i = 1; i < 5; ++i) {
    BlockAction action = at_host(Operation::populate);
    action.target = gpu;
    action.base = block + 2_MiB * i;
    ASSERT_EQ(session->run(action).outcome, Outcome::done);
  }
  for (std::uint32_t i = 1; i < 5; ++i) {
    BlockAction action = migration(gpu, host_processor);
    action.base = block + 2_MiB * i;
    session->submit(action);
  }
  kill_device();
  for (std::uint32_t i = 1; i < 5; ++i) {
    const ActionDone done = session->next_done();
    EXPECT_TRUE(done.outcome == Outcome::done || done.outcome == Outcome::lost);
    EXPECT_EQ(done.failed.empty(), done.outcome == Outcome::done);
  }
}

}  // namespace
}  // namespace umrt::test
