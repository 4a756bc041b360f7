// SPDX-License-Identifier: Apache-2.0
// Keeps a fork from making the application's large memory copy-on-write: while it lives, private writable mappings of
// 1 MiB and more are left out of forks (MADV_DONTFORK). Program data and the given places stay in. Without it, the
// parent's next write to each page of a 512 MiB heap costs a fault and a copy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/units.h"

namespace umrt::os {

class ForkShield {
 public:
  explicit ForkShield(std::span<const void* const> places_to_keep);
  ~ForkShield();
  ForkShield(const ForkShield&) = delete;
  ForkShield& operator=(const ForkShield&) = delete;

 private:
  struct Region {
    std::byte* base;
    Bytes bytes;
  };
  std::vector<Region> shielded_;
};

}  // namespace umrt::os
