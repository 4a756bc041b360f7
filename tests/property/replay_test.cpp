// SPDX-License-Identifier: Apache-2.0
// The log of what an engine was told gives the same actions in a fresh engine, bit for bit: within one build, and
// against a log and a digest of actions that are checked in.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "policy/policies.h"
#include "support/model_device.h"
#include "trace/event_log.h"

namespace umrt {
namespace {

EngineConfig config_of(std::string_view policy) {
  EngineConfig config;
  config.device_budgets = {6_MiB, 4_MiB};
  config.abilities = {.duplicates = true, .remote_map = true, .samples = true};
  config.policy = find_policy(policy)->make;
  config.free_low = 2_MiB;
  config.free_high = 3_MiB;
  return config;
}

// Out of core, on all processors, with advice, prefetches, samples, failures and a free.
void run_job(model::ModelDevice& model) {
  model.create({.at = {1}, .range = {0}, .base = {0}, .bytes = 10_MiB, .page_class = PageClass::page_2m, .hints = {}});
  model.create({.at = {1},
                .range = {1},
                .base = {(32_MiB).n},
                .bytes = 5_MiB,
                .page_class = PageClass::page_64k,
                .hints = {.is_read_mostly = true}});
  model.create(
      {.at = {1}, .range = {2}, .base = {(64_MiB).n}, .bytes = 300_KiB, .page_class = PageClass::page_4k, .hints = {}});
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    for (Bytes at; at < 10_MiB; at += 1_MiB) {
      const std::uint32_t thread = static_cast<std::uint32_t>(at.n >> 20) % 2;
      model.access(device_processor(0), thread, {at.n}, Access::write);
      model.access(device_processor(1), thread, {(32_MiB + Bytes{at.n / 2}).n}, Access::read);
      model.access(host_processor, thread, {(64_MiB + Bytes{at.n / 40}).n}, Access::write);
      model.access(device_processor(0), thread, {(64_MiB + Bytes{at.n / 40}).n}, Access::read);
    }
    for (int n = 0; n < 40; ++n) model.step();
    model.sample(3);
    model.prefetch({.at = {}, .range = {1}, .begin = 0_B, .end = 2_MiB, .target = device_processor(0), .request = {}});
    model.run();
  }
  model.advise({.at = {}, .range = {1}, .begin = 0_B, .end = 5_MiB, .hints = {}, .request = {}});
  model.access(host_processor, 0, {(32_MiB).n}, Access::write);
  model.free({2});
  model.run();
}

std::vector<Action> replay(const EventLog& log, const EngineConfig& config) {
  Engine engine{config};
  std::vector<Action> actions;
  std::size_t begin = 0;
  for (const std::size_t end : log.step_ends) {
    engine.step(std::span(log.events).subspan(begin, end - begin), actions);
    engine.check_invariants();
    begin = end;
  }
  return actions;
}

std::vector<std::byte> recorded(const model::ModelDevice& model) {
  EventLogWriter writer;
  for (const Event& event : model.events()) writer.step({&event, 1});
  return writer.bytes();
}

// Of every field of every action.
std::uint64_t digest(const std::vector<Action>& actions) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ull; };
  for (const Action& action : actions) {
    add(action.index());
    if (const auto* a = std::get_if<BlockAction>(&action)) {
      for (const std::uint64_t value :
           {static_cast<std::uint64_t>(a->operation), static_cast<std::uint64_t>(a->cause),
            static_cast<std::uint64_t>(a->reason), std::uint64_t{a->source.n}, std::uint64_t{a->target.n},
            std::uint64_t{a->is_mapped}, std::uint64_t{a->keeps_source}, static_cast<std::uint64_t>(a->page_class),
            std::uint64_t{a->block.n}, std::uint64_t{a->granules.bits}, a->base.n}) {
        add(value);
      }
    } else if (const auto* remote = std::get_if<RemoteAction>(&action)) {
      for (const std::uint64_t value : {std::uint64_t{remote->range.n}, remote->bytes.n}) add(value);
    } else if (const auto* released = std::get_if<RangeReleased>(&action)) {
      for (const std::uint64_t value : {std::uint64_t{released->range.n}, released->request.n}) add(value);
    } else if (const auto* done = std::get_if<RequestDone>(&action)) {
      for (const std::uint64_t value : {done->request.n, std::uint64_t{done->is_complete}}) add(value);
    }
  }
  return hash;
}

TEST(Replay, TheLogOfARunGivesTheSameActionsInAFreshEngine) {
  for (const PolicyRow& row : policies()) {
    model::ModelDevice model{config_of(row.name), 11, {.pinned = 30, .no_memory = 20}};
    run_job(model);
    const auto log = read_event_log(recorded(model));
    ASSERT_TRUE(log.has_value()) << log.error().detail;
    ASSERT_EQ(log->events, model.events());
    const std::vector<Action> actions = replay(*log, config_of(row.name));
    std::vector<BlockAction> blocks;
    for (const Action& action : actions) {
      if (const auto* block = std::get_if<BlockAction>(&action)) blocks.push_back(*block);
    }
    EXPECT_EQ(blocks, model.ordered()) << row.name;
    EXPECT_GT(blocks.size(), 100u);
    EXPECT_EQ(digest(actions), digest(replay(*log, config_of(row.name))));
  }
}

// Recorded once. A change of the engine that is meant to decide otherwise changes the digest, and where it asks for
// other actions, the log no longer fits: UMRT_WRITE_GOLDEN=1 records it anew, then put the digest printed below.
TEST(Replay, TheCheckedInLogGivesTheCheckedInActions) {
  const std::string path = std::string(UMRT_TEST_DATA) + "/event_log/out_of_core.umrtevt";
  if (std::getenv("UMRT_WRITE_GOLDEN") != nullptr) {
    model::ModelDevice model{config_of("lru"), 5, {.pinned = 30, .no_memory = 20}};
    run_job(model);
    const std::vector<std::byte> bytes = recorded(model);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto log = read_event_log(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(log.has_value()) << path << ": " << log.error().detail;
  EXPECT_GT(log->events.size(), 200u);
  EXPECT_EQ(digest(replay(*log, config_of("lru"))), 3197686782227948569ull);
}

}  // namespace
}  // namespace umrt
