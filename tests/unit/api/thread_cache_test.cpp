// SPDX-License-Identifier: Apache-2.0
#include "api/thread_cache.h"

#include <gtest/gtest.h>

#include <barrier>
#include <random>
#include <thread>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;

TEST(ThreadCache, EverySizeUpToItsMaximumHasAMagazineOfItsOwn) {
  std::uint32_t next = 0;
  for (Bytes bytes = 4_KiB; bytes <= 64_KiB; bytes += 4_KiB) {
    EXPECT_EQ(ThreadCache::magazine_of(PageClass::page_4k, bytes), next++);
  }
  for (Bytes bytes = 64_KiB; bytes <= ThreadCache::range_max; bytes += 64_KiB) {
    EXPECT_EQ(ThreadCache::magazine_of(PageClass::page_64k, bytes), next++);
  }
  EXPECT_FALSE(ThreadCache::magazine_of(PageClass::page_4k, 68_KiB));
  EXPECT_FALSE(ThreadCache::magazine_of(PageClass::page_64k, ThreadCache::range_max + 64_KiB));
  EXPECT_FALSE(ThreadCache::magazine_of(PageClass::page_2m, 2_MiB));
}

TEST(ThreadCache, RangesOfOneLengthButTwoPageClassesAreNotMixedUp) {
  HeapFixture f;
  ASSERT_TRUE(f.heap->free(f.allocate(61_KiB)));  // 16 granules of 4 KiB
  EXPECT_EQ(f.heap->find(f.allocate(64_KiB))->page_class, PageClass::page_64k);
  EXPECT_EQ(f.heap->find(f.allocate(62_KiB))->page_class, PageClass::page_4k);
  EXPECT_EQ(f.backend.created, 2);
}

TEST(ThreadCache, AFreedRangeIsUsedAgainWithoutTheBackend) {
  HeapFixture f;
  void* const first = f.allocate(64_KiB);
  ASSERT_TRUE(f.heap->free(first));
  EXPECT_EQ(f.allocate(64_KiB), first);
  EXPECT_EQ(f.backend.created, 1);
  EXPECT_EQ(f.backend.released, 0);
  EXPECT_EQ(f.backend.renames, 0);
}

TEST(ThreadCache, ARangeUsedAgainHasTheNewCallSiteAndSize) {
  HeapFixture f;
  const int site[2] = {};
  ASSERT_TRUE(f.heap->free(f.allocate(64_KiB, &site[0])));
  void* const again = f.allocate(64_KiB - 3_KiB, &site[0]);  // another magazine
  EXPECT_EQ(f.backend.renames, 0);
  void* const renamed = f.allocate(64_KiB, &site[1]);
  EXPECT_NE(again, renamed);
  EXPECT_EQ(f.backend.renames, 1);
  EXPECT_EQ(f.heap->find(renamed)->call_site, &site[1]);
  ASSERT_TRUE(f.heap->free(renamed));
  void* const resized = f.allocate(65_KiB, &site[1]);
  ASSERT_TRUE(f.heap->free(resized));
  EXPECT_EQ(f.heap->find(f.allocate(127_KiB, &site[1]))->bytes, 127_KiB);
  EXPECT_EQ(f.backend.renames, 2);
}

TEST(ThreadCache, ARangeWithHintsNameOrAdviceIsNotKept) {
  HeapFixture f;
  const auto free_counts_as_release = [&](void* pointer) {
    const int before = f.backend.released;
    EXPECT_TRUE(f.heap->free(pointer));
    return f.backend.released == before + 1;
  };
  EXPECT_TRUE(free_counts_as_release(
      *f.heap->allocate({.bytes = 64_KiB, .page_class = {}, .hints = {.is_discardable = true}, .name = {}})));
  EXPECT_TRUE(free_counts_as_release(*f.heap->allocate({.bytes = 64_KiB, .page_class = {}, .hints = {}, .name = "a"})));
  EXPECT_TRUE(free_counts_as_release(
      *f.heap->allocate({.bytes = 64_KiB, .page_class = PageClass::page_4k, .hints = {}, .name = {}})));
  void* const advised = f.allocate(64_KiB);
  f.heap->set_hints(f.heap->find(advised)->range, {.is_read_mostly = true});
  EXPECT_TRUE(free_counts_as_release(advised));
}

TEST(ThreadCache, ACachedRangeIsNeitherLiveNorALeak) {
  HeapFixture f;
  void* const pointer = f.allocate(64_KiB);
  const RangeId range = f.heap->find(pointer)->range;
  ASSERT_TRUE(f.heap->range_facts(range));
  ASSERT_TRUE(f.heap->free(pointer));
  EXPECT_FALSE(f.heap->find(pointer));
  EXPECT_FALSE(f.heap->range_facts(range));
  EXPECT_TRUE(f.heap->leaks().empty());
  EXPECT_EQ(f.heap->statistics().cached, 64_KiB);
}

TEST(ThreadCache, WhatItHoldsIsBounded) {
  HeapFixture f;
  std::vector<void*> pointers;
  for (int i = 0; i < 100; ++i) {
    for (const Bytes bytes : {4_KiB, 64_KiB, 512_KiB, 1_MiB}) pointers.push_back(f.allocate(bytes));
  }
  for (void* const pointer : pointers) ASSERT_TRUE(f.heap->free(pointer));
  EXPECT_LE(f.heap->statistics().cached, ThreadCache::held_max);
  EXPECT_GE(f.backend.released, 400 - 4 * 16);
}

