// SPDX-License-Identifier: Apache-2.0
// The chunk allocator against a model that is a map of intervals.
#include "core/chunk_allocator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <map>

namespace umrt {
namespace {

constexpr Bytes span = 16_MiB;

Bytes chunk_of(Bytes bytes) {
  if (bytes > 2_MiB - 64_KiB) return 2_MiB;
  return bytes > 60_KiB ? 64_KiB : 4_KiB;
}

struct Model {
  std::map<std::uint64_t, Bytes> runs;  // by offset: handed out, rounded up

  Bytes used() const {
    Bytes sum;
    for (const auto& [offset, bytes] : runs) sum += bytes;
    return sum;
  }
  bool overlaps(Bytes offset, Bytes bytes) const {
    const auto after = runs.lower_bound((offset + bytes).n);
    if (after == runs.begin()) return false;
    const auto last = std::prev(after);
    return last->first + last->second.n > offset.n;
  }
};

Bytes any_size() {
  const auto largest = *rc::gen::element<std::uint64_t>(4096, 4096 * 8, 65536, 65536 * 8, 2097152, 2097152 * 4);
  return {*rc::gen::inRange<std::uint64_t>(1, largest + 1)};
}

void allocate(ChunkAllocator& chunks, Model& model) {
  const Bytes bytes = any_size();
  const Bytes longest = chunks.statistics().free_run_max;
  const auto offset = chunks.allocate_run(bytes);
  if (!offset) {
    RC_ASSERT(longest < bytes);  // what the statistics promise is served
    return;
  }
  RC_ASSERT(longest >= bytes);
  const Bytes rounded = round_up(bytes, chunk_of(bytes));
  RC_ASSERT(offset->n % chunk_of(bytes).n == 0u);
  RC_ASSERT(*offset + rounded <= span);
  RC_ASSERT(!model.overlaps(*offset, rounded));
  model.runs.emplace(offset->n, rounded);
}

void free_one(ChunkAllocator& chunks, Model& model) {
  if (model.runs.empty()) return;
  const auto index = *rc::gen::inRange<std::size_t>(0, model.runs.size());
  const auto run = std::next(model.runs.begin(), static_cast<std::ptrdiff_t>(index));
  RC_ASSERT(chunks.free_run({run->first}, run->second).has_value());
  const Status again = chunks.free_run({run->first}, run->second);
  RC_ASSERT(!again.has_value());
  RC_ASSERT(again.error().code == UMRT_ERROR_DOUBLE_FREE);
  model.runs.erase(run);
}

void misuse(ChunkAllocator& chunks, Model& model) {
  const Bytes offset = {*rc::gen::inRange<std::uint64_t>(0, span.n * 2 / 4096) * 4096};
  const Bytes bytes = any_size();
  const auto run = model.runs.find(offset.n);
  const bool is_right =
      run != model.runs.end() && bytes <= run->second && round_up(bytes, chunk_of(run->second)) == run->second;
  if (is_right) return;
  RC_ASSERT(!chunks.free_run(offset, bytes).has_value());
}

RC_GTEST_PROP(ChunkAllocatorProperty, BehavesAsAMapOfIntervals, ()) {
  ChunkAllocator chunks{span};
  chunks.grow(span);
  Model model;
  const auto steps = *rc::gen::inRange(0, 200);
  for (int step = 0; step < steps; ++step) {
    const auto kind = *rc::gen::inRange(0, 8);
    if (kind < 4) allocate(chunks, model);
    if (kind >= 4 && kind < 7) free_one(chunks, model);
    if (kind == 7) misuse(chunks, model);
    chunks.check_invariants();
    RC_ASSERT(chunks.statistics().used == model.used());
  }
  for (const auto& [offset, bytes] : model.runs) RC_ASSERT(chunks.free_run({offset}, bytes).has_value());
  RC_ASSERT(chunks.statistics().free_run_max == span);  // all merged
}

}  // namespace
}  // namespace umrt
