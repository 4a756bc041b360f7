// SPDX-License-Identifier: Apache-2.0
#include "core/chunk_allocator.h"

#include <gtest/gtest.h>

#include <set>

namespace umrt {
namespace {

umrt_result code_of(const Status& status) { return status ? UMRT_SUCCESS : status.error().code; }

ChunkAllocator grown(Bytes span) {
  ChunkAllocator chunks{span};
  chunks.grow(span);
  return chunks;
}

TEST(UnitMap, LongestRunIsExactFromNoneToAll) {
  EXPECT_EQ(longest_run(0), 0u);
  for (std::uint32_t length = 1; length <= 31; ++length)
    EXPECT_EQ(longest_run(((1u << length) - 1) << (32 - length)), length);
  EXPECT_EQ(longest_run(~0u), 32u);
  EXPECT_EQ(longest_run(0b1110110111u), 3u);
}

TEST(ChunkAllocator, NothingIsFreeBeforeGrowth) {
  ChunkAllocator chunks{8_MiB};
  EXPECT_FALSE(chunks.allocate(PageClass::page_4k));
  EXPECT_EQ(chunks.growth_for(3_MiB), 4_MiB);
  EXPECT_EQ(chunks.grow(1_B), 2_MiB);
  EXPECT_TRUE(chunks.allocate(PageClass::page_2m));
  EXPECT_EQ(chunks.grow(1_TiB), 6_MiB);
  EXPECT_EQ(chunks.grow(1_B), 0_B);
}

TEST(ChunkAllocator, GrowthCountsWhatIsFreeAtTheEnd) {
  ChunkAllocator chunks{8_MiB};
  chunks.grow(4_MiB);
  ASSERT_TRUE(chunks.allocate(PageClass::page_2m));
  EXPECT_EQ(chunks.growth_for(4_MiB), 2_MiB);
  EXPECT_EQ(chunks.growth_for(8_MiB), std::nullopt);
  EXPECT_EQ(chunks.growth_for({~0ull}), std::nullopt);
}

TEST(ChunkAllocator, ASlabIsSplitIntoItsChunksAndMergedAgain) {
  ChunkAllocator chunks = grown(2_MiB);
  std::set<std::uint64_t> offsets;
  for (int i = 0; i < 512; ++i) {
    const auto chunk = chunks.allocate(PageClass::page_4k);
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->n % 4096, 0u);
    offsets.insert(chunk->n);
  }
  EXPECT_EQ(offsets.size(), 512u);
  EXPECT_FALSE(chunks.allocate(PageClass::page_4k));
  EXPECT_EQ(chunks.statistics().free_run_max, 0_B);
  for (const std::uint64_t offset : offsets) ASSERT_TRUE(chunks.free({offset}, PageClass::page_4k));
  chunks.check_invariants();
  EXPECT_TRUE(chunks.allocate(PageClass::page_2m));
}

TEST(ChunkAllocator, SmallChunksFillASplitSlabBeforeAnotherIsSplit) {
  ChunkAllocator chunks = grown(4_MiB);
  ASSERT_TRUE(chunks.allocate(PageClass::page_64k));
  ASSERT_TRUE(chunks.allocate(PageClass::page_4k));
  EXPECT_EQ(chunks.statistics().free_run_max, 2_MiB);
  EXPECT_TRUE(chunks.allocate(PageClass::page_2m));
}

TEST(ChunkAllocator, RunsAreAlignedByTheirSize) {
  ChunkAllocator chunks = grown(64_MiB);
  ASSERT_TRUE(chunks.allocate(PageClass::page_4k));
  EXPECT_EQ(chunks.allocate_run(100_KiB)->n % (64_KiB).n, 0u);
  EXPECT_EQ(chunks.allocate_run(2_MiB - 1_B)->n % (2_MiB).n, 0u);
  EXPECT_EQ(chunks.allocate_run(5_MiB)->n % (2_MiB).n, 0u);
  chunks.check_invariants();
}

TEST(ChunkAllocator, MisuseIsAnErrorByNameAndChangesNothing) {
  ChunkAllocator chunks = grown(16_MiB);
  const Bytes unit = *chunks.allocate(PageClass::page_4k);
  const Bytes pieces = *chunks.allocate_run(192_KiB);
  const Bytes next_piece = *chunks.allocate(PageClass::page_64k);
  const Bytes slabs = *chunks.allocate_run(6_MiB);
  const Bytes used = chunks.statistics().used;

  EXPECT_EQ(code_of(chunks.free(unit, PageClass::page_64k)), UMRT_ERROR_INVALID_VALUE);
  EXPECT_EQ(code_of(chunks.free(pieces, PageClass::page_64k)), UMRT_ERROR_INVALID_VALUE);
  EXPECT_EQ(code_of(chunks.free_run(pieces, 256_KiB)), UMRT_ERROR_INVALID_VALUE);
  EXPECT_EQ(code_of(chunks.free_run(slabs, {~0ull})), UMRT_ERROR_INVALID_VALUE);
  EXPECT_EQ(code_of(chunks.free_run(slabs, 0_B)), UMRT_ERROR_INVALID_VALUE);
  EXPECT_EQ(code_of(chunks.free(slabs + 2_MiB, PageClass::page_2m)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(code_of(chunks.free(pieces + 64_KiB, PageClass::page_64k)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(code_of(chunks.free(pieces + 4_KiB, PageClass::page_4k)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(code_of(chunks.free(unit + 1_B, PageClass::page_4k)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(code_of(chunks.free(16_MiB, PageClass::page_2m)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(code_of(chunks.free({~0ull}, PageClass::page_2m)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(chunks.statistics().used, used);
  chunks.check_invariants();

  EXPECT_TRUE(chunks.free(unit, PageClass::page_4k));
  EXPECT_TRUE(chunks.free_run(pieces, 192_KiB));
  EXPECT_TRUE(chunks.free_run(slabs, 5_MiB));  // rounds up to the same chunks
  EXPECT_EQ(code_of(chunks.free(unit, PageClass::page_4k)), UMRT_ERROR_DOUBLE_FREE);
  EXPECT_EQ(code_of(chunks.free_run(pieces, 192_KiB)), UMRT_ERROR_DOUBLE_FREE);
  EXPECT_EQ(code_of(chunks.free_run(slabs, 6_MiB)), UMRT_ERROR_DOUBLE_FREE);
  EXPECT_EQ(chunks.statistics().used, 64_KiB);
  EXPECT_TRUE(chunks.free(next_piece, PageClass::page_64k));
  EXPECT_EQ(chunks.statistics().free_run_max, 16_MiB);
}

TEST(ChunkAllocator, FragmentationIsTheShareOfFreeBytesOutsideOfTheLargestRun) {
  ChunkAllocator chunks = grown(8_MiB);
  std::array<Bytes, 4> slabs;
  for (Bytes& slab : slabs) slab = *chunks.allocate(PageClass::page_2m);
  EXPECT_EQ(chunks.statistics().fragmentation_permille, 0u);
  ASSERT_TRUE(chunks.free(slabs[0], PageClass::page_2m));
  ASSERT_TRUE(chunks.free(slabs[2], PageClass::page_2m));
  EXPECT_EQ(chunks.statistics().fragmentation_permille, 500u);
  ASSERT_TRUE(chunks.free(slabs[1], PageClass::page_2m));
  EXPECT_EQ(chunks.statistics().fragmentation_permille, 0u);
}

TEST(ChunkAllocator, AnArenaOfOneTebibyteServesRunsOfHundredsOfGibibytes) {
  ChunkAllocator chunks = grown(1_TiB);
  const Bytes first = *chunks.allocate_run(600_GiB);
  EXPECT_FALSE(chunks.allocate_run(600_GiB));
  const Bytes second = *chunks.allocate_run(424_GiB);
  EXPECT_FALSE(chunks.allocate(PageClass::page_4k));
  ASSERT_TRUE(chunks.free_run(first, 600_GiB));
  EXPECT_EQ(chunks.statistics().free_run_max, 600_GiB);
  ASSERT_TRUE(chunks.free_run(second, 424_GiB));
  EXPECT_EQ(chunks.statistics().free_run_max, 1_TiB);
  EXPECT_EQ(code_of(chunks.free_run(second, 424_GiB)), UMRT_ERROR_DOUBLE_FREE);
}

TEST(ChunkAllocator, ARunThatFitsExactlyIsFoundBehindShorterRunsOfItsList) {
  ChunkAllocator chunks = grown(2_MiB * 600);
  const Bytes wanted = *chunks.allocate_run(2_MiB * 39);  // 32 to 39 slabs share a list
  ASSERT_TRUE(chunks.allocate(PageClass::page_2m));
  std::vector<Bytes> shorter;
  for (int i = 0; i < 12; ++i) {
    shorter.push_back(*chunks.allocate_run(2_MiB * 32));
    ASSERT_TRUE(chunks.allocate(PageClass::page_2m));
  }
  while (chunks.allocate(PageClass::page_2m)) continue;
  ASSERT_TRUE(chunks.free_run(wanted, 2_MiB * 39));
  for (const Bytes run : shorter) ASSERT_TRUE(chunks.free_run(run, 2_MiB * 32));
  EXPECT_EQ(chunks.allocate_run(2_MiB * 39), wanted);
}

}  // namespace
}  // namespace umrt
