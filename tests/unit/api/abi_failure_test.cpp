// SPDX-License-Identifier: Apache-2.0
// The C interface: kernels that fail, devices that die, and how a program goes on from there.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "support/runtime_fixture.h"

namespace umrt::test {
namespace {

using AbiFailure = RuntimeTest;

void write_to_null(const void*, std::uint64_t, std::uint64_t) {
  volatile int* volatile nowhere = nullptr;  // volatile twice: GCC 12 drops a store through null
  *nowhere = 1;
}

void trap(const void*, std::uint64_t, std::uint64_t) { __builtin_trap(); }

struct Poke {  // writes one word
  std::uint64_t* word;
  static void run(const void* arguments, std::uint64_t, std::uint64_t) {
    *static_cast<const Poke*>(arguments)->word = 1;
  }
};

struct CopyWord {
  const std::uint64_t* from;
  std::uint64_t* to;
  static void run(const void* arguments, std::uint64_t, std::uint64_t) {
    const auto copy = *static_cast<const CopyWord*>(arguments);
    *copy.to = *copy.from;
  }
};

sigjmp_buf after_signal;
void leave_by_jump(int signal) { ::siglongjmp(after_signal, signal); }

// The SIGBUS that `access` raises, or 0.
template <class Access>
int signal_of(Access access) {
  struct sigaction action {
  }, before{};
  action.sa_handler = leave_by_jump;
  ::sigaction(SIGBUS, &action, &before);
  const int raised = sigsetjmp(after_signal, 1);
  if (raised == 0) access();
  ::sigaction(SIGBUS, &before, nullptr);
  return raised;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(") ");
    if (name_end == std::string::npos) continue;
    if (std::stoi(line.substr(name_end + 4)) == ::getpid()) found.push_back(std::stoi(line));  // "PID (name) S PPID"
  }
  return found;
}

TEST_F(AbiFailure, AnIllegalAddressIsStickyUntilTheDeviceIsReset) {
  const std::uint64_t count = mib;
  std::uint64_t* words = allocate(count);
  umrt_stream stream = nullptr;
  umrt_event event = nullptr;
  ASSERT_TRUE(succeeds(umrt_stream_create(&stream, 0)));
  ASSERT_TRUE(succeeds(umrt_event_create(&event)));
  ASSERT_TRUE(succeeds(Fill{words, 9}.launch(nullptr, count)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  Gate gate;
  ASSERT_TRUE(succeeds(gate.launch(stream)));
  ASSERT_TRUE(succeeds(umrt_launch(stream, write_to_null, nullptr, 0, 1, 0)));
  ASSERT_TRUE(succeeds(umrt_event_record(event, stream)));
  gate.open();
  constexpr umrt_result expected = UMRT_ERROR_ILLEGAL_ADDRESS;
  EXPECT_TRUE(fails(umrt_stream_synchronize(stream), expected, {"umrt_device_reset"}));
  EXPECT_TRUE(fails(umrt_stream_query(stream), expected));
  EXPECT_TRUE(fails(umrt_event_synchronize(event), expected)) << "the work before the record has failed";
  EXPECT_TRUE(fails(umrt_event_query(event), expected));
  EXPECT_TRUE(fails(umrt_event_record(event, nullptr), expected));
  EXPECT_TRUE(fails(umrt_stream_wait_event(stream, event), expected));
  EXPECT_TRUE(fails(umrt_prefetch_async(words, mib, {UMRT_LOCATION_HOST, 0}, nullptr), expected));
  EXPECT_TRUE(fails(umrt_launch(stream, trap, nullptr, 0, 1, 0), expected));
  EXPECT_TRUE(fails(Fill{words, 0}.launch(nullptr, count), expected)) << "every stream of the device";
  EXPECT_TRUE(fails(umrt_stream_synchronize(nullptr), expected));
  EXPECT_TRUE(fails(umrt_synchronize(), expected));
  ASSERT_TRUE(succeeds(umrt_device_reset(0)));
  EXPECT_TRUE(succeeds(umrt_synchronize()));
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 9) << "bytes on the device were kept";
  ASSERT_TRUE(succeeds(Fill{words, 4}.launch(stream, count)));
  ASSERT_TRUE(succeeds(umrt_event_record(event, stream)));
  ASSERT_TRUE(succeeds(umrt_event_synchronize(event)));
  EXPECT_EQ(words[count - 1], count - 1 + 4);
  EXPECT_TRUE(succeeds(umrt_event_destroy(event)));
  EXPECT_TRUE(succeeds(umrt_stream_destroy(stream)));
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiFailure, ManagedAddressesOutsideOfEveryRangeAreIllegalToo) {
  std::uint64_t* words = allocate(mib);
  ASSERT_TRUE(succeeds(umrt_free(words)));
  const Poke freed{words + (std::size_t{1} << 30) / sizeof *words};
  ASSERT_TRUE(succeeds(umrt_launch(nullptr, Poke::run, &freed, sizeof freed, 1, 0)));
  EXPECT_TRUE(fails(umrt_synchronize(), UMRT_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(succeeds(umrt_device_reset(0)));
  EXPECT_TRUE(succeeds(umrt_synchronize()));
}

TEST_F(AbiFailure, AKernelThatEndsAbnormallyOtherwiseHasFailedItsLaunch) {
  ASSERT_TRUE(succeeds(umrt_launch(nullptr, trap, nullptr, 0, 1, 0)));
  EXPECT_TRUE(fails(umrt_synchronize(), UMRT_ERROR_LAUNCH_FAILED));
  EXPECT_TRUE(fails(umrt_launch(nullptr, trap, nullptr, 0, 1, 0), UMRT_ERROR_LAUNCH_FAILED));
  EXPECT_TRUE(succeeds(umrt_device_reset(0)));
  EXPECT_TRUE(succeeds(umrt_synchronize()));
}

TEST_F(AbiFailure, AKilledDeviceLosesOnlyWhatWasNowhereElseAndNamesIt) {
  const std::uint64_t count = mib / 2;  // 4 MiB
  std::uint64_t* lost = allocate(count, "lost");
  std::uint64_t* kept = allocate(count, "kept");
  for (std::uint64_t i = 0; i < count; ++i) kept[i] = i;
  ASSERT_TRUE(succeeds(Fill{lost, 1}.launch(nullptr, count)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  const std::vector<pid_t> devices = children();
  ASSERT_EQ(devices.size(), 1u);
  ASSERT_EQ(::kill(devices[0], SIGKILL), 0);
  umrt_result next = Fill{lost, 2}.launch(nullptr, count);
  if (next == UMRT_SUCCESS) next = umrt_synchronize();
  EXPECT_NE(next, UMRT_SUCCESS);
  EXPECT_TRUE(fails(umrt_device_reset(0), UMRT_ERROR_DATA_LOSS, {"lost"}));
  ASSERT_TRUE(succeeds(umrt_synchronize())) << "the device was started anew all the same";
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(kept[i], i);
  ASSERT_TRUE(succeeds(Fill{kept, 3}.launch(nullptr, count)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  EXPECT_EQ(kept[count - 1], count - 1 + 3);
  EXPECT_TRUE(succeeds(umrt_free(lost)));
  EXPECT_TRUE(succeeds(umrt_free(kept)));
}

// The one device's process dies, and is started again.
void kill_device() {
  const std::vector<pid_t> devices = children();
  ASSERT_EQ(devices.size(), 1u);
  ASSERT_EQ(::kill(devices[0], SIGKILL), 0);
  umrt_result next = UMRT_SUCCESS;
  while (next == UMRT_SUCCESS) next = umrt_synchronize();
  ASSERT_TRUE(fails(umrt_device_reset(0), UMRT_ERROR_DATA_LOSS));
}

TEST_F(AbiFailure, LostBytesRaiseSigbusAndAreNeverZeros) {
  const std::uint64_t count = mib / 2;
  std::uint64_t* lost = allocate(count);
  ASSERT_TRUE(succeeds(Fill{lost, 1}.launch(nullptr, count)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  kill_device();
  volatile std::uint64_t seen = 77;
  EXPECT_EQ(signal_of([&] { seen = lost[0]; }), SIGBUS);
  EXPECT_EQ(signal_of([&] { seen = lost[1]; }), SIGBUS) << "each time";
  EXPECT_EQ(signal_of([&] { *const_cast<volatile std::uint64_t*>(lost + count - 1) = 1; }), SIGBUS);
  EXPECT_EQ(seen, 77u);

  const int file = ::open("/dev/zero", O_RDWR | O_CLOEXEC);  // read(2) writes to the buffer
  ssize_t bytes = 0;
  int error = 0;
  const int raised = signal_of([&] {
    bytes = ::read(file, lost + count / 2, 8);
    error = errno;
  });
  ::close(file);
  if (raised == 0) {
    EXPECT_EQ(bytes, -1);
    EXPECT_EQ(error, EFAULT);
  } else {
    EXPECT_EQ(raised, SIGBUS) << "before Linux 6.6";
  }

  EXPECT_TRUE(succeeds(umrt_free(lost)));
  std::uint64_t* fresh = allocate(count);
  EXPECT_EQ(fresh[0] + fresh[count - 1], 0u);
  EXPECT_TRUE(succeeds(umrt_free(fresh)));
}

TEST_F(AbiFailure, AKernelsAccessIsRejectedWhereBytesAreLost) {
  std::uint64_t* lost = allocate(mib);
  std::uint64_t* copied = allocate(1);
  copied[0] = 77;
  ASSERT_TRUE(succeeds(Fill{lost, 1}.launch(nullptr, mib)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  kill_device();
  const CopyWord copy{lost, copied};
  ASSERT_TRUE(succeeds(umrt_launch(nullptr, CopyWord::run, &copy, sizeof copy, 1, 0)));
  EXPECT_TRUE(fails(umrt_synchronize(), UMRT_ERROR_DATA_LOSS, {"died", "umrt_device_reset"}));
  EXPECT_TRUE(succeeds(umrt_device_reset(0))) << "nothing more is lost";
  EXPECT_EQ(copied[0], 77u);
  EXPECT_TRUE(succeeds(umrt_free(lost)));
  EXPECT_TRUE(succeeds(umrt_free(copied)));
}

TEST_F(AbiFailure, WhatIsAllocatedAfterADeviceDiedIsWhole) {
  constexpr std::size_t sizes[] = {48, 2000, 4096, 64 << 10, 1 << 20};
  std::vector<std::uint64_t*> kept, freed;
  for (const std::size_t bytes : sizes) {
    for (auto* some : {&kept, &freed}) {
      void* pointer = nullptr;
      ASSERT_TRUE(succeeds(umrt_malloc(&pointer, bytes)));
      some->push_back(static_cast<std::uint64_t*>(pointer));
      ASSERT_TRUE(succeeds(Fill{some->back(), 1}.launch(nullptr, bytes / sizeof(std::uint64_t))));
    }
  }
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  for (std::uint64_t* pointer : freed) ASSERT_TRUE(succeeds(umrt_free(pointer)));  // for the thread's cache to keep
  kill_device();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    void* fresh = nullptr;
    ASSERT_TRUE(succeeds(umrt_malloc(&fresh, sizes[i])));
    EXPECT_EQ(signal_of([&] { static_cast<volatile std::uint64_t*>(fresh)[0] = 5; }), 0) << sizes[i];
    ASSERT_TRUE(succeeds(umrt_free(fresh)));
    ASSERT_TRUE(succeeds(umrt_free(kept[i])));
  }
}

TEST_F(AbiFailure, CodeLoadedAfterTheDeviceStartedIsRefusedUntilItIsReset) {
  std::uint64_t* words = allocate(16);
  void* library = ::dlopen(UMRT_TEST_LATE_KERNEL, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto kernel = reinterpret_cast<umrt_kernel>(::dlsym(library, "late_kernel"));
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(fails(umrt_launch(nullptr, kernel, &words, sizeof words, 16, 0), UMRT_ERROR_NOT_SUPPORTED, {"loaded"}));
  EXPECT_TRUE(succeeds(umrt_synchronize())) << "refused, so that nothing has failed";
  ASSERT_TRUE(succeeds(umrt_device_reset(0)));
  ASSERT_TRUE(succeeds(umrt_launch(nullptr, kernel, &words, sizeof words, 16, 0)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  EXPECT_EQ(words[15], 15u * 3);
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiFailure, ALaunchAtAnAddressWithoutCodeIsRefused) {
  static int no_code = 0;
  EXPECT_TRUE(
      fails(umrt_launch(nullptr, reinterpret_cast<umrt_kernel>(&no_code), nullptr, 0, 1, 0), UMRT_ERROR_NOT_SUPPORTED));
}

}  // namespace
}  // namespace umrt::test
