// SPDX-License-Identifier: Apache-2.0
#include "os/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/descriptor_channel.h"
#include "os/mapping.h"

namespace umrt::os {
namespace {

TEST(SharedMemory, IsZeroWhereNothingWasWrittenAndOneForAllMappings) {
  auto memory = SharedMemory::make(2_MiB);
  ASSERT_TRUE(memory);
  const std::byte value{7};
  ASSERT_EQ(memory->write(8192_B, &value, 1_B), 0);
  auto one = Mapping::of_file(memory->fd(), 2_MiB);
  auto other = Mapping::of_file(memory->fd(), 2_MiB);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->base()[0], std::byte{0});
  EXPECT_EQ(one->base()[8192], value);
  one->base()[1] = std::byte{9};
  EXPECT_EQ(other->base()[1], std::byte{9});
  std::byte read{};
  ASSERT_EQ(memory->read(1_B, &read, 1_B), 0);
  EXPECT_EQ(read, std::byte{9});
}

TEST(SharedMemory, IsGivenBackEvenWhereSomebodyElseHoldsTheDescriptor) {
  auto memory = SharedMemory::make(64_KiB);
  ASSERT_TRUE(memory);
  const FileDescriptor held{::fcntl(memory->fd(), F_DUPFD_CLOEXEC, 0)};
  memory->release();
  EXPECT_FALSE(*memory);
  EXPECT_EQ(::lseek(held.get(), 0, SEEK_END), 0);
}

TEST(Mapping, TakesThePlaceOfAnother) {
  auto target = Mapping::reserve(4_MiB);
  auto memory = SharedMemory::make(2_MiB);
  ASSERT_TRUE(target && memory);
  auto shared = Mapping::of_file(memory->fd(), 2_MiB);
  ASSERT_TRUE(shared);
  target->base()[0] = std::byte{1};
  shared->base()[0] = std::byte{2};
  ASSERT_EQ(shared->move_over(target->base()), 0);
  EXPECT_FALSE(*shared);
  EXPECT_EQ(target->base()[0], std::byte{2});
  ASSERT_EQ(reserve_over(target->base(), 2_MiB), 0);
  EXPECT_EQ(target->base()[0], std::byte{0});
  ASSERT_EQ(map_file_over(target->base(), 2_MiB, memory->fd()), 0);
  EXPECT_EQ(target->base()[0], std::byte{2});
}

TEST(DescriptorChannel, HandsDescriptorsOverInOrder) {
  auto channel = DescriptorChannel::make();
  auto first = SharedMemory::make(4_KiB);
  auto second = SharedMemory::make(8_KiB);
  ASSERT_TRUE(channel && first && second);
  EXPECT_FALSE(DescriptorChannel::receive(channel->receiver()));
  ASSERT_EQ(channel->send(first->fd()), 0);
  ASSERT_EQ(channel->send(second->fd()), 0);
  const FileDescriptor one = DescriptorChannel::receive(channel->receiver());
  const FileDescriptor other = DescriptorChannel::receive(channel->receiver());
  ASSERT_TRUE(one && other);
  EXPECT_EQ(::lseek(one.get(), 0, SEEK_END), 4096);
  EXPECT_EQ(::lseek(other.get(), 0, SEEK_END), 8192);
  EXPECT_NE(channel->send(-1), 0);
  channel->close_receiver();
  EXPECT_NE(channel->send(first->fd()), 0);
}

}  // namespace
}  // namespace umrt::os
