// SPDX-License-Identifier: Apache-2.0
// The device process is invisible to the application: to its wait(), its forks, its files and its heap.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <future>

#include "support/device_fixture.h"

namespace umrt::test {
namespace {

class ApplicationProcess : public SoftDeviceTest {
 protected:
  template <class Run>
  void in_application(Run run) {  // faults are answered by populating the block
    auto done = std::async(std::launch::async, run);
    while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      session->pump(Ticks{1'000'000});
      if (session->drop_faults() != 0) session->submit(at_host(Operation::populate));
    }
    done.get();
  }
};

TEST_F(ApplicationProcess, HasNoChildToWaitFor) {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ApplicationProcess, ReadsFromAFileIntoManagedMemoryThatWasNeverTouched) {
  ASSERT_TRUE(device->facts().serves_system_calls) << "needs root, /dev/userfaultfd or the sysctl";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "managed", 7), 7);
  in_application([&] { EXPECT_EQ(::read(ends[0], words(), 7), 7); });
  EXPECT_EQ(std::memcmp(words(), "managed", 7), 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ApplicationProcess, WritesFromManagedMemoryThatIsOnTheDevice) {
  ASSERT_TRUE(device->facts().serves_system_calls) << "needs root, /dev/userfaultfd or the sysctl";
  ASSERT_EQ(session->run(at_host(Operation::populate)).outcome, Outcome::done);
  std::memcpy(words(), "device", 6);
  ASSERT_EQ(session->run(migration(host_processor, gpu)).outcome, Outcome::done);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto written = std::async(std::launch::async, [&] { return ::write(ends[1], words(), 6); });
  EXPECT_EQ(session->next_fault().access, Access::read);
  ASSERT_EQ(session->run(migration(gpu, host_processor)).outcome, Outcome::done);
  EXPECT_EQ(written.get(), 6);
  char text[6];
  ASSERT_EQ(::read(ends[0], text, 6), 6);
  EXPECT_EQ(std::memcmp(text, "device", 6), 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ApplicationProcess, MayForkWithoutPinningItsPages) {
  ASSERT_EQ(session->run(at_host(Operation::populate)).outcome, Outcome::done);
  words()[0] = 1;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(7);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(session->run(migration(host_processor, gpu)).outcome, Outcome::done);
  EXPECT_EQ(session->run(migration(gpu, host_processor)).outcome, Outcome::done);
  EXPECT_EQ(words()[0], 1u);
}

TEST_F(ApplicationProcess, KeepsItsDescriptorsToItself) {
  const std::string folder = "/proc/" + std::to_string(device->facts().processes.at(0)) + "/fd/";
  int open_count = 0;
  for (int fd = 0; fd < 256; ++fd) open_count += ::access((folder + std::to_string(fd)).c_str(), F_OK) == 0;
  // The bell, the channel for descriptors, and the device's own userfaultfd, whose number is above the application's.
  EXPECT_LE(open_count, 3);
  EXPECT_NE(::access((folder + "1").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace umrt::test