TEST(ThreadCache, AThreadThatEndsGivesBackAllOfIt) {
  HeapFixture f;
  std::thread{[&] {
    ASSERT_TRUE(f.heap->free(f.allocate(64_KiB)));
    ASSERT_TRUE(f.heap->free(f.allocate(64_B)));
    EXPECT_EQ(f.backend.released, 0);
  }}.join();
  EXPECT_EQ(f.heap->statistics().cached, 0_B);
  EXPECT_EQ(f.backend.released, 1);
  EXPECT_EQ(f.backend.range_count(), 1u);  // the empty range of small allocations that is kept for the next
}

TEST(ThreadCache, OutOfAddressesFlushesTheCachesOfAllThreads) {
  HeapFixture f{64_MiB, 2_MiB};
  std::vector<void*> pointers;
  for (int i = 0; i < 32; ++i) pointers.push_back(f.allocate(64_KiB));
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(f.heap->free(pointers[static_cast<std::size_t>(i)]));
  std::barrier meet{2};
  std::thread other{[&] {
    for (int i = 16; i < 32; ++i) ASSERT_TRUE(f.heap->free(pointers[static_cast<std::size_t>(i)]));
    meet.arrive_and_wait();
    meet.arrive_and_wait();  // alive, with a full cache, while the zone runs out
  }};
  meet.arrive_and_wait();
  EXPECT_EQ(f.heap->statistics().cached, 2_MiB);
  EXPECT_TRUE(f.heap->allocate({.bytes = 1984_KiB, .page_class = {}, .hints = {}, .name = {}}));
  meet.arrive_and_wait();
  other.join();
}

TEST(ThreadCache, ABackendOutOfMemoryFlushesTheCachesAndIsAskedAgain) {
  HeapFixture f;
  ASSERT_TRUE(f.heap->free(f.allocate(64_KiB)));
  f.backend.create_failures = 1;
  EXPECT_TRUE(f.heap->allocate({.bytes = 4_MiB, .page_class = {}, .hints = {}, .name = {}}));
  EXPECT_EQ(f.backend.released, 1);
}

TEST(ThreadCache, AHeapThatEndsBeforeItsThreadsIsNotMissed) {
  std::barrier meet{2};
  auto f = std::make_unique<HeapFixture>();
  std::thread other{[&] {
    ASSERT_TRUE(f->heap->free(f->allocate(64_KiB)));
    meet.arrive_and_wait();
    meet.arrive_and_wait();
    HeapFixture next;  // the thread's cache is of the heap that it calls
    EXPECT_EQ(next.backend.created, 0);
    next.allocate(64_KiB);
    EXPECT_EQ(next.backend.created, 1);
  }};
  meet.arrive_and_wait();
  f.reset();
  meet.arrive_and_wait();
  other.join();
}

TEST(ThreadCache, AThreadThatTurnsBetweenTwoHeapsKeepsBothCaches) {
  HeapFixture first;
  HeapFixture second;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(first.heap->free(first.allocate(64_KiB)));
    ASSERT_TRUE(second.heap->free(second.allocate(64_KiB)));
  }
  EXPECT_EQ(first.backend.created, 1);
  EXPECT_EQ(second.backend.created, 1);
}

TEST(ThreadCache, ThreadsThatMixAllSizesAndFreeForEachOtherLoseNothing) {
  constexpr unsigned threads = 4;
  HeapFixture f;
  std::mutex mutex;
  std::vector<void*> shared;
  const auto work = [&](unsigned seed) {
    std::mt19937 random{seed};
    for (int i = 0; i < 3000; ++i) {
      void* const mine = f.allocate({1ull << (random() % 22)});
      void* theirs = nullptr;
      {
        const std::lock_guard held{mutex};
        shared.push_back(mine);
        if (shared.size() > 64) {
          std::swap(shared[random() % shared.size()], shared.back());
          theirs = shared.back();
          shared.pop_back();
        }
      }
      EXPECT_EQ(f.heap->find(theirs).has_value(), theirs != nullptr);
      EXPECT_EQ(f.code_of_free(theirs), UMRT_SUCCESS);
      if (i % 500 == 0) f.heap->flush_caches();
      EXPECT_LE(f.heap->statistics().cached, ThreadCache::held_max * threads);
    }
  };
  std::vector<std::thread> running;
  for (unsigned seed = 1; seed <= threads; ++seed) running.emplace_back(work, seed);
  for (std::thread& thread : running) thread.join();
  for (void* const pointer : shared) EXPECT_EQ(f.code_of_free(pointer), UMRT_SUCCESS);
  EXPECT_TRUE(f.heap->leaks().empty());
  f.heap->flush_caches();
  f.heap->check_invariants();
  EXPECT_EQ(f.heap->statistics().huge_zone.used, 0_B);
  EXPECT_LE(f.backend.range_count(), small_sizes);  // one empty range a size is kept
}

}  // namespace
}  // namespace umrt
