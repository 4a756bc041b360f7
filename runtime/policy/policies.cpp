// SPDX-License-Identifier: Apache-2.0
#include "policy/policies.h"

#include "policy/lru.h"
#include "policy/thrashing.h"
#include "policy/uvm.h"

namespace umrt {
namespace {

constexpr PolicyRow rows[] = {
    {"lru",
     "the least recently touched block leaves first; fetches a whole block once a range proves dense",
     {make_lru_eviction, make_dense_fetch, make_thrashing_detector, true}},
    {"uvm",
     "the NVIDIA driver's rules: order of last migration into a block, 51 % tree prefetch",
     {make_uvm_eviction, make_uvm_fetch, make_thrashing_detector, false}},
};

}  // namespace

std::span<const PolicyRow> policies() { return rows; }

const PolicyRow* find_policy(std::string_view name) {
  for (const PolicyRow& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace umrt
