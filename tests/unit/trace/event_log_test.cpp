// SPDX-License-Identifier: Apache-2.0
#include "trace/event_log.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace umrt {
namespace {

template <class Number>
Number any() {
  return *rc::gen::arbitrary<Number>();
}
Ticks any_time() { return {any<std::uint64_t>()}; }
ProcessorId any_processor() { return {any<std::uint8_t>()}; }
PageClass any_class() { return *rc::gen::element(PageClass::page_4k, PageClass::page_64k, PageClass::page_2m); }
template <class Enum>
Enum any_of_enum(Enum last) {
  return static_cast<Enum>(*rc::gen::inRange(0, static_cast<int>(last) + 1));
}

Hints any_hints() {
  Hints hints;
  hints.preferred = any_processor();
  hints.preferred_node = any<std::int16_t>();
  hints.accessed_by = any<std::uint16_t>();
  hints.pattern = any_of_enum(AccessPattern::streaming);
  hints.is_read_mostly = any<bool>();
  hints.is_discardable = any<bool>();
  return hints;
}

BlockAction any_action() {
  BlockAction a;
  a.operation = any_of_enum(Operation::wake);
  a.cause = any_of_enum(Cause::user);
  a.reason = any_of_enum(Reason::device_lost);
  a.source = any_processor();
  a.target = any_processor();
  a.is_mapped = any<bool>();
  a.keeps_source = any<bool>();
  a.page_class = any_class();
  a.block = {any<std::uint32_t>()};
  a.granules = {any<std::uint32_t>()};
  a.base = {any<std::uint64_t>()};
  return a;
}

Event any_event() {
  const RangeId range{any<std::uint32_t>()};
  const RequestId request{any<std::uint64_t>()};
  const Bytes begin{any<std::uint64_t>()}, end{any<std::uint64_t>()};
  switch (*rc::gen::inRange<std::size_t>(0, std::variant_size_v<Event>)) {
    case 0:
      return RangeCreated{any_time(), range, {any<std::uint64_t>()}, begin, any_class(), any_hints()};
    case 1:
      return RangeFreed{any_time(), range, request};
    case 2:
      return RangeAdvised{any_time(), range, begin, end, any_hints(), request};
    case 3:
      return PrefetchRequested{any_time(), range, begin, end, any_processor(), request};
    case 4:
      return Fault{any_time(),  any_processor(),      any_of_enum(Access::write),
                   any<bool>(), any<std::uint32_t>(), {any<std::uint64_t>()}};
    case 5:
      return ActionDone{any_time(), any_time(), any_action(), {any<std::uint32_t>()}, any_of_enum(Outcome::lost)};
    case 6:
      return RemoteDone{any_time(), range, any<bool>(), any<bool>()};
    case 7:
      return LaunchBegan{any_time(), any_processor(), any<std::uint64_t>()};
    case 8:
      return LaunchEnded{any_time(), any_processor()};
    case 9:
      return TimePassed{any_time(), any<std::uint64_t>(), any<std::uint32_t>()};
    case 10:
      return DeviceLost{any_time(), any_processor()};
    case 11:
      return DeviceEvacuated{any_time(), any_processor(), request};
    default:
      return DeviceReady{any_time(), any_processor()};
  }
}

EventLogWriter any_log(EventLog& expected) {
  EventLogWriter writer;
  const int steps = *rc::gen::inRange(0, 6);
  for (int step = 0; step < steps; ++step) {
    const auto begin = static_cast<std::ptrdiff_t>(expected.events.size());
    const int events = *rc::gen::inRange(0, 5);
    for (int n = 0; n < events; ++n) expected.events.push_back(any_event());
    expected.step_ends.push_back(expected.events.size());
    writer.step({expected.events.begin() + begin, expected.events.end()});
  }
  return writer;
}

std::string problem_of(std::vector<std::byte> bytes) {
  const auto log = read_event_log(bytes);
  return log ? "" : log.error().detail;
}

RC_GTEST_PROP(EventLog, WhatIsWrittenIsReadBack, ()) {
  EventLog expected;
  const EventLogWriter writer = any_log(expected);
  const auto log = read_event_log(writer.bytes());
  RC_ASSERT(log.has_value());
  RC_ASSERT(*log == expected);
}

RC_GTEST_PROP(EventLog, ADamagedLogIsAnErrorOrAnotherLogButNeverACrash, ()) {
  EventLog expected;
  std::vector<std::byte> bytes = any_log(expected).bytes();
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[at] = static_cast<std::byte>(any<std::uint8_t>());
  bytes.resize(*rc::gen::inRange<std::size_t>(at, bytes.size() + 1));
  const auto log = read_event_log(bytes);
  if (!log) {
    RC_ASSERT(log.error().code == UMRT_ERROR_INVALID_VALUE);
    RC_ASSERT(!log.error().detail.empty());
  }
}

TEST(EventLog, SaysWhereALogIsCutOff) {
  EventLogWriter writer;
  const Event event = DeviceReady{.at = {70'000}, .device = device_processor(0)};
  writer.step({&event, 1});
  std::vector<std::byte> bytes = writer.bytes();
  bytes.pop_back();
  EXPECT_EQ(problem_of(bytes), "event log, byte 13 of 13: the log ends inside a number");
}

TEST(EventLog, RefusesOtherFilesAndOtherVersions) {
  EXPECT_NE(problem_of({}).find("no event log"), std::string::npos) << problem_of({});
  EXPECT_NE(problem_of({std::byte{'P'}, std::byte{'K'}}).find("this is no event log of umrt"), std::string::npos);
  std::vector<std::byte> bytes = EventLogWriter{}.bytes();
  bytes.back() = std::byte{2};
  EXPECT_NE(problem_of(bytes).find("version is not 1"), std::string::npos);
}

TEST(EventLog, ACountBeyondTheLogIsRefusedBeforeAnythingIsReserved) {
  std::vector<std::byte> bytes = EventLogWriter{}.bytes();
  for (const int byte : {0xff, 0xff, 0xff, 0xff, 0x7f}) bytes.push_back(static_cast<std::byte>(byte));
  EXPECT_NE(problem_of(bytes).find("more events than the log has bytes"), std::string::npos);
}

TEST(EventLog, AnUnknownKindOfEventIsRefused) {
  std::vector<std::byte> bytes = EventLogWriter{}.bytes();
  for (const int byte : {1, 99, 0}) bytes.push_back(static_cast<std::byte>(byte));
  EXPECT_NE(problem_of(bytes).find("no known kind"), std::string::npos);
}

}  // namespace
}  // namespace umrt
