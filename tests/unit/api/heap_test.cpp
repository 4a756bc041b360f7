// SPDX-License-Identifier: Apache-2.0
#include "api/heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;
using test::offset_by;
using testing::HasSubstr;

AllocationRequest named(Bytes bytes, std::string_view name) {
  return {.bytes = bytes, .page_class = {}, .hints = {}, .name = name};
}

TEST(Heap, APageClassFollowsFromTheSize) {
  HeapFixture f;
  const auto class_of = [&](Bytes bytes) { return f.heap->find(f.allocate(bytes))->page_class; };
  EXPECT_EQ(class_of(4_KiB), PageClass::page_4k);
  EXPECT_EQ(class_of(64_KiB - 1_B), PageClass::page_4k);
  EXPECT_EQ(class_of(64_KiB), PageClass::page_64k);
  EXPECT_EQ(class_of(2_MiB - 1_B), PageClass::page_64k);
  EXPECT_EQ(class_of(2_MiB), PageClass::page_2m);
}

TEST(Heap, PointersAreAlignedAsTheHeaderPromises) {
  HeapFixture f;
  const auto misalignment = [&](Bytes bytes, Bytes unit) {
    return reinterpret_cast<std::uintptr_t>(f.allocate(bytes)) % unit.n;
  };
  for (std::uint64_t bytes = 1; bytes < 8192; bytes += 97) EXPECT_EQ(misalignment({bytes}, 256_B), 0u);
  EXPECT_EQ(misalignment(65_KiB, 64_KiB), 0u);
  EXPECT_EQ(misalignment(3_MiB, 2_MiB), 0u);
}

TEST(Heap, APageClassThatIsAskedForIsGiven) {
  HeapFixture f;
  const auto pointer = f.heap->allocate({.bytes = 5_MiB, .page_class = PageClass::page_4k, .hints = {}, .name = {}});
  const auto facts = f.heap->find(offset_by(*pointer, 5 << 20) - 1);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->page_class, PageClass::page_4k);
  EXPECT_EQ(facts->range_bytes, 5_MiB);
  EXPECT_LT(facts->base.n, f.arena.huge_begin.n);
}

TEST(Heap, APointerAnywhereInAnAllocationFindsItAndNoOther) {
  HeapFixture f;
  void* const range = f.allocate(100_KiB);
  EXPECT_EQ(f.heap->find(range)->bytes, 100_KiB);
  EXPECT_EQ(f.heap->find(offset_by(range, 102399))->base, f.heap->find(range)->base);
  EXPECT_FALSE(f.heap->find(offset_by(range, 102400)));
  EXPECT_FALSE(f.heap->find(offset_by(range, -1)));
  EXPECT_FALSE(f.heap->find(&f));
  EXPECT_FALSE(f.heap->find(nullptr));
  ASSERT_TRUE(f.heap->free(range));
  EXPECT_FALSE(f.heap->find(range));
}

TEST(Heap, ASizeOfZeroOrBeyondTheArenaIsRefusedByName) {
  HeapFixture f;
  EXPECT_EQ(f.heap->allocate(named(0_B, "")).error().code, UMRT_ERROR_INVALID_VALUE);
  for (const Bytes bytes : {Bytes{~0ull}, Bytes{~0ull - 4096}, Bytes{1ull << 63}, 1_TiB}) {
    const auto refused = f.heap->allocate(named(bytes, ""));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, UMRT_ERROR_SIZE_OVERFLOW);
    EXPECT_THAT(refused.error().detail, HasSubstr(std::to_string(bytes.n)));
  }
  EXPECT_EQ(f.backend.created, 0);
}

TEST(Heap, OutOfAddressesSaysHowMuchIsLeftAndAFreeCuresIt) {
  HeapFixture f{64_MiB, 32_MiB};
  void* const all = f.allocate(32_MiB);
  const auto refused = f.heap->allocate(named(2_MiB, ""));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, UMRT_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(refused.error().detail, HasSubstr("largest free run has 0"));
  ASSERT_TRUE(f.heap->free(all));
  EXPECT_TRUE(f.heap->allocate(named(2_MiB, "")));
}

