// SPDX-License-Identifier: Apache-2.0
// Both ways to copy, with a process at the other end that is nothing but a stager.
#include "device/soft/device_copies.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "device/soft/soft_device.h"
#include "device/soft/stager.h"
#include "os/event_counter.h"
#include "os/mapping.h"

namespace umrt::soft {
namespace {

constexpr Bytes memory_bytes = 8_MiB;

void run_stager_process(void* control) { run_stager(*static_cast<ControlBlock*>(control)); }

class DeviceCopiesTest : public ::testing::TestWithParam<CopyWayChoice> {
 protected:
  void SetUp() override {
    auto shared = os::Mapping::shared({sizeof(ControlBlock)});
    auto there = os::Mapping::shared(memory_bytes);
    ASSERT_TRUE(shared && there);
    shared_ = std::move(*shared);
    there_ = std::move(*there);
    control_ = new (shared_.base()) ControlBlock;
    auto templates = os::ThreadTemplates::make(1);
    ASSERT_TRUE(templates);
    auto process = os::ChildProcess::spawn(run_stager_process, control_, {}, *templates);
    ASSERT_TRUE(process) << process.error().detail;
    process_ = std::move(*process);
    const Status started = copies_.start(GetParam(), process_, *control_);
    ASSERT_TRUE(started) << started.error().detail;
    here_.resize(memory_bytes.n);
  }

  os::Mapping shared_, there_;
  std::vector<std::byte> here_;
  ControlBlock* control_ = nullptr;
  os::ChildProcess process_;
  DeviceCopies copies_;
};

// One thread's share of the memory on both sides, and what it should hold.
class Share {
 public:
  static constexpr Bytes bytes = 1_MiB;
  Share(std::byte* here, std::byte* there, std::uint64_t seed) : here_{here}, there_{there}, random_{seed} {
    for (std::size_t i = 0; i < bytes.n; ++i) {
      here_[i] = static_cast<std::byte>(random_());
      there_[i] = static_cast<std::byte>(random_());
    }
    here_expected_.assign(here_, here_ + bytes.n);
    there_expected_.assign(there_, there_ + bytes.n);
  }

  void copy_to_and_fro(DeviceCopies& copies, int transfers) {
    for (int i = 0; i < transfers; ++i) {
      const std::vector<os::CopyPiece> pieces = any_pieces();
      const bool is_inwards = random_() % 2 == 0;
      ASSERT_EQ(is_inwards ? copies.to_device(pieces) : copies.from_device(pieces), 0);
      for (const os::CopyPiece& piece : pieces) {
        std::byte* const local = here_expected_.data() + (piece.local - here_);
        std::byte* const remote = there_expected_.data() + (piece.remote - there_);
        is_inwards ? std::memcpy(remote, local, piece.bytes.n) : std::memcpy(local, remote, piece.bytes.n);
      }
    }
    EXPECT_EQ(std::memcmp(here_, here_expected_.data(), bytes.n), 0);
    EXPECT_EQ(std::memcmp(there_, there_expected_.data(), bytes.n), 0);
  }

 private:
  std::vector<os::CopyPiece> any_pieces() {  // granules of one size, wherever each of them lies
    static constexpr Bytes granules[] = {4_KiB, 64_KiB, 1_MiB};
    const Bytes granule = granules[random_() % 3];
    std::vector<std::uint64_t> local(bytes / granule), remote(bytes / granule);
    std::iota(local.begin(), local.end(), 0);
    std::iota(remote.begin(), remote.end(), 0);
    std::shuffle(local.begin(), local.end(), random_);
    std::shuffle(remote.begin(), remote.end(), random_);
    const std::uint64_t count = 1 + random_() % std::min<std::uint64_t>(local.size(), os::copy_pieces_max);
    std::vector<os::CopyPiece> pieces;
    for (std::uint64_t i = 0; i < count; ++i)
      pieces.push_back({here_ + (granule * local[i]).n, there_ + (granule * remote[i]).n, granule});
    return pieces;
  }

  std::byte *here_, *there_;
  std::mt19937_64 random_;
  std::vector<std::byte> here_expected_, there_expected_;
};

TEST_P(DeviceCopiesTest, EveryByteArrivesInBothDirections) {
  const char* given = std::getenv("UMRT_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "UMRT_TEST_SEED=" << seed << std::endl;
  std::vector<std::thread> threads;  // more than cores: an end of the ring may be halted at any instruction
  for (std::uint64_t i = 0; i < memory_bytes / Share::bytes; ++i) {
    threads.emplace_back([&, i] {
      const Bytes begin = Share::bytes * i;
      Share(here_.data() + begin.n, there_.base() + begin.n, seed + i).copy_to_and_fro(copies_, 100);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(DeviceCopiesTest, ACopyEndsWithTheProcess) {
  ::kill(process_.pid(), SIGSTOP);  // so that a transfer through the ring cannot end before the death
  siginfo_t stopped{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process_.pid()), &stopped, WSTOPPED | __WALL), 0);
  const std::vector<os::CopyPiece> pieces{{here_.data(), there_.base(), 4_KiB}};
  int error = -1;
  std::thread copier([&] { error = copies_.from_device(pieces); });
  process_.kill();
  copier.join();
  const std::array<int, 1> death{process_.pidfd()};
  os::wait_readable(death, std::nullopt);
  const bool is_done_before = error == 0 && copies_.way() == CopyWay::process_vm;  // needs nobody at the other end
  EXPECT_TRUE(error == ESRCH || is_done_before) << error;
  EXPECT_EQ(copies_.to_device(pieces), ESRCH);
}

INSTANTIATE_TEST_SUITE_P(Ways, DeviceCopiesTest, ::testing::Values(CopyWayChoice::automatic, CopyWayChoice::staged),
                         [](const auto& way) { return way.param == CopyWayChoice::staged ? "staged" : "automatic"; });

}  // namespace
}  // namespace umrt::soft
