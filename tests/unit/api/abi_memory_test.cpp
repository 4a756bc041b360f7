// SPDX-License-Identifier: Apache-2.0
// The C interface: allocation, hints, advice and queries, each with its documented errors.
#include <limits>

#include "support/runtime_fixture.h"

namespace umrt::test {
namespace {

using AbiMemory = RuntimeTest;

constexpr umrt_location none{UMRT_LOCATION_NONE, 0};
constexpr umrt_location on_host{UMRT_LOCATION_HOST, 0};
constexpr umrt_location device(std::int32_t id) { return {UMRT_LOCATION_DEVICE, id}; }

TEST_F(AbiMemory, IsZeroedAndAlignedByItsSize) {
  struct Case {
    std::size_t bytes, alignment;
  };
  for (const auto [bytes, alignment] :
       {Case{1, 256}, {4096, 256}, {65536, 65536}, {2 * mib, 2 * mib}, {5 * mib, 2 * mib}}) {
    void* pointer = nullptr;
    ASSERT_TRUE(succeeds(umrt_malloc(&pointer, bytes)));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % alignment, 0u) << bytes;
    auto* chars = static_cast<char*>(pointer);
    EXPECT_EQ(chars[0], 0);
    EXPECT_EQ(chars[bytes - 1], 0);
    chars[bytes - 1] = 7;
    EXPECT_EQ(chars[bytes - 1], 7);
    EXPECT_TRUE(succeeds(umrt_free(pointer)));
  }
}

TEST_F(AbiMemory, RefusesSizesByName) {
  int on_stack = 0;
  void* pointer = &on_stack;
  EXPECT_TRUE(fails(umrt_malloc(nullptr, 8), UMRT_ERROR_INVALID_VALUE, {"pointer"}));
  EXPECT_TRUE(fails(umrt_malloc(&pointer, 0), UMRT_ERROR_INVALID_VALUE, {"bytes", "0"}));
  EXPECT_TRUE(fails(umrt_malloc(&pointer, std::numeric_limits<std::size_t>::max()), UMRT_ERROR_SIZE_OVERFLOW,
                    {"18446744073709551615"}));
  EXPECT_TRUE(fails(umrt_malloc(&pointer, arena + 1), UMRT_ERROR_SIZE_OVERFLOW, {std::to_string(arena + 1)}));
  EXPECT_EQ(pointer, &on_stack) << "outputs are written on success alone";
}

TEST_F(AbiMemory, SaysWhenTheArenaIsFullAndGoesOnOnceSomethingIsFreed) {
  std::vector<void*> taken;
  umrt_result result = UMRT_SUCCESS;
  while (result == UMRT_SUCCESS && taken.size() < 64) {
    void* pointer = nullptr;
    result = umrt_malloc(&pointer, std::size_t{1} << 30);
    if (result == UMRT_SUCCESS) taken.push_back(pointer);
  }
  EXPECT_TRUE(fails(result, UMRT_ERROR_OUT_OF_MEMORY, {"1073741824"}));
  ASSERT_FALSE(taken.empty());
  EXPECT_TRUE(succeeds(umrt_free(taken.back())));
  EXPECT_TRUE(succeeds(umrt_malloc(&taken.back(), std::size_t{1} << 30)));
  for (void* pointer : taken) EXPECT_TRUE(succeeds(umrt_free(pointer)));
}

TEST_F(AbiMemory, RefusesHintsByName) {
  int on_stack = 0;
  void* pointer = &on_stack;
  umrt_hints hints;
  const auto fails_with = [&](umrt_result code, std::initializer_list<std::string_view> words) {
    return fails(umrt_malloc_hinted(&pointer, 4096, &hints), code, words);
  };
  umrt_hints_init(&hints);
  EXPECT_EQ(hints.version, std::uint32_t{UMRT_HINTS_VERSION});
  hints.version = 99;
  EXPECT_TRUE(fails_with(UMRT_ERROR_INVALID_VALUE, {"version", "99"}));
  umrt_hints_init(&hints);
  hints.page_class = static_cast<umrt_page_class>(12345);
  EXPECT_TRUE(fails_with(UMRT_ERROR_INVALID_VALUE, {"page_class", "12345"}));
  umrt_hints_init(&hints);
  hints.pattern = static_cast<umrt_access_pattern>(17);
  EXPECT_TRUE(fails_with(UMRT_ERROR_INVALID_VALUE, {"pattern", "17"}));
  umrt_hints_init(&hints);
  hints.preferred = {static_cast<umrt_location_type>(9), 0};
  EXPECT_TRUE(fails_with(UMRT_ERROR_INVALID_VALUE, {"preferred", "9"}));
  umrt_hints_init(&hints);
  hints.preferred = device(5);
  EXPECT_TRUE(fails_with(UMRT_ERROR_INVALID_DEVICE, {"preferred", "5"}));
  hints.preferred = device(-1);
  EXPECT_TRUE(fails_with(UMRT_ERROR_INVALID_DEVICE, {"preferred", "-1"}));
  umrt_hints_init(&hints);
  hints.accessed_by_devices = 1u << 5;
  EXPECT_TRUE(fails_with(UMRT_ERROR_INVALID_DEVICE, {"accessed_by"}));
  EXPECT_TRUE(fails(umrt_malloc_hinted(nullptr, 4096, &hints), UMRT_ERROR_INVALID_VALUE, {"pointer"}));
  EXPECT_EQ(pointer, &on_stack) << "outputs are written on success alone";
}

TEST_F(AbiMemory, TakesEveryHint) {
  for (const auto page_class : {UMRT_PAGE_CLASS_AUTO, UMRT_PAGE_CLASS_4K, UMRT_PAGE_CLASS_64K, UMRT_PAGE_CLASS_2M}) {
    for (const auto pattern :
         {UMRT_PATTERN_UNKNOWN, UMRT_PATTERN_SEQUENTIAL, UMRT_PATTERN_RANDOM, UMRT_PATTERN_STREAMING}) {
      umrt_hints hints;
      umrt_hints_init(&hints);
      hints.page_class = page_class;
      hints.pattern = pattern;
      hints.preferred = on_host;
      hints.read_mostly = 1;
      hints.discardable = 1;
      void* pointer = nullptr;
      ASSERT_TRUE(succeeds(umrt_malloc_hinted(&pointer, 3 * mib, &hints)));
      umrt_pointer_info info;
      EXPECT_TRUE(succeeds(umrt_pointer_get_info(pointer, &info)));
      EXPECT_EQ(info.page_class, page_class == UMRT_PAGE_CLASS_AUTO ? UMRT_PAGE_CLASS_2M : page_class);
      *static_cast<int*>(pointer) = 1;
      EXPECT_TRUE(succeeds(umrt_free(pointer)));
    }
  }
}

TEST_F(AbiMemory, NamesWhatIsWrongWithAFree) {
  EXPECT_TRUE(succeeds(umrt_free(nullptr)));
  int on_stack = 0;
  EXPECT_TRUE(fails(umrt_free(&on_stack), UMRT_ERROR_FOREIGN_POINTER));
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}, std::size_t{65536}, 4 * mib}) {
    void* pointer = nullptr;
    ASSERT_TRUE(succeeds(umrt_malloc(&pointer, bytes)));
    EXPECT_TRUE(fails(umrt_free(static_cast<char*>(pointer) + 1), UMRT_ERROR_FOREIGN_POINTER)) << bytes;
    EXPECT_TRUE(fails(umrt_free(static_cast<char*>(pointer) + bytes / 2), UMRT_ERROR_FOREIGN_POINTER)) << bytes;
    EXPECT_TRUE(succeeds(umrt_free(pointer)));
    EXPECT_TRUE(fails(umrt_free(pointer), UMRT_ERROR_DOUBLE_FREE)) << bytes;
  }
}

