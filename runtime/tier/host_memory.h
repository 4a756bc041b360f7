// SPDX-License-Identifier: Apache-2.0
// The host tier: memory where bytes live that are not on a device. Every arena address has its own frame here, at the
// same offset, so no frame is ever searched for; memory is taken by use and given back when the range is freed.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "base/units.h"
#include "os/mapping.h"

namespace umrt {

class HostMemory {
 public:
  // [0, huge_begin) has 4 KiB pages, the rest huge ones where `has_huge_pages` and the system allow.
  static Result<HostMemory> make(Bytes arena, Bytes huge_begin, bool has_huge_pages);

  std::byte* frame(Address a) const { return frames_.base() + a.n; }
  std::byte* base() const { return frames_.base(); }
  Bytes bytes() const { return frames_.bytes(); }

  // Both return an errno, 0 when done.
  int zero(Address a, Bytes bytes) noexcept;  // populated with zeros, whatever was there
  int drop(Address a, Bytes bytes) noexcept;

 private:
  explicit HostMemory(os::Mapping frames) : frames_{std::move(frames)} {}
  os::Mapping frames_;
};

}  // namespace umrt
