// SPDX-License-Identifier: Apache-2.0
// What nobody may see from outside: a page that loses its write protection on its way, or a write that is lost.
#include "device/soft/fault_way.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "os/file_descriptor.h"
#include "os/mapping.h"

namespace umrt::soft {
namespace {

constexpr std::size_t page = 4096;

class PageTableTest : public testing::Test {
 protected:
  explicit PageTableTest(FaultWay way) : way_{way} {}

  void SetUp() override {
    auto faults =
        os::Userfaultfd::open({.move = way_ == FaultWay::move, .faults_as_sigbus = true, .kernel_mode = false});
    if (!faults && way_ == FaultWay::move) GTEST_SKIP() << faults.error().detail;
    ASSERT_TRUE(faults) << faults.error().detail;
    faults_ = std::move(*faults);
    using Watch = os::Userfaultfd::Watch;
    for (os::Mapping* mapping : {&view_, &frame_}) {
      *mapping = os::Mapping::reserve(bytes).value();
      ASSERT_TRUE(os::advise_page_size(mapping->base(), bytes, os::PageSize::small));
    }
    ASSERT_TRUE(faults_.watch(view(), bytes, Watch::missing_and_protected));
    ASSERT_TRUE(faults_.watch(frame(), bytes, Watch::protected_alone));
    std::memset(frame(), 1, bytes.n);
    ASSERT_EQ(pages_.map(view(), frame(), bytes, PageTable::Wake::yes), 0);
  }

  std::byte* view() const { return view_.base(); }
  std::byte* frame() const { return frame_.base(); }
  PageTable& pages() { return pages_; }
  os::Userfaultfd& faults() { return faults_; }

  // Whether the page can be written now. The kernel writes on this thread's behalf: a refusal is EFAULT, not a signal.
  bool write(std::size_t number) const { return ::pread(zeros_.get(), view() + number * page, 8, 0) == 8; }

  static constexpr Bytes bytes = 2_MiB;

