// SPDX-License-Identifier: Apache-2.0
// What every device must do. A device's test instantiates this suite with a fixture type:
//   static std::unique_ptr<Device> make(std::uint32_t devices, Bytes budget);   // of each device
//   static Bytes budget_min();
// The test's thread plays the service thread; "the application" is another thread that touches managed memory.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <thread>

#include "support/device_session.h"

namespace umrt::test {

inline const ProcessorId gpu = device_processor(0);

struct Add {  // kernel: words[i * stride] += value
  std::uint64_t* words;
  std::uint64_t stride, value;
  static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
    const Add& add = *static_cast<const Add*>(arguments);
    for (std::uint64_t i = begin; i < end; ++i) add.words[i * add.stride] += add.value;
  }
};

struct Sum {  // kernel: *total = sum of words[i * stride], total in the same block as it is read from
  const std::uint64_t* words;
  std::uint64_t* total;
  std::uint64_t stride;
  static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
    const Sum& sum = *static_cast<const Sum*>(arguments);
    std::uint64_t total = 0;
    for (std::uint64_t i = begin; i < end; ++i) total += sum.words[i * sum.stride];
    *sum.total = total;
  }
};

template <class Fixture>
class DeviceContract : public ::testing::Test {
 protected:
  void start(std::uint32_t devices = 1) {
    budget = Fixture::budget_min();
    device = Fixture::make(devices, budget);
    ASSERT_NE(device, nullptr);
    session.emplace(*device);
    big = device->arena().huge_begin;
    small = Address{0};
  }

  std::uint64_t* words(Address a) { return reinterpret_cast<std::uint64_t*>(device->arena().pointer(a)); }

  static BlockAction action(Operation operation, Address base, PageClass page_class = PageClass::page_2m,
                            GranuleMask granules = GranuleMask::first(1)) {
    BlockAction made;
    made.operation = operation;
    made.page_class = page_class;
    made.base = base;
    made.granules = granules;
    made.target = host_processor;
    return made;
  }
  static BlockAction migration(ProcessorId source, ProcessorId target, Address base,
                               PageClass page_class = PageClass::page_2m,
                               GranuleMask granules = GranuleMask::first(1)) {
    BlockAction made = action(Operation::migrate, base, page_class, granules);
    made.source = source;
    made.target = target;
    return made;
  }
  static BlockAction at(ProcessorId target, BlockAction made) {
    made.target = target;
    return made;
  }

  void expect_done(const BlockAction& ordered) {
    const ActionDone done = session->run(ordered);
    EXPECT_EQ(done.action, ordered);
    EXPECT_EQ(done.outcome, Outcome::done);
    EXPECT_TRUE(done.failed.empty());
  }

  // A block whose words hold begin, begin + 1, …, mapped at the host.
  void fill_at_host(Address a, std::uint64_t begin, Bytes bytes, PageClass page_class, GranuleMask granules) {
    expect_done(action(Operation::populate, a, page_class, granules));
    in_application([&] {
      for (std::uint64_t i = 0; i < bytes.n / 8; ++i) words(a)[i] = begin + i;
    });
  }
  void fill_at_host(Address a, std::uint64_t begin) {
    fill_at_host(a, begin, 2_MiB, PageClass::page_2m, GranuleMask::first(1));
  }

  // Runs it on a thread of the application, which must not fault.
  template <class Run>
  void in_application(Run run) {
    auto done = std::async(std::launch::async, run);
    while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) session->pump(Ticks{1'000'000});
    done.get();
    EXPECT_FALSE(session->has_fault());
  }

  bool holds(Address a, std::uint64_t begin, Bytes bytes = 2_MiB) {
    bool is_equal = true;
    in_application([&] {
      for (std::uint64_t i = 0; i < bytes.n / 8; ++i) is_equal &= words(a)[i] == begin + i;
    });
    return is_equal;
  }

  template <class Arguments>
  KernelEnded run_kernel(const Arguments& arguments, std::uint64_t items = 1) {
    EXPECT_TRUE(session->launch(gpu, Arguments::run, arguments, items));
    return session->next_kernel();
  }

  std::unique_ptr<Device> device;
  std::optional<DeviceSession> session;
  Bytes budget;
  Address big, small;  // where ranges of the 2M class, and of the others, may be
};