TEST_F(AbiMemory, RefusesAdviceByName) {
  char* pointer = allocate<char>(4 * mib);
  int on_stack = 0;
  EXPECT_TRUE(fails(umrt_advise(pointer, 0, UMRT_ADVISE_RANDOM, none), UMRT_ERROR_INVALID_VALUE, {"bytes"}));
  EXPECT_TRUE(
      fails(umrt_advise(pointer, 1, static_cast<umrt_advice>(50), none), UMRT_ERROR_INVALID_VALUE, {"advice", "50"}));
  EXPECT_TRUE(fails(umrt_advise(pointer, 4 * mib + 1, UMRT_ADVISE_RANDOM, none), UMRT_ERROR_INVALID_VALUE,
                    {std::to_string(4 * mib + 1)}));
  EXPECT_TRUE(fails(umrt_advise(pointer + mib, std::numeric_limits<std::size_t>::max(), UMRT_ADVISE_RANDOM, none),
                    UMRT_ERROR_INVALID_VALUE));
  EXPECT_TRUE(fails(umrt_advise(&on_stack, 4, UMRT_ADVISE_RANDOM, none), UMRT_ERROR_FOREIGN_POINTER));
  EXPECT_TRUE(fails(umrt_advise(nullptr, 4, UMRT_ADVISE_RANDOM, none), UMRT_ERROR_FOREIGN_POINTER));
  for (const auto advice :
       {UMRT_ADVISE_SET_PREFERRED_LOCATION, UMRT_ADVISE_SET_ACCESSED_BY, UMRT_ADVISE_UNSET_ACCESSED_BY}) {
    EXPECT_TRUE(fails(umrt_advise(pointer, mib, advice, device(7)), UMRT_ERROR_INVALID_DEVICE, {"7"})) << advice;
    EXPECT_TRUE(fails(umrt_advise(pointer, mib, advice, {static_cast<umrt_location_type>(42), 0}),
                      UMRT_ERROR_INVALID_VALUE, {"42"}))
        << advice;
  }
  EXPECT_TRUE(succeeds(umrt_free(pointer)));
  EXPECT_TRUE(fails(umrt_advise(pointer, 1, UMRT_ADVISE_RANDOM, none), UMRT_ERROR_FOREIGN_POINTER));
}