 private:
  FaultWay way_;
  os::FileDescriptor zeros_{::open("/dev/zero", O_RDONLY | O_CLOEXEC)};
  os::Mapping view_, frame_;
  os::Userfaultfd faults_;
  PageTable pages_{faults_, way_};
};

class FaultWays : public PageTableTest, public testing::WithParamInterface<FaultWay> {
 protected:
  FaultWays() : PageTableTest(GetParam()) {}
};

class MoveWay : public PageTableTest {
 protected:
  MoveWay() : PageTableTest(FaultWay::move) {}
};

TEST_P(FaultWays, acts_across_borders_of_memory_areas) {
  using Watch = os::Userfaultfd::Watch;
  const auto make_borders = [](std::byte* base, Bytes length) {
    auto piece = os::Mapping::reserve(length).value();
    piece.base()[0] = std::byte{7};  // a page of its own, so that the kernel never joins it with its neighbours
    os::drop(piece.base(), length);
    ASSERT_TRUE(os::advise_page_size(piece.base(), length, os::PageSize::small));
    ASSERT_EQ(piece.move_over(base), 0);
  };
  ASSERT_EQ(pages().unmap(view(), frame(), bytes), 0);
  make_borders(view() + 101 * page, 12_KiB);
  ASSERT_EQ(pages().watch(view(), bytes), 0);
  ASSERT_EQ(pages().map(view(), frame(), bytes, PageTable::Wake::yes), 0);
  make_borders(frame() + 1 * page, 8_KiB);
  ASSERT_TRUE(faults().watch(frame(), bytes, Watch::protected_alone));
  for (std::size_t p = 0; p < bytes.n / page; ++p) ASSERT_EQ(view()[p * page], std::byte{1}) << p;
  ASSERT_EQ(pages().protect(view(), bytes), 0);
  for (std::size_t p = 99; p < 106; ++p) EXPECT_FALSE(write(p)) << p;
  ASSERT_EQ(pages().unprotect(view(), bytes), 0);
  for (std::size_t p = 99; p < 106; ++p) EXPECT_TRUE(write(p)) << p;
  ASSERT_EQ(pages().unmap(view(), frame(), bytes), 0);
  for (std::size_t p = 0; p < bytes.n / page; ++p)
    ASSERT_EQ(frame()[p * page], p < 99 || p >= 106 ? std::byte{1} : std::byte{0}) << p;
}

TEST_P(FaultWays, a_protected_page_stays_protected_until_it_is_gone) {
  for (int round = 0; round < 300; ++round) {
    ASSERT_EQ(pages().protect(view(), bytes), 0);
    if (GetParam() == FaultWay::move) std::memset(frame() + (1_MiB).n, 0, (1_MiB).n);  // populated ahead of use
    std::atomic<int> slipped_in{0};
    std::atomic<bool> is_watching{false}, is_gone{false};
    std::thread writer([&] {
      while (!is_gone) {
        slipped_in += write(0) ? 1 : 0;
        is_watching = true;
      }
    });
    while (!is_watching) std::this_thread::yield();
    ASSERT_EQ(pages().unmap(view(), frame(), bytes), 0);
    is_gone = true;
    writer.join();
    ASSERT_EQ(slipped_in, 0) << "in round " << round;
    ASSERT_EQ(frame()[0], std::byte{1});
    ASSERT_EQ(frame()[bytes.n - 1], std::byte{1});
    ASSERT_EQ(pages().map(view(), frame(), bytes, PageTable::Wake::yes), 0);
  }
}

// A buffer registered with io_uring, as one under direct I/O: its pages are pinned (FOLL_PIN), and MOVE refuses them.
class PinnedPages {
 public:
  PinnedPages(std::byte* base, std::size_t size) {
    io_uring_params parameters{};
    ring_ = os::FileDescriptor{static_cast<int>(::syscall(SYS_io_uring_setup, 1, &parameters))};
    const iovec buffer{base, size};
    is_pinned_ = ring_ && ::syscall(SYS_io_uring_register, ring_.get(), IORING_REGISTER_BUFFERS, &buffer, 1) == 0;
  }
  explicit operator bool() const { return is_pinned_; }

 private:
  os::FileDescriptor ring_;
  bool is_pinned_ = false;
};

TEST_F(MoveWay, a_pinned_page_keeps_everything_mapped_and_what_was_protected_protected) {
  constexpr std::size_t pinned_page = 300;
  const PinnedPages pinned(view() + pinned_page * page, page);
  if (!pinned) GTEST_SKIP() << "io_uring is refused here: " << std::strerror(errno);
  ASSERT_EQ(pages().protect(view(), bytes), 0);
  EXPECT_EQ(pages().unmap(view(), frame(), bytes), EBUSY);
  for (const std::size_t number : {std::size_t{0}, pinned_page - 1, pinned_page, std::size_t{511}}) {
    EXPECT_EQ(view()[number * page], std::byte{1}) << number;
    EXPECT_FALSE(write(number)) << number;
  }
  ASSERT_EQ(pages().unprotect(view(), bytes), 0);
  EXPECT_TRUE(write(0));
  EXPECT_TRUE(write(511));
}

TEST_F(MoveWay, a_write_is_kept_when_part_of_a_mapping_cannot_be_moved) {
  ASSERT_EQ(pages().unmap(view(), frame(), bytes), 0);
  const PinnedPages pinned(frame() + 300 * page, page);
  if (!pinned) GTEST_SKIP() << "io_uring is refused here: " << std::strerror(errno);
  ASSERT_EQ(pages().map(view(), frame(), bytes, PageTable::Wake::yes), 0);
  for (std::size_t i = 0; i < bytes.n; i += page) ASSERT_EQ(view()[i], std::byte{1}) << i / page;
  EXPECT_TRUE(write(300));
}

INSTANTIATE_TEST_SUITE_P(Ways, FaultWays, testing::Values(FaultWay::move, FaultWay::copy),
                         [](const auto& way) { return fault_way_name(way.param); });

}  // namespace
}  // namespace umrt::soft
