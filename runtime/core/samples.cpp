// SPDX-License-Identifier: Apache-2.0
#include "core/samples.h"

#include "core/residency.h"

namespace umrt {
namespace {

constexpr std::uint32_t tries_a_sample = 8;  // blocks looked at; most of a large arena is not on a device

std::uint64_t next(std::uint64_t& random) {  // splitmix64: any seed will do, zero too
  std::uint64_t z = random += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

GranuleMask nth(GranuleMask mask, std::uint32_t n) {
  for (; n > 0; --n) mask.bits &= mask.bits - 1;
  return GranuleMask::one({static_cast<std::uint32_t>(std::countr_zero(mask.bits))});
}

}  // namespace

void take_samples(EngineState& state, std::uint64_t random, std::uint32_t samples) {
  if (!state.config.abilities.samples || state.blocks.size() == 0) return;
  for (std::uint32_t tries = samples * tries_a_sample; samples > 0 && tries > 0; --tries) {
    const BlockId block{static_cast<std::uint32_t>(next(random) % state.blocks.size())};
    const BlockState& b = state.blocks.at(block);
    if (b.range == RangeId{} || state.ranges.at(b.range).is_freed) continue;
    const DeviceState& device = state.devices[next(random) % state.devices.size()];
    const GranuleMask mapped = state.presence(block, device.id).mapped - b.in_flight - b.is_duplicated;
    if (mapped.empty() || !device.is_ready) continue;
    order(state, block,
          {.operation = Operation::unmap,
           .granules = nth(mapped, static_cast<std::uint32_t>(next(random) % mapped.count())),
           .target = device.id,
           .reason = Reason::sample});
    --samples;
  }
}

}  // namespace umrt
