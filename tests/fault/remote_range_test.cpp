// SPDX-License-Identifier: Apache-2.0
// A range that is one shared mapping in every process, when a process dies, forks, or has no descriptor to spare.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/device_fixture.h"

namespace umrt::test {
namespace {

class RemoteRange : public SoftDeviceTest {
 protected:
  RemoteDone change(bool is_remote) {
    return session->run(RemoteAction{.range = {0}, .base = block, .bytes = 2_MiB, .is_remote = is_remote});
  }
  void fill_at_host() {
    ASSERT_EQ(session->run(at_host(Operation::populate)).outcome, Outcome::done);
    for (std::uint64_t i = 0; i < 64; ++i) words()[i] = i;
    ASSERT_EQ(session->run(at_host(Operation::unmap)).outcome, Outcome::done);
  }
  void make_remote() {
    fill_at_host();
    ASSERT_TRUE(change(true).is_done);
  }
  void kill_device() {
    ::kill(device->facts().processes.at(0), SIGKILL);
    EXPECT_EQ(session->next_loss().device, gpu);
  }

  struct Increment {  // kernel: ++words[i]
    std::uint64_t* words;
    static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) ++static_cast<const Increment*>(arguments)->words[i];
    }
  };
  void run_kernel() {
    ASSERT_TRUE(session->launch(gpu, Increment::run, Increment{words()}, 64));
    EXPECT_EQ(session->next_kernel().result, UMRT_SUCCESS);
    EXPECT_FALSE(session->has_fault());
  }
};

TEST_F(RemoteRange, OutlivesTheDeviceProcessAndIsThereInTheNextOne) {
  make_remote();
  run_kernel();
  kill_device();
  EXPECT_EQ(words()[63], 64u);
  words()[63] = 70;
  ASSERT_TRUE(device->reset(gpu));
  run_kernel();
  EXPECT_EQ(words()[63], 71u);
}

TEST_F(RemoteRange, CeasesWithoutTheDeviceProcess) {
  make_remote();
  run_kernel();
  kill_device();
  EXPECT_TRUE(change(false).is_done);
  EXPECT_EQ(words()[63], 64u);
  ASSERT_TRUE(device->reset(gpu));
  ASSERT_EQ(session->run(migration(host_processor, gpu)).outcome, Outcome::done);
  run_kernel();
  ASSERT_EQ(session->run(migration(gpu, host_processor)).outcome, Outcome::done);
  EXPECT_EQ(words()[63], 65u);
}

TEST_F(RemoteRange, AnswersAChangeThatTheDeviceProcessDiesIn) {
  for (int round = 0; round < 5; ++round) {
    fill_at_host();
    session->submit(RemoteAction{.range = {0}, .base = block, .bytes = 2_MiB, .is_remote = true});
    ::kill(device->facts().processes.at(0), SIGKILL);
    session->next_loss();
    ASSERT_TRUE(session->next_remote().is_done);
    EXPECT_TRUE(change(false).is_done);
    ASSERT_TRUE(device->reset(gpu));
    for (std::uint64_t i = 0; i < 64; ++i) EXPECT_EQ(words()[i], i);
    session->submit(RangeReleased{{}, block, 2_MiB, PageClass::page_2m, {}});
  }
}

TEST_F(RemoteRange, IsNotInAForkedChild) {
  make_remote();
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL);
    ::_exit(static_cast<int>(*static_cast<volatile std::uint64_t*>(words())));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  run_kernel();
  EXPECT_EQ(words()[63], 64u);
}

TEST_F(RemoteRange, StaysAsItIsWhenThereIsNoDescriptorForIt) {
  fill_at_host();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const RemoteDone refused = change(true);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(refused.is_done);
  EXPECT_FALSE(refused.is_remote);
  ASSERT_EQ(session->run(migration(host_processor, gpu)).outcome, Outcome::done);
  run_kernel();
  ASSERT_EQ(session->run(migration(gpu, host_processor)).outcome, Outcome::done);
  EXPECT_EQ(words()[63], 64u);
}

TEST_F(RemoteRange, StaysAsItIsWhenADeviceCannotTakeIt) {
  fill_at_host();
  rlimit before{};
  const int process = device->facts().processes.at(0);
  ASSERT_EQ(::prlimit(process, RLIMIT_NOFILE, nullptr, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::prlimit(process, RLIMIT_NOFILE, &none, nullptr), 0);
  const RemoteDone refused = change(true);
  ASSERT_EQ(::prlimit(process, RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_FALSE(refused.is_done);
  ASSERT_EQ(session->run(migration(host_processor, gpu)).outcome, Outcome::done);
  run_kernel();
  ASSERT_EQ(session->run(migration(gpu, host_processor)).outcome, Outcome::done);
  EXPECT_EQ(words()[63], 64u);
}

}  // namespace
}  // namespace umrt::test