TEST_F(AbiMemory, TakesEveryAdviceAndKeepsTheBytes) {
  const std::size_t count = 4 * mib / sizeof(std::uint64_t);
  std::uint64_t* words = allocate(count);
  for (const auto advice :
       {UMRT_ADVISE_SET_READ_MOSTLY, UMRT_ADVISE_UNSET_READ_MOSTLY, UMRT_ADVISE_SET_PREFERRED_LOCATION,
        UMRT_ADVISE_UNSET_PREFERRED_LOCATION, UMRT_ADVISE_SET_ACCESSED_BY, UMRT_ADVISE_UNSET_ACCESSED_BY,
        UMRT_ADVISE_SEQUENTIAL, UMRT_ADVISE_RANDOM, UMRT_ADVISE_STREAMING, UMRT_ADVISE_UNSET_PATTERN}) {
    const bool has_place = advice == UMRT_ADVISE_SET_PREFERRED_LOCATION || advice == UMRT_ADVISE_SET_ACCESSED_BY ||
                           advice == UMRT_ADVISE_UNSET_ACCESSED_BY;
    ASSERT_TRUE(succeeds(umrt_advise(words, 4 * mib, advice, has_place ? device(0) : none))) << advice;
    ASSERT_TRUE(succeeds(Fill{words, advice * 10ull}.launch(nullptr, count)));
    ASSERT_TRUE(succeeds(umrt_synchronize()));
    for (std::size_t i = 0; i < count; i += 511) ASSERT_EQ(words[i], advice * 10ull + i) << advice;
  }
  EXPECT_TRUE(succeeds(umrt_advise(words, 4 * mib, UMRT_ADVISE_SET_DISCARDABLE, none)));
  EXPECT_TRUE(succeeds(umrt_advise(words, 4 * mib, UMRT_ADVISE_UNSET_DISCARDABLE, none)));
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiMemory, TellsWhatIsFreeOnADevice) {
  std::size_t free_bytes = 0, total_bytes = 0;
  EXPECT_TRUE(fails(umrt_mem_get_info(0, nullptr, &total_bytes), UMRT_ERROR_INVALID_VALUE, {"free_bytes"}));
  EXPECT_TRUE(fails(umrt_mem_get_info(0, &free_bytes, nullptr), UMRT_ERROR_INVALID_VALUE, {"total_bytes"}));
  EXPECT_TRUE(fails(umrt_mem_get_info(3, &free_bytes, &total_bytes), UMRT_ERROR_INVALID_DEVICE, {"3"}));
  ASSERT_TRUE(succeeds(umrt_mem_get_info(0, &free_bytes, &total_bytes)));
  EXPECT_EQ(total_bytes, budget);
  EXPECT_EQ(free_bytes, budget);
  std::uint64_t* words = allocate(mib);
  ASSERT_TRUE(succeeds(Fill{words, 0}.launch(nullptr, mib)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  ASSERT_TRUE(succeeds(umrt_mem_get_info(0, &free_bytes, &total_bytes)));
  EXPECT_LE(free_bytes, budget - 8 * mib);
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiMemory, TellsWhatAPointerBelongsTo) {
  int on_stack = 0;
  umrt_pointer_info info;
  std::uint64_t* words = allocate(mib, "squares");
  EXPECT_TRUE(fails(umrt_pointer_get_info(&on_stack, &info), UMRT_ERROR_FOREIGN_POINTER));
  EXPECT_TRUE(fails(umrt_pointer_get_info(words, nullptr), UMRT_ERROR_INVALID_VALUE, {"info"}));
  ASSERT_TRUE(succeeds(umrt_pointer_get_info(words + 1000, &info)));
  EXPECT_EQ(info.base, words);
  EXPECT_EQ(info.bytes, 8 * mib);
  EXPECT_EQ(info.page_class, UMRT_PAGE_CLASS_2M);
  EXPECT_EQ(info.location.type, UMRT_LOCATION_NONE);
  EXPECT_STREQ(info.name, "squares");
  words[1000] = 1;
  ASSERT_TRUE(succeeds(umrt_pointer_get_info(words + 1000, &info)));
  EXPECT_EQ(info.location.type, UMRT_LOCATION_HOST);
  EXPECT_NE(info.on_host, 0u);
  EXPECT_EQ(info.on_devices, 0u);
  EXPECT_EQ(info.is_remote, 0u);
  ASSERT_TRUE(succeeds(Fill{words, 0}.launch(nullptr, 1000)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  ASSERT_TRUE(succeeds(umrt_pointer_get_info(words, &info)));
  EXPECT_EQ(info.location.type, UMRT_LOCATION_DEVICE);
  EXPECT_EQ(info.location.id, 0);
  EXPECT_EQ(info.on_devices, 1u);
  EXPECT_TRUE(succeeds(umrt_free(words)));
  EXPECT_TRUE(fails(umrt_pointer_get_info(words, &info), UMRT_ERROR_FOREIGN_POINTER));
}

TEST_F(AbiMemory, CutsALongNameToFit) {
  const std::string name(200, 'n');
  void* pointer = allocate<char>(4096, name.c_str());
  umrt_pointer_info info;
  ASSERT_TRUE(succeeds(umrt_pointer_get_info(pointer, &info)));
  EXPECT_EQ(info.name, name.substr(0, sizeof info.name - 1));
  EXPECT_TRUE(succeeds(umrt_free(pointer)));
}

TEST_F(AbiMemory, TellsWhereTheBytesOfARangeLive) {
  char* bytes = allocate<char>(8 * mib);
  int on_stack = 0;
  umrt_residency residency;
  EXPECT_TRUE(fails(umrt_range_get_residency(bytes, 0, &residency), UMRT_ERROR_INVALID_VALUE, {"bytes"}));
  EXPECT_TRUE(fails(umrt_range_get_residency(bytes, 9 * mib, &residency), UMRT_ERROR_INVALID_VALUE));
  EXPECT_TRUE(fails(umrt_range_get_residency(bytes, mib, nullptr), UMRT_ERROR_INVALID_VALUE, {"residency"}));
  EXPECT_TRUE(fails(umrt_range_get_residency(&on_stack, 4, &residency), UMRT_ERROR_FOREIGN_POINTER));
  ASSERT_TRUE(succeeds(umrt_range_get_residency(bytes, 8 * mib, &residency)));
  EXPECT_EQ(residency.untouched_bytes, 8 * mib);
  bytes[0] = 1;
  auto* words = reinterpret_cast<std::uint64_t*>(bytes + 2 * mib);
  ASSERT_TRUE(succeeds(Fill{words, 0}.launch(nullptr, 2 * mib / 8)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  ASSERT_TRUE(succeeds(umrt_range_get_residency(bytes, 8 * mib, &residency)));
  EXPECT_EQ(residency.host_bytes, 2 * mib);
  EXPECT_EQ(residency.device_bytes[0], 2 * mib);
  EXPECT_EQ(residency.device_bytes[1], 0u);
  EXPECT_EQ(residency.remote_bytes, 0u);
  EXPECT_EQ(residency.untouched_bytes, 4 * mib);
  EXPECT_TRUE(succeeds(umrt_free(bytes)));
}

}  // namespace
}  // namespace umrt::test