TEST(Heap, ABackendThatRefusesLeavesNothingBehind) {
  HeapFixture f;
  f.backend.create_failures = 1;
  f.backend.create_failure = UMRT_ERROR_SYSTEM;
  EXPECT_EQ(f.heap->allocate(named(4_MiB, "a")).error().code, UMRT_ERROR_SYSTEM);
  EXPECT_EQ(f.heap->statistics().huge_zone.used, 0_B);
  EXPECT_TRUE(f.heap->leaks().empty());
  void* const next = *f.heap->allocate(named(4_MiB, "b"));
  EXPECT_EQ(f.backend.ranges().at(0).facts.range, RangeId{0});  // the id is used again
  EXPECT_EQ(f.code_of_free(next), UMRT_SUCCESS);
}

TEST(Heap, ARangeThatCannotBeReleasedIsNeverHandedOutAgain) {
  HeapFixture f;
  void* const lost = *f.heap->allocate(named(4_MiB, "lost"));
  f.backend.release_failures = 1;
  EXPECT_EQ(f.code_of_free(lost), UMRT_ERROR_UNKNOWN);
  EXPECT_EQ(f.code_of_free(lost), UMRT_ERROR_DOUBLE_FREE);
  for (int i = 0; i < 50; ++i) EXPECT_NE(*f.heap->allocate(named(4_MiB, "next")), lost);
}

TEST(Heap, AFreeWaitsForPendingWorkBeforeTheRangeCanBeUsedAgain) {
  HeapFixture f;
  for (const Bytes bytes : {100_B, 64_KiB, 4_MiB}) {
    void* const pointer = f.allocate(bytes);
    f.backend.pending = true;
    f.backend.waits = 0;
    f.backend.on_wait = [&] { EXPECT_NE(f.allocate(bytes), pointer); };
    ASSERT_TRUE(f.heap->free(pointer));
    EXPECT_EQ(f.backend.waits, 1);
  }
}

TEST(Heap, AFreeWithoutPendingWorkDoesNotWait) {
  HeapFixture f;
  ASSERT_TRUE(f.heap->free(f.allocate(64_KiB)));
  EXPECT_EQ(f.backend.waits, 0);
}

TEST(Heap, HintsAndNameReachTheBackend) {
  HeapFixture f;
  const Hints hints{.accessed_by = 2, .is_read_mostly = true};
  ASSERT_TRUE(f.heap->allocate({.bytes = 5000_B, .page_class = {}, .hints = hints, .name = "edges", .call_site = &f}));
  const auto range = f.backend.ranges().at(0);
  EXPECT_EQ(range.name, "edges");
  EXPECT_EQ(range.facts.hints, hints);
  EXPECT_EQ(range.facts.asked, 5000_B);
  EXPECT_EQ(range.facts.bytes, 8_KiB);
  EXPECT_EQ(range.facts.call_site, &f);
  const auto facts = f.heap->range_facts(range.facts.range);
  EXPECT_EQ(facts->name, "edges");
  EXPECT_EQ(facts->hints, hints);
}

TEST(Heap, AdviceIsRememberedForTheLeakList) {
  HeapFixture f;
  void* const pointer = f.allocate(3_MiB);
  f.heap->set_hints(f.heap->find(pointer)->range, {.is_discardable = true});
  EXPECT_TRUE(f.heap->leaks().at(0).hints.is_discardable);
}

TEST(Heap, FreedAddressesAreMergedAndUsedAgain) {
  HeapFixture f{1_GiB, 256_MiB};
  std::vector<void*> pointers;
  for (int i = 0; i < 192; ++i) pointers.push_back(f.allocate(4_MiB));
  EXPECT_FALSE(f.heap->allocate(named(2_MiB, "")));
  for (void* const pointer : pointers) ASSERT_TRUE(f.heap->free(pointer));
  f.heap->check_invariants();
  EXPECT_TRUE(f.heap->allocate(named(768_MiB, "")));
}

TEST(Heap, AnArenaOfOneTebibyteTakesARangeOfMostOfIt) {
  HeapFixture f{1_TiB, 64_GiB};
  void* const pointer = f.allocate(900_GiB);
  EXPECT_EQ(f.heap->find(offset_by(pointer, 850ll << 30))->bytes, 900_GiB);
  EXPECT_EQ(f.code_of_free(offset_by(pointer, 850ll << 30)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(f.code_of_free(pointer), UMRT_SUCCESS);
  EXPECT_FALSE(f.heap->find(offset_by(pointer, 850ll << 30)));
}

}  // namespace
}  // namespace umrt
