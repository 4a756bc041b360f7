// SPDX-License-Identifier: Apache-2.0
#include "core/placement.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace umrt {
namespace {

constexpr ProcessorId gpu = device_processor(0);

// A device reads a block of a range that host and device use alike: no rule but the last applies.
PlacementFacts plain_facts() {
  PlacementFacts facts;
  facts.processor = gpu;
  facts.abilities = {.duplicates = true, .remote_map = true, .samples = true};
  facts.range_bytes = 64_MiB;
  facts.device_budget = 128_MiB;
  facts.faults_host = 10;
  facts.faults_device = 10;
  facts.devices_faulting = 1;
  return facts;
}

void expect(const PlacementFacts& facts, Reason reason, Placement placement) {
  const PlacementDecision decision = decide_placement(facts);
  EXPECT_STREQ(reason_name(decision.reason), reason_name(reason));
  EXPECT_EQ(decision.placement, placement);
}

// The same without the ability to map remotely: the reason stays, the bytes move.
void expect_remote(PlacementFacts facts, Reason reason) {
  expect(facts, reason, Placement::remote);
  facts.abilities.remote_map = false;
  expect(facts, reason, Placement::move_here);
}

TEST(Placement, FirstTouchDecidesWithoutEvidence) { expect(plain_facts(), Reason::first_touch, Placement::move_here); }

TEST(Placement, ThePreferredLocationWinsOverEverything) {
  PlacementFacts facts = plain_facts();
  facts.hints.preferred = gpu;
  facts.hints.is_read_mostly = true;
  facts.is_held = true;
  expect(facts, Reason::hint_preferred_location, Placement::move_here);
}

TEST(Placement, PreferredHostAndAccessedByADeviceIsMappedRemotely) {
  PlacementFacts facts = plain_facts();
  facts.hints.preferred = host_processor;
  facts.hints.accessed_by = 1u << gpu.n;
  expect_remote(facts, Reason::hint_remote);
}

TEST(Placement, ReadMostlyIsDuplicatedForReadsOfWhatExists) {
  PlacementFacts facts = plain_facts();
  facts.hints.is_read_mostly = true;
  expect(facts, Reason::read_mostly_duplicate, Placement::duplicate);
  PlacementFacts writes = facts;
  writes.access = Access::write;
  expect(writes, Reason::first_touch, Placement::move_here);
  PlacementFacts absent = facts;
  absent.is_absent = true;
  expect(absent, Reason::first_touch, Placement::move_here);
  facts.abilities.duplicates = false;
  expect(facts, Reason::first_touch, Placement::move_here);
}

TEST(Placement, SparseAndRarelyReusedStaysInSystemMemory) {
  PlacementFacts facts = plain_facts();
  facts.is_sparse = true;
  facts.faults_device = 100;
  expect_remote(facts, Reason::system_memory_low_frequency);
}

TEST(Placement, LargerThanTheDeviceAndTouchedOnceStaysInSystemMemory) {
  PlacementFacts facts = plain_facts();
  facts.range_bytes = 256_MiB;
  expect(facts, Reason::first_touch, Placement::move_here);
  facts.hints.pattern = AccessPattern::streaming;
  expect_remote(facts, Reason::system_memory_exceeds_device);
}

TEST(Placement, UsedMostlyByTheCpuStaysInSystemMemory) {
  PlacementFacts facts = plain_facts();
  facts.faults_host = 100;
  facts.launches = 3;
  facts.returned = 2_MiB;
  expect_remote(facts, Reason::system_memory_cpu_use);
}

TEST(Placement, FilledOnceByTheCpuIsNotUsedByIt) {
  PlacementFacts facts = plain_facts();
  facts.faults_host = 100;
  expect(facts, Reason::first_touch, Placement::move_here);
  facts.launches = 3;
  expect(facts, Reason::first_touch, Placement::move_here);
}

TEST(Placement, HotOnTheDeviceMovesToTheDevice) {
  PlacementFacts facts = plain_facts();
  facts.hotness = 8;
  expect(facts, Reason::device_high_performance, Placement::move_here);
}

TEST(Placement, IntermediateResultsOfKernelsMoveToTheDevice) {
  PlacementFacts facts = plain_facts();
  facts.faults_host = 0;
  expect(facts, Reason::device_intermediate, Placement::move_here);
}

TEST(Placement, SharedWithOtherDevicesMovesToTheDevice) {
  PlacementFacts facts = plain_facts();
  facts.devices_faulting = 2;
  expect(facts, Reason::device_shared, Placement::move_here);
}

TEST(Placement, WhatIsThrashedIsHeldEvenWhenHot) {
  PlacementFacts facts = plain_facts();
  facts.is_held = true;
  facts.hotness = 8;
  expect(facts, Reason::thrashing_hold, Placement::hold);
}

TEST(Placement, EveryRuleHasANameATextAndAPlaceOfItsOwn) {
  std::set<std::string> names;
  for (const PlacementRule& rule : placement_rules()) {
    EXPECT_NE(std::string(reason_text(rule.reason)), "");
    EXPECT_TRUE(names.insert(reason_name(rule.reason)).second) << reason_name(rule.reason);
  }
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(placement_rules().back().reason, Reason::first_touch);
}

}  // namespace
}  // namespace umrt
