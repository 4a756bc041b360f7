// SPDX-License-Identifier: Apache-2.0
// The heap against a map of what is live: any order of calls, one thread.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <map>
#include <set>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;
using test::offset_by;

struct Model {
  std::map<std::byte*, Bytes> live;
  std::set<void*> freed;  // and not handed out again

  bool overlaps(std::byte* begin, Bytes bytes) const {
    const auto after = live.lower_bound(begin + bytes.n);
    if (after == live.begin()) return false;
    const auto last = std::prev(after);
    return last->first + last->second.n > begin;
  }
};

AllocationRequest any_request() {
  const auto largest = *rc::gen::element<std::uint64_t>(256, 2048, 65536, 1 << 20, 8 << 20);
  AllocationRequest request{.bytes = {largest}};  // often alike, so that freed ranges are used again
  if (*rc::gen::inRange(0, 2) == 0) request.bytes = {*rc::gen::inRange<std::uint64_t>(1, largest + 1)};
  if (*rc::gen::inRange(0, 4) == 0) {
    request.page_class = *rc::gen::element(PageClass::page_4k, PageClass::page_64k, PageClass::page_2m);
  }
  request.hints.is_discardable = *rc::gen::inRange(0, 8) == 0;
  if (*rc::gen::inRange(0, 8) == 0) request.name = "named";
  return request;
}

void allocate(HeapFixture& f, Model& model) {
  const AllocationRequest request = any_request();
  const auto pointer = f.heap->allocate(request);
  if (!pointer) {
    RC_ASSERT(pointer.error().code == UMRT_ERROR_OUT_OF_MEMORY);
    return;
  }
  auto* const begin = static_cast<std::byte*>(*pointer);
  RC_ASSERT(!model.overlaps(begin, request.bytes));
  const auto found = f.heap->find(begin + request.bytes.n - 1);
  RC_ASSERT(found.has_value());
  RC_ASSERT(found->bytes == request.bytes);
  RC_ASSERT(f.arena.pointer(found->base) == begin);
  RC_ASSERT(!f.backend.may_be_lost(found->range));
  RC_ASSERT(f.heap->range_facts(found->range)->hints == request.hints);
  RC_ASSERT(f.heap->range_facts(found->range)->name == request.name || found->is_small);
  model.live.emplace(begin, request.bytes);
  model.freed.erase(begin);
}

void free_one(HeapFixture& f, Model& model) {
  if (model.live.empty()) return;
  const auto index = *rc::gen::inRange<std::size_t>(0, model.live.size());
  const auto one = std::next(model.live.begin(), static_cast<std::ptrdiff_t>(index));
  RC_ASSERT(f.code_of_free(one->first) == UMRT_SUCCESS);
  RC_ASSERT(!f.heap->find(one->first).has_value());
  model.freed.insert(one->first);
  model.live.erase(one);
}

void misuse(HeapFixture& f, Model& model) {
  for (void* const pointer : model.freed) {
    const umrt_result code = f.code_of_free(pointer);
    RC_ASSERT(code == UMRT_ERROR_DOUBLE_FREE || code == UMRT_ERROR_FOREIGN_POINTER);  // foreign: now inside another
  }
  for (const auto& [begin, bytes] : model.live) {
    if (bytes > 1_B) RC_ASSERT(f.code_of_free(offset_by(begin, 1)) == UMRT_ERROR_FOREIGN_POINTER);
  }
}

RC_GTEST_PROP(HeapProperty, BehavesAsAMapOfWhatIsLive, ()) {
  HeapFixture f{128_MiB, 32_MiB};
  Model model;
  const auto steps = *rc::gen::inRange(0, 150);
  for (int step = 0; step < steps; ++step) {
    const auto kind = *rc::gen::inRange(0, 21);
    if (kind < 11) allocate(f, model);
    if (kind >= 11 && kind < 18) free_one(f, model);
    if (kind == 18) misuse(f, model);
    if (kind == 19) f.heap->flush_caches();
    if (kind == 20) ++f.backend.deaths;
  }
  f.heap->check_invariants();
  Bytes leaked;
  for (const Leak& leak : f.heap->leaks()) leaked += leak.bytes;
  Bytes live;
  for (const auto& [begin, bytes] : model.live) live += bytes;
  RC_ASSERT(leaked == live);
}

}  // namespace
}  // namespace umrt