TYPED_TEST_SUITE_P(DeviceContract);

TYPED_TEST_P(DeviceContract, ReportsTheFirstTouchOfTheHostAndPopulatesIt) {
  this->start();
  std::uint64_t* word = this->words(this->big + 4096_B);
  auto touch = std::async(std::launch::async, [&] { return *word = 7; });
  const Fault fault = this->session->next_fault();
  EXPECT_EQ(fault.processor, host_processor);
  EXPECT_EQ(fault.access, Access::write);
  EXPECT_FALSE(fault.is_protection);
  EXPECT_EQ(fault.address.n / (2_MiB).n, this->big.n / (2_MiB).n);
  this->expect_done(this->action(Operation::populate, this->big));
  EXPECT_EQ(touch.get(), 7u);
  this->in_application([&] { EXPECT_EQ(this->words(this->big)[0], 0u); });
}

TYPED_TEST_P(DeviceContract, MovesBytesToTheDeviceAndBack) {
  this->start();
  this->fill_at_host(this->big, 100);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  EXPECT_EQ(this->run_kernel(Add{this->words(this->big), 1, 1}, (2_MiB).n / 8).result, UMRT_SUCCESS);
  this->expect_done(this->migration(gpu, host_processor, this->big));
  EXPECT_TRUE(this->holds(this->big, 101));
}

TYPED_TEST_P(DeviceContract, ReportsAFaultOfAKernelAndResumesIt) {
  this->start();
  this->fill_at_host(this->big, 0);
  ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big) + 600, 1, 5}, 1));
  const Fault fault = this->session->next_fault();
  EXPECT_EQ(fault.processor, gpu);
  EXPECT_EQ(fault.address, this->big + 4800_B);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
  this->expect_done(this->migration(gpu, host_processor, this->big));
  this->in_application([&] { EXPECT_EQ(this->words(this->big)[600], 605u); });
}

TYPED_TEST_P(DeviceContract, StagesACopyThatTheNextTouchMaps) {
  this->start();
  this->fill_at_host(this->big, 3);
  BlockAction prefetch = this->migration(host_processor, gpu, this->big);
  prefetch.is_mapped = false;
  prefetch.keeps_source = true;
  this->expect_done(prefetch);
  ASSERT_TRUE(this->session->launch(gpu, Sum::run, Sum{this->words(this->big), this->words(this->big), 1}, 4, 4));
  const Fault fault = this->session->next_fault();
  EXPECT_EQ(fault.processor, gpu);
  this->expect_done(this->at(gpu, this->action(Operation::map, this->big)));
  EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
  // The host's staged bytes are the old ones until the device's are discarded or migrated.
  this->expect_done(this->at(gpu, this->action(Operation::discard, this->big)));
  this->expect_done(this->action(Operation::map, this->big));
  EXPECT_TRUE(this->holds(this->big, 3));
}

TYPED_TEST_P(DeviceContract, PopulatesZerosOnTheDeviceInAFrameThatWasUsed) {
  this->start();
  this->fill_at_host(this->big, 9);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  this->expect_done(this->at(gpu, this->action(Operation::discard, this->big)));
  for (std::uint32_t i = 0; i < this->budget / 2_MiB; ++i)
    this->expect_done(this->at(gpu, this->action(Operation::populate, this->big + 2_MiB * i)));
  for (std::uint32_t i = 0; i < this->budget / 2_MiB; ++i) {
    const Address block = this->big + 2_MiB * i;
    this->expect_done(this->migration(gpu, host_processor, block));
    this->in_application([&] {
      for (std::uint64_t word = 0; word < (2_MiB).n / 8; ++word) ASSERT_EQ(this->words(block)[word], 0u);
    });
  }
}

