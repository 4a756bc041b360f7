// SPDX-License-Identifier: Apache-2.0
// What a device must do that declares remote mappings. Instantiated as device_contract.h is.
#pragma once

#include "contract/device_contract.h"

namespace umrt::test {

template <class Fixture>
class RemoteContract : public DeviceContract<Fixture> {
 protected:
  using Base = DeviceContract<Fixture>;

  void SetUp() override {
    Base::start(2);
    ASSERT_TRUE(this->device->abilities().remote_map);
  }

  static RemoteAction remote(Address base, Bytes bytes, bool is_remote, PageClass page_class = PageClass::page_2m) {
    return {.range = {7}, .base = base, .bytes = bytes, .is_remote = is_remote, .page_class = page_class};
  }
  void expect_remote(Address base, Bytes bytes, bool is_remote, PageClass page_class = PageClass::page_2m) {
    const RemoteDone done = this->session->run(remote(base, bytes, is_remote, page_class));
    EXPECT_EQ(done.range, RangeId{7});
    EXPECT_EQ(done.is_remote, is_remote);
    EXPECT_TRUE(done.is_done);
  }
  void release(Address base, Bytes bytes, PageClass page_class = PageClass::page_2m) {
    this->session->submit(RangeReleased{{}, base, bytes, page_class, {}});
  }
  void add_on(ProcessorId where, Address a, std::uint64_t items) {
    ASSERT_TRUE(this->session->launch(where, Add::run, Add{this->words(a), 1, 1}, items));
    EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
    EXPECT_FALSE(this->session->has_fault());
  }
  void wake_host() {
    this->session->submit(this->action(Operation::wake, this->big));
    this->session->next_done();
  }
};

TYPED_TEST_SUITE_P(RemoteContract);

TYPED_TEST_P(RemoteContract, ShowsTheSameBytesToEveryProcessorAndKeepsThem) {
  constexpr std::uint64_t items = (2_MiB).n / 8;
  const Address untouched = this->big + 2_MiB;
  this->fill_at_host(this->big, 100);
  this->expect_done(this->action(Operation::unmap, this->big));
  this->expect_remote(this->big, 4_MiB, true);
  this->add_on(gpu, this->big, items);
  EXPECT_TRUE(this->holds(this->big, 101));
  this->add_on(device_processor(1), this->big, items);
  EXPECT_TRUE(this->holds(this->big, 102));
  this->in_application([&] { this->words(untouched)[5] = 1; });
  this->add_on(gpu, untouched, 6);
  this->expect_remote(this->big, 4_MiB, false);
  EXPECT_TRUE(this->holds(this->big, 102));  // mapped at the host, with no fault
  this->in_application([&] {
    EXPECT_EQ(this->words(untouched)[4], 1u);
    EXPECT_EQ(this->words(untouched)[5], 2u);
    EXPECT_EQ(this->words(untouched)[6], 0u);
  });
  this->expect_done(this->migration(host_processor, gpu, this->big));
  this->add_on(gpu, this->big, items);
  this->expect_done(this->migration(gpu, host_processor, this->big));
  EXPECT_TRUE(this->holds(this->big, 103));
}

TYPED_TEST_P(RemoteContract, DoesNotBringBackWhatTheHostHadBefore) {
  this->fill_at_host(this->big, 1);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  this->expect_done(this->at(gpu, this->action(Operation::discard, this->big)));
  this->expect_remote(this->big, 2_MiB, true);
  this->in_application([&] { EXPECT_EQ(this->words(this->big)[0], 0u); });
}

TYPED_TEST_P(RemoteContract, ResumesWhoWaitedForTheRange) {
  auto touch = std::async(std::launch::async, [&] { return this->words(this->big)[0] = 6; });
  EXPECT_EQ(this->session->next_fault().processor, host_processor);
  ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big) + 1, 1, 5}, 1));
  EXPECT_EQ(this->session->next_fault().processor, gpu);
  this->expect_remote(this->big, 2_MiB, true);
  this->wake_host();
  this->expect_done(this->at(gpu, this->action(Operation::wake, this->big)));
  EXPECT_EQ(touch.get(), 6u);
  EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
  this->in_application([&] { EXPECT_EQ(this->words(this->big)[1], 5u); });
}

