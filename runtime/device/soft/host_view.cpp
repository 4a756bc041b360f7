// SPDX-License-Identifier: Apache-2.0
#include "device/soft/host_view.h"

#include <fmt/format.h>

#include <cstring>

#include "os/mapping.h"

namespace umrt::soft {
namespace {

// One eighth of the addresses for the small page classes, whole blocks of them.
Bytes small_zone(Bytes arena) { return round_down({arena.n / 8}, 2_MiB); }

struct Reserved {
  os::Mapping view;
  HostMemory frames;
};

// Containers and `ulimit -v` may not grant the whole arena: halved until it fits.
Result<Reserved> reserve(const HostViewConfig& config) {
  constexpr Bytes least = 64_MiB;
  for (Bytes bytes = round_up(config.arena_bytes, 16_MiB);; bytes = round_up({bytes.n / 2}, 16_MiB)) {
    auto view = os::Mapping::reserve(bytes);
    if (view) {
      auto frames = HostMemory::make(bytes, small_zone(bytes), config.has_huge_pages);
      if (frames) return Reserved{std::move(*view), std::move(*frames)};
      if (bytes <= least) return tl::unexpected(frames.error());
    } else if (bytes <= least) {
      return tl::unexpected(view.error());
    }
  }
}

}  // namespace

HostView::HostView(os::Mapping view, HostMemory frames, os::Userfaultfd faults, UnitTable<std::uint8_t> mapped,
                   UnitTable<std::uint8_t> held, Arena arena, FaultWay way, os::PageSize large)
    : view_{std::move(view)},
      frames_{std::move(frames)},
      faults_{std::move(faults)},
      pages_{faults_, way},
      mapped_{std::move(mapped)},
      held_{std::move(held)},
      arena_{arena},
      large_{large} {}

Result<std::unique_ptr<HostView>> HostView::make(const HostViewConfig& config) {
  auto reserved = reserve(config);
  if (!reserved) return tl::unexpected(reserved.error());
  const Bytes bytes = reserved->view.bytes();
  const Arena arena{reserved->view.base(), bytes, Address{small_zone(bytes).n}};
  if (const int error = os::make_rejoinable(arena.base); error != 0)
    return failure(UMRT_ERROR_OUT_OF_MEMORY, fmt::format("one page of the arena: {}", std::strerror(error)), error);
  const auto large = config.has_huge_pages ? os::PageSize::huge : os::PageSize::small;
  if (auto done = os::advise_page_size(arena.base, {arena.huge_begin.n}, os::PageSize::small); !done)
    return tl::unexpected(done.error());
  if (auto done = os::advise_page_size(arena.pointer(arena.huge_begin), {bytes.n - arena.huge_begin.n}, large); !done)
    return tl::unexpected(done.error());

  auto faults = os::Userfaultfd::open({.move = config.way == FaultWay::move, .kernel_mode = config.kernel_mode_faults});
  if (!faults) return tl::unexpected(faults.error());
  using Watch = os::Userfaultfd::Watch;
  if (auto done = faults->watch(arena.base, bytes, Watch::missing_and_protected); !done)
    return tl::unexpected(done.error());
  if (auto done = faults->watch(reserved->frames.base(), bytes, Watch::protected_alone); !done)
    return tl::unexpected(done.error());

  auto mapped = UnitTable<std::uint8_t>::make(arena);
  if (!mapped) return tl::unexpected(mapped.error());
  auto held = UnitTable<std::uint8_t>::make(arena);
  if (!held) return tl::unexpected(held.error());
  return std::unique_ptr<HostView>(new HostView(std::move(reserved->view), std::move(reserved->frames),
                                                std::move(*faults), std::move(*mapped), std::move(*held), arena,
                                                config.way, large));
}

void HostView::set_mapped(Address a, Bytes bytes, Bytes granule, bool is_mapped) noexcept {
  for (Bytes offset; offset < bytes; offset += granule) mapped_[a + offset] = is_mapped;
}

int HostView::populate(Address a, Bytes bytes, Bytes granule, bool is_mapped) noexcept {
  if (const int error = frames_.zero(a, bytes); error != 0) return error;
  return is_mapped ? map(a, bytes, granule) : 0;
}

int HostView::map(Address a, Bytes bytes, Bytes granule) noexcept {
  const int error = pages_.map(arena_.pointer(a), frame(a), bytes, PageTable::Wake::yes);
  if (error == 0) set_mapped(a, bytes, granule, true);
  return error;
}

int HostView::map_protected(Address a, Bytes bytes, Bytes granule) noexcept {
  const int error = pages_.map_protected(arena_.pointer(a), frame(a), bytes);
  if (error == 0) set_mapped(a, bytes, granule, true);
  return error;
}

int HostView::unmap(Address a, Bytes bytes, Bytes granule) noexcept {
  const int error = pages_.unmap(arena_.pointer(a), frame(a), bytes);
  if (error == 0) set_mapped(a, bytes, granule, false);
  return error;
}

int HostView::protect(Address a, Bytes bytes) noexcept { return pages_.protect(arena_.pointer(a), bytes); }
int HostView::unprotect(Address a, Bytes bytes) noexcept { return pages_.unprotect(arena_.pointer(a), bytes); }
int HostView::wake(Address a, Bytes bytes) noexcept { return pages_.wake(arena_.pointer(a), bytes); }

int HostView::poison(Address a) noexcept {
  if (!faults_.has_poison()) return ENOTSUP;
  constexpr Bytes page = 4_KiB;
  std::byte* base = arena_.pointer({round_down(Bytes{a.n}, page).n});
  const int error = faults_.poison(base, page);
  return error == EEXIST ? faults_.wake(base, page) : error;  // another thread has touched it too
}

int HostView::discard(Address a, Bytes bytes, Bytes granule) noexcept {
  if (!is_mapped(a)) return 0;  // the frame is zeroed or overwritten before its next use
  const int error = os::drop(arena_.pointer(a), bytes);
  if (error == 0) set_mapped(a, bytes, granule, false);
  return error;
}

void HostView::release(Address a, Bytes bytes, Bytes granule) noexcept {
  os::drop(arena_.pointer(a), bytes);
  frames_.drop(a, bytes);
  set_mapped(a, bytes, granule, false);
  for (Bytes offset; offset < bytes; offset += granule) held_[a + offset] = false;
}

}  // namespace umrt::soft
