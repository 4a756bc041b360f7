// SPDX-License-Identifier: Apache-2.0
#include "tier/host_memory.h"

namespace umrt {

Result<HostMemory> HostMemory::make(Bytes arena, Bytes huge_begin, bool has_huge_pages) {
  auto frames = os::Mapping::reserve(arena);
  if (!frames) return tl::unexpected(frames.error());
  const auto large = has_huge_pages ? os::PageSize::huge : os::PageSize::small;
  if (auto done = os::advise_page_size(frames->base(), huge_begin, os::PageSize::small); !done)
    return tl::unexpected(done.error());
  if (auto done = os::advise_page_size(frames->base() + huge_begin.n, arena - huge_begin, large); !done)
    return tl::unexpected(done.error());
  return HostMemory(std::move(*frames));
}

int HostMemory::zero(Address a, Bytes bytes) noexcept {
  if (const int error = drop(a, bytes); error != 0) return error;
  return os::populate(frame(a), bytes);
}

int HostMemory::drop(Address a, Bytes bytes) noexcept { return os::drop(frame(a), bytes); }

}  // namespace umrt
