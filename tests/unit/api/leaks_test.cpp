// SPDX-License-Identifier: Apache-2.0
// What is listed of allocations that were not freed, and where they were made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/call_site.h"
#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;
using testing::HasSubstr;
using testing::IsEmpty;

[[gnu::noinline]] const void* where_this_was_called() { return __builtin_return_address(0); }

TEST(Leaks, AreListedLargestFirstWithSizeHintsAndName) {
  HeapFixture f;
  f.allocate(100_KiB);
  ASSERT_TRUE(f.heap->allocate({.bytes = 3_MiB, .page_class = {}, .hints = {.is_read_mostly = true}, .name = "edges"}));
  ASSERT_TRUE(f.heap->free(f.allocate(5_MiB)));
  const auto leaks = f.heap->leaks();
  ASSERT_EQ(leaks.size(), 2u);
  EXPECT_EQ(leaks[0].bytes, 3_MiB);
  EXPECT_EQ(leaks[0].name, "edges");
  EXPECT_TRUE(leaks[0].hints.is_read_mostly);
  EXPECT_EQ(leaks[1].bytes, 100_KiB);
  EXPECT_THAT(leaks[1].name, IsEmpty());
}

TEST(Leaks, SmallAllocationsOfOneCallSiteAreOneEntry) {
  HeapFixture f;
  const int sites[2] = {};
  for (int i = 0; i < 1000; ++i) f.allocate(10_B, &sites[0]);
  f.allocate(30_B, &sites[1]);
  const auto leaks = f.heap->leaks();
  ASSERT_EQ(leaks.size(), 2u);
  EXPECT_EQ(leaks[0].allocations, 1000u);
  EXPECT_EQ(leaks[0].bytes, 10000_B);
  EXPECT_EQ(leaks[1].allocations, 1u);
  EXPECT_EQ(leaks[1].bytes, 30_B);
}

TEST(CallSite, IsNamedByFileAndLineOrElseByModule) {
  const void* const here = where_this_was_called();
  const int line = __LINE__ - 1;
  const std::string text = describe_call_sites({{here}}).at(0);
  const std::string by_line = "leaks_test.cpp:" + std::to_string(line);
  EXPECT_THAT(text, testing::AnyOf(HasSubstr(by_line), testing::StartsWith("unit_api+0x")));
}

TEST(CallSite, OfALeakIsResolved) {
  HeapFixture f;
  f.allocate(3_MiB, where_this_was_called());
  EXPECT_THAT(f.heap->leaks().at(0).call_site, testing::AnyOf(HasSubstr("leaks_test.cpp:"), HasSubstr("unit_api+0x")));
}

TEST(CallSite, ASymbolOfALibraryIsNamedWithItsModule) {
  const auto inside = reinterpret_cast<std::uintptr_t>(&std::abort) + 1;
  const std::string text = describe_call_sites({{reinterpret_cast<const void*>(inside)}}).at(0);
  EXPECT_THAT(text, HasSubstr("abort"));
}

TEST(CallSite, NullIsEmptyAndAnAddressOutsideOfAllCodeIsItself) {
  const void* const nowhere = reinterpret_cast<const void*>(std::uintptr_t{0x10});
  const auto texts = describe_call_sites({{nullptr, nowhere}});
  EXPECT_THAT(texts.at(0), IsEmpty());
  EXPECT_EQ(texts.at(1), "0x10");
}

}  // namespace
}  // namespace umrt