TYPED_TEST_P(DeviceContract, SaysThatThereIsNoFrameAndChangesNothing) {
  this->start();
  const std::uint64_t frames = this->budget / 2_MiB;
  for (std::uint32_t i = 0; i < frames; ++i)
    this->expect_done(this->at(gpu, this->action(Operation::populate, this->big + 2_MiB * i)));
  const Address extra = this->big + 2_MiB * frames;
  this->fill_at_host(extra, 42);
  const ActionDone refused = this->session->run(this->migration(host_processor, gpu, extra));
  EXPECT_EQ(refused.outcome, Outcome::no_memory);
  EXPECT_EQ(refused.failed, GranuleMask::first(1));
  EXPECT_TRUE(this->holds(extra, 42));
  this->expect_done(this->at(gpu, this->action(Operation::discard, this->big)));
  this->expect_done(this->migration(host_processor, gpu, extra));
}

TYPED_TEST_P(DeviceContract, MovesSomeGranulesOfABlock) {
  this->start();
  for (const PageClass page_class : {PageClass::page_64k, PageClass::page_4k}) {
    const Bytes granule = granule_bytes(page_class);
    const Bytes block = block_bytes(page_class);
    const GranuleMask all = GranuleMask::first(32);
    const GranuleMask some{0x8000'0f05};
    this->fill_at_host(this->small, 0, block, page_class, all);
    this->expect_done(this->migration(host_processor, gpu, this->small, page_class, some));
    // The device adds 1 to the first word of each of its granules.
    for_each_run(some, [&](std::uint32_t begin, std::uint32_t count) {
      Add add{this->words(this->small + granule * begin), granule.n / 8, 1};
      EXPECT_EQ(this->run_kernel(add, count).result, UMRT_SUCCESS);
    });
    this->expect_done(this->migration(gpu, host_processor, this->small, page_class, some));
    this->in_application([&] {
      for (std::uint64_t i = 0; i < block.n / 8; ++i) {
        const bool is_first = i % (granule.n / 8) == 0;
        const bool is_moved = some.has({static_cast<std::uint32_t>(i / (granule.n / 8))});
        ASSERT_EQ(this->words(this->small)[i], i + (is_first && is_moved ? 1 : 0));
      }
    });
    const Action released = RangeReleased{{}, this->small, block, page_class, {}};
    this->device->submit({&released, 1});
  }
}

TYPED_TEST_P(DeviceContract, UnmapsToSampleAndMapsAgain) {
  this->start();
  this->fill_at_host(this->big, 0);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  for (int i = 0; i < 3; ++i) {
    this->expect_done(this->at(gpu, this->action(Operation::unmap, this->big)));
    ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big), 1, 1}, 64, 64));
    EXPECT_EQ(this->session->next_fault().processor, gpu);
    this->expect_done(this->at(gpu, this->action(Operation::map, this->big)));
    EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
  }
}

TYPED_TEST_P(DeviceContract, DuplicatesForReadingAndCatchesTheWrite) {
  this->start();
  ASSERT_TRUE(this->device->abilities().duplicates);
  this->fill_at_host(this->big, 50);
  BlockAction duplicate = this->migration(host_processor, gpu, this->big);
  duplicate.operation = Operation::duplicate;
  this->expect_done(duplicate);
  EXPECT_TRUE(this->holds(this->big, 50));  // reads of the host do not fault
  ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big), 1, 1}, 1));
  const Fault fault = this->session->next_fault();
  EXPECT_EQ(fault.processor, gpu);
  EXPECT_EQ(fault.access, Access::write);
  EXPECT_TRUE(fault.is_protection);
  this->expect_done(this->action(Operation::discard, this->big));
  this->expect_done(this->at(gpu, this->action(Operation::unprotect, this->big)));
  EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
  this->expect_done(this->migration(gpu, host_processor, this->big));
  this->in_application([&] {
    EXPECT_EQ(this->words(this->big)[0], 51u);
    EXPECT_EQ(this->words(this->big)[1], 51u);
  });
}

