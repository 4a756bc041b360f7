// SPDX-License-Identifier: Apache-2.0
#include "policy/tree_fetch.h"

namespace umrt {
namespace {

constexpr Bytes leaf_bytes = 64_KiB;
constexpr std::uint32_t threshold_percent = 51;

// Granules [begin, begin + size) around the faulted one, for a power of two.
GranuleMask subtree(GranuleIndex granule, std::uint32_t size) {
  return GranuleMask::run(granule.n / size * size, size);
}

}  // namespace

GranuleMask tree_fetch(const FetchContext& context) {
  const GranuleMask one = GranuleMask::one(context.faulted);
  const std::uint32_t granules = granules_per_block(context.page_class);
  const Bytes granule = granule_bytes(context.page_class);
  const std::uint32_t leaf = granule >= leaf_bytes ? 1 : static_cast<std::uint32_t>(leaf_bytes / granule);
  if (granules == 1) return one;

  GranuleMask wanted = subtree(context.faulted, leaf);
  const GranuleMask counted = context.resident | context.in_flight | wanted;
  for (std::uint32_t size = 2 * leaf; size <= granules; size *= 2) {
    const GranuleMask tree = subtree(context.faulted, size) & context.exists;
    if ((counted & tree).count() * 100 > tree.count() * threshold_percent) wanted |= tree;
  }
  return one | (wanted & context.fetchable);
}

}  // namespace umrt
