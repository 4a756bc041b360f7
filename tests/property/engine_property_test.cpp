// SPDX-License-Identifier: Apache-2.0
// Random programs on tiny budgets: every access is answered, no value is lost, budgets and preconditions hold.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "policy/policies.h"
#include "support/model_device.h"

namespace umrt {
namespace {

using model::ModelDevice;

struct Setup {
  std::uint64_t seed = 0;
  const PolicyRow* policy = nullptr;
  std::uint32_t devices = 1;
  bool duplicates = false, remote = false, samples = false, fails = false, ahead = false, loses = false;
};

EngineConfig config_of(const Setup& setup) {
  EngineConfig config;
  for (std::uint32_t d = 0; d < setup.devices; ++d) config.device_budgets.push_back(4_MiB);
  config.abilities = {.duplicates = setup.duplicates, .remote_map = setup.remote, .samples = setup.samples};
  config.policy = setup.policy->make;
  if (setup.ahead) {
    config.free_low = 1_MiB;
    config.free_high = 2_MiB;
  }
  return config;
}

PageClass class_of(std::uint64_t n) {
  constexpr PageClass classes[] = {PageClass::page_4k, PageClass::page_64k, PageClass::page_2m};
  return classes[n % 3];
}

Hints random_hints(std::mt19937_64& random, const Setup& setup) {
  Hints hints;
  if (random() % 3 == 0) hints.pattern = static_cast<AccessPattern>(random() % 4);
  if (random() % 3 == 0) hints.is_read_mostly = true;
  if (random() % 6 == 0) hints.is_discardable = true;
  if (random() % 4 == 0) hints.preferred = ProcessorId{static_cast<std::uint8_t>(random() % (setup.devices + 1))};
  if (random() % 4 == 0) hints.accessed_by = static_cast<std::uint16_t>(random() % 8);
  return hints;
}

// A program of so many operations; returns digests of the actions and of the state.
std::pair<std::uint64_t, std::uint64_t> run_program(const Setup& setup, int operations) {
  std::mt19937_64 random{setup.seed};
  ModelDevice model{config_of(setup), setup.seed + 1,
                    setup.fails ? model::Failures{.pinned = 100, .no_memory = 50} : model::Failures{}};
  constexpr Bytes sizes[] = {4_MiB, 8_MiB, 2_MiB + 64_KiB};
  std::vector<RangeCreated> live;
  std::uint32_t next_slot = 0;
  const auto create = [&] {
    RangeCreated created;
    created.at = model.now();
    created.range = {next_slot};
    created.base = {(1 + next_slot) * (16_MiB).n};
    created.page_class = class_of(random());
    created.bytes = round_up(sizes[random() % 3], granule_bytes(created.page_class));
    created.hints = random_hints(random, setup);
    ++next_slot;
    live.push_back(created);
    model.create(created);
  };
  create();
  create();
  const auto some_range = [&]() -> const RangeCreated& { return live[random() % live.size()]; };
  for (int operation = 0; operation < operations; ++operation) {
    const RangeCreated& range = some_range();
    const Bytes begin = round_down({random() % range.bytes.n}, 4_KiB);
    const ProcessorId processor{static_cast<std::uint8_t>(random() % (setup.devices + 1))};
    switch (random() % (setup.loses ? 14 : 12)) {
      case 0:
        if (live.size() < 4) create();
        break;
      case 1:
        if (live.size() > 1) {
          model.free(range.range);
          std::erase_if(live, [&](const RangeCreated& r) { return r.range == RangeId{range.range}; });
        }
        break;
      case 2: {
        Hints hints = random_hints(random, setup);
        model.advise(
            {.at = {}, .range = range.range, .begin = begin, .end = range.bytes, .hints = hints, .request = {}});
        break;
      }
      case 3:
        model.prefetch(
            {.at = {}, .range = range.range, .begin = begin, .end = range.bytes, .target = processor, .request = {}});
        break;
      case 4:
        model.sample(4);
        break;
      case 12:
      case 13: {
        if (processor.is_host()) break;
        if (random() % 2 == 0) {
          model.lose(processor);
        } else {
          model.evacuate(processor);
        }
        for (std::uint64_t steps = random() % 60; steps > 0; --steps) model.step();
        model.ready(processor);
        break;
      }
      default:
        for (int n = 0; n < 12; ++n) {
          const bool sweeps = random() % 2 == 0;
          const Bytes offset = sweeps ? Bytes{(begin.n + static_cast<std::uint64_t>(n) * (256_KiB).n) % range.bytes.n}
                                      : Bytes{random() % range.bytes.n};
          model.access(processor, static_cast<std::uint32_t>(random() % 2), range.base + offset,
                       random() % 2 == 0 ? Access::read : Access::write);
        }
    }
    for (std::uint64_t steps = random() % 60; steps > 0; --steps) model.step();
  }
  model.run();
  return {model.actions_digest(), model.engine().digest()};
}

Setup arbitrary_setup() {
  Setup setup;
  setup.seed = *rc::gen::arbitrary<std::uint64_t>();
  setup.policy = &policies()[*rc::gen::inRange<std::size_t>(0, policies().size())];
  setup.devices = *rc::gen::inRange<std::uint32_t>(1, 4);
  setup.duplicates = *rc::gen::arbitrary<bool>();
  setup.remote = *rc::gen::arbitrary<bool>();
  setup.samples = *rc::gen::arbitrary<bool>();
  setup.fails = *rc::gen::arbitrary<bool>();
  setup.ahead = *rc::gen::arbitrary<bool>();
  setup.loses = *rc::gen::arbitrary<bool>();
  return setup;
}

std::string shown(const Setup& s) {
  std::ostringstream out;
  out << "seed " << s.seed << " policy " << s.policy->name << " devices " << s.devices << " duplicates " << s.duplicates
      << " remote " << s.remote << " samples " << s.samples << " fails " << s.fails << " ahead " << s.ahead << " loses "
      << s.loses;
  return out.str();
}

RC_GTEST_PROP(EngineProperty, AnyProgramEndsWithEveryAccessAnsweredAndNoValueLost, ()) {
  const Setup setup = arbitrary_setup();
  RC_LOG() << shown(setup);
  run_program(setup, 40);
}

RC_GTEST_PROP(EngineProperty, TheSameProgramGivesTheSameActionsAndTheSameState, ()) {
  const Setup setup = arbitrary_setup();
  RC_LOG() << shown(setup);
  RC_ASSERT(run_program(setup, 15) == run_program(setup, 15));
}

}  // namespace
}  // namespace umrt