TYPED_TEST_P(DeviceContract, DuplicatesFromTheDeviceToTheHost) {
  this->start();
  this->fill_at_host(this->big, 5);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  BlockAction duplicate = this->migration(gpu, host_processor, this->big);
  duplicate.operation = Operation::duplicate;
  this->expect_done(duplicate);
  EXPECT_TRUE(this->holds(this->big, 5));
  auto write = std::async(std::launch::async, [&] { return this->words(this->big)[1] = 77; });
  const Fault fault = this->session->next_fault();
  EXPECT_EQ(fault.processor, host_processor);
  EXPECT_TRUE(fault.is_protection);
  this->expect_done(this->at(gpu, this->action(Operation::discard, this->big)));
  this->expect_done(this->action(Operation::unprotect, this->big));
  EXPECT_EQ(write.get(), 77u);
}

TYPED_TEST_P(DeviceContract, TurnsACrashOfAKernelIntoAResult) {
  this->start();
  this->fill_at_host(this->big, 1);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  const KernelEnded crashed = this->run_kernel(Add{reinterpret_cast<std::uint64_t*>(std::uintptr_t{0x10}), 1, 1});
  EXPECT_EQ(crashed.result, UMRT_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(crashed.fault_address, 0x10u);
  this->expect_done(this->migration(gpu, host_processor, this->big));  // nothing is lost
  EXPECT_TRUE(this->holds(this->big, 1));
  ASSERT_TRUE(this->device->reset(gpu));
  this->expect_done(this->migration(host_processor, gpu, this->big));
  EXPECT_EQ(this->run_kernel(Add{this->words(this->big), 1, 1}, 8).result, UMRT_SUCCESS);
}

TYPED_TEST_P(DeviceContract, EndsAKernelWhoseAccessIsRejected) {
  this->start();
  for (const umrt_result why : {UMRT_ERROR_ILLEGAL_ADDRESS, UMRT_ERROR_DATA_LOSS}) {
    ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big), 1, 1}, 1));
    this->device->reject(this->session->next_fault(), why);
    const KernelEnded ended = this->session->next_kernel();
    EXPECT_EQ(ended.result, why);
    EXPECT_EQ(ended.fault_address, reinterpret_cast<std::uintptr_t>(this->words(this->big)));
  }
}

TYPED_TEST_P(DeviceContract, WakesWhoWaitsWhenPoked) {
  this->start();
  DeviceEvents events;
  std::thread poker([&] { this->device->poke(); });
  this->device->wait(events, std::nullopt);  // would wait for ever
  poker.join();
  EXPECT_TRUE(events.engine.empty());
  const Ticks before = this->device->now();
  this->device->wait(events, before + Ticks{2'000'000});
  EXPECT_GE(this->device->now().n, before.n + 2'000'000);
}

TYPED_TEST_P(DeviceContract, LosesNoWriteOfTheHostWhileItMigrates) {
  this->start();
  this->fill_at_host(this->big, 0);
  std::atomic<bool> stops{false};
  std::uint64_t increments = 0;
  std::thread writer([&] {
    volatile std::uint64_t* word = this->words(this->big) + 1000;
    while (!stops.load()) {
      *word = *word + 1;
      ++increments;
    }
  });
  for (int i = 0; i < 200; ++i) {
    this->expect_done(this->migration(host_processor, gpu, this->big));
    while (!this->session->has_fault()) this->session->pump(Ticks{10'000'000});
    this->session->drop_faults();
    this->expect_done(this->migration(gpu, host_processor, this->big));
  }
  stops.store(true);
  this->session->submit(this->action(Operation::wake, this->big));
  this->session->next_done();
  writer.join();
  this->session->drop_faults();
  this->in_application([&] { EXPECT_EQ(this->words(this->big)[1000], 1000 + increments); });
}