TYPED_TEST_P(RemoteContract, LosesNoWriteOnEitherSideWhileItBecomesRemoteAndCeases) {
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
  constexpr int rounds = 40;
  constexpr std::uint64_t adds = 200'000;
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big) + 16, 0, 1}, adds, adds));
    while (!this->session->has_kernel()) {  // it runs while the range is remote, and waits while it is not
      this->expect_done(this->action(Operation::unmap, this->big));
      this->expect_remote(this->big, 2_MiB, true);
      this->wake_host();
      this->expect_done(this->at(gpu, this->action(Operation::wake, this->big)));
      this->expect_remote(this->big, 2_MiB, false);
      this->wake_host();
    }
    EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
  }
  stops.store(true);
  this->wake_host();
  writer.join();
  this->session->drop_faults();
  this->in_application([&] {
    EXPECT_EQ(this->words(this->big)[8], 8 + increments);
    EXPECT_EQ(this->words(this->big)[16], 16 + rounds * adds);
  });
}

TYPED_TEST_P(RemoteContract, ForgetsABufferThatIsFreedAndGivesZerosNext) {
  this->fill_at_host(this->big, 9);
  this->expect_done(this->action(Operation::unmap, this->big));
  this->expect_remote(this->big, 2_MiB, true);
  RemoteAction end = this->remote(this->big, 2_MiB, false);
  end.keeps_bytes = false;
  EXPECT_TRUE(this->session->run(end).is_done);
  this->release(this->big, 2_MiB);
  auto touch = std::async(std::launch::async, [&] { return this->words(this->big)[3]; });
  EXPECT_EQ(this->session->next_fault().processor, host_processor);
  this->expect_done(this->action(Operation::populate, this->big));
  EXPECT_EQ(touch.get(), 0u);
  ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big), 1, 1}, 1));
  EXPECT_EQ(this->session->next_fault().processor, gpu);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
}

// A range's borders must not stay in the page tables: the next range may lie across them.
TYPED_TEST_P(RemoteContract, LeavesNoTraceInsideOfABlockThatAnotherRangeUses) {
  for (const PageClass page_class : {PageClass::page_64k, PageClass::page_4k}) {
    const Bytes granule = granule_bytes(page_class);
    const Bytes block = block_bytes(page_class);
    const Address middle = this->small + granule * 5;
    for (const bool keeps_bytes : {true, false}) {
      this->fill_at_host(middle, 40, granule * 3, page_class, GranuleMask::first(3));
      this->expect_done(this->action(Operation::unmap, middle, page_class, GranuleMask::first(3)));
      this->expect_remote(middle, granule * 3, true, page_class);
      this->add_on(gpu, middle, 16);
      RemoteAction end = this->remote(middle, granule * 3, false, page_class);
      end.keeps_bytes = keeps_bytes;
      EXPECT_TRUE(this->session->run(end).is_done);
      this->release(middle, granule * 3, page_class);
      const GranuleMask all = GranuleMask::first(32);
      this->fill_at_host(this->small, 0, block, page_class, all);
      this->expect_done(this->migration(host_processor, gpu, this->small, page_class, all));
      this->add_on(gpu, this->small, block.n / 8);
      this->expect_done(this->migration(gpu, host_processor, this->small, page_class, all));
      EXPECT_TRUE(this->holds(this->small, 1, block));
      this->release(this->small, block, page_class);
    }
  }
}

TYPED_TEST_P(RemoteContract, IsThereInADeviceThatStartsAnew) {
  this->fill_at_host(this->big, 20);
  this->expect_done(this->action(Operation::unmap, this->big));
  this->expect_remote(this->big, 2_MiB, true);
  ASSERT_TRUE(this->device->reset(gpu));
  this->add_on(gpu, this->big, (2_MiB).n / 8);
  this->add_on(device_processor(1), this->big, (2_MiB).n / 8);
  EXPECT_TRUE(this->holds(this->big, 22));
  this->session->submit(this->remote(this->big, 2_MiB, false));  // and while a change is under way
  ASSERT_TRUE(this->device->reset(gpu));
  ASSERT_TRUE(this->session->launch(gpu, Add::run, Add{this->words(this->big), 1, 1}, 1));
  EXPECT_EQ(this->session->next_fault().processor, gpu);
  this->expect_done(this->migration(host_processor, gpu, this->big));
  EXPECT_EQ(this->session->next_kernel().result, UMRT_SUCCESS);
}

REGISTER_TYPED_TEST_SUITE_P(RemoteContract, ShowsTheSameBytesToEveryProcessorAndKeepsThem,
                            DoesNotBringBackWhatTheHostHadBefore, ResumesWhoWaitedForTheRange,
                            LosesNoWriteOnEitherSideWhileItBecomesRemoteAndCeases,
                            ForgetsABufferThatIsFreedAndGivesZerosNext, LeavesNoTraceInsideOfABlockThatAnotherRangeUses,
                            IsThereInADeviceThatStartsAnew);

}  // namespace umrt::test