TYPED_TEST_P(DeviceContract, LosesNoWriteOnEitherSideWhileItIsDuplicated) {
  this->start();
  this->fill_at_host(this->big, 0);
  std::atomic<bool> stops{false};
  std::uint64_t increments = 0;
  std::thread writer([&] {
    volatile std::uint64_t* word = this->words(this->big) + 8;
    while (!stops.load()) {
      *word = *word + 1;
      ++increments;
    }
  });
  // Rounds: duplicate while the host writes, give it to the device, which writes while it is duplicated back.
  constexpr int rounds = 40;
  constexpr std::uint64_t adds = 200'000;
  for (int i = 0; i < rounds; ++i) {
    BlockAction duplicate = this->migration(host_processor, gpu, this->big);
    duplicate.operation = Operation::duplicate;
    this->expect_done(duplicate);
    this->expect_done(this->action(Operation::discard, this->big));
    this->expect_done(this->at(gpu, this->action(Operation::unprotect, this->big)));
    ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big) + 16, 0, 1}, adds, adds));
    duplicate = this->migration(gpu, host_processor, this->big);
    duplicate.operation = Operation::duplicate;
    this->expect_done(duplicate);
    this->expect_done(this->action(Operation::discard, this->big));  // the host's, which its writer must not keep
    while (!this->session->has_kernel()) {
      this->expect_done(this->at(gpu, this->action(Operation::unprotect, this->big)));
      this->session->pump(Ticks{10'000'000});
    }
    EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
    this->expect_done(this->migration(gpu, host_processor, this->big));
  }
  stops.store(true);
  this->session->submit(this->action(Operation::wake, this->big));
  this->session->next_done();
  writer.join();
  this->session->drop_faults();
  this->in_application([&] {
    EXPECT_EQ(this->words(this->big)[8], 8 + increments);
    EXPECT_EQ(this->words(this->big)[16], 16 + rounds * adds);
  });
}

TYPED_TEST_P(DeviceContract, MovesBytesFromDeviceToDevice) {
  this->start(2);
  const ProcessorId other = device_processor(1);
  this->fill_at_host(this->big, 11);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  this->expect_done(this->migration(gpu, other, this->big));
  ASSERT_TRUE(this->session->launch(other, Add::run, Add{this->words(this->big), 1, 2}, 1000));
  EXPECT_EQ(this->session->next_kernel().device, other);
  this->expect_done(this->migration(other, host_processor, this->big));
  this->in_application([&] {
    EXPECT_EQ(this->words(this->big)[999], 11 + 999 + 2u);
    EXPECT_EQ(this->words(this->big)[1000], 11 + 1000u);
  });
}

REGISTER_TYPED_TEST_SUITE_P(DeviceContract, ReportsTheFirstTouchOfTheHostAndPopulatesIt, MovesBytesToTheDeviceAndBack,
                            ReportsAFaultOfAKernelAndResumesIt, StagesACopyThatTheNextTouchMaps,
                            PopulatesZerosOnTheDeviceInAFrameThatWasUsed, SaysThatThereIsNoFrameAndChangesNothing,
                            MovesSomeGranulesOfABlock, UnmapsToSampleAndMapsAgain,
                            DuplicatesForReadingAndCatchesTheWrite, DuplicatesFromTheDeviceToTheHost,
                            TurnsACrashOfAKernelIntoAResult, EndsAKernelWhoseAccessIsRejected, WakesWhoWaitsWhenPoked,
                            LosesNoWriteOfTheHostWhileItMigrates, LosesNoWriteOnEitherSideWhileItIsDuplicated,
                            MovesBytesFromDeviceToDevice);

}  // namespace umrt::test
