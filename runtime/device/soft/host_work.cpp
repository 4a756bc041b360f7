// SPDX-License-Identifier: Apache-2.0
#include "device/soft/host_work.h"

#include <span>

namespace umrt::soft {
namespace {

class HostWork {
 public:
  HostWork(HostView& host, HostStep& step, std::byte* bounce)
      : host_{host}, step_{step}, granule_{granule_bytes(step.action.page_class)}, bounce_{bounce} {}

  void run() {
    switch (step_.action.operation) {
      case Operation::populate:
        for_each_run_of([&](Address a, Bytes n) { return host_.populate(a, n, granule_, step_.action.is_mapped); });
        break;
      case Operation::migrate:
        migrate();
        break;
      case Operation::duplicate:
        duplicate();
        break;
      case Operation::discard:
        for_each_run_of([&](Address a, Bytes n) { return host_.discard(a, n, granule_); });
        break;
      case Operation::map:
        for_each_run_of([&](Address a, Bytes n) { return host_.map(a, n, granule_); });
        break;
      case Operation::unmap:
        for_each_run_of([&](Address a, Bytes n) { return host_.unmap(a, n, granule_); });
        break;
      case Operation::unprotect:
        for_each_run_of([&](Address a, Bytes n) { return host_.unprotect(a, n); });
        break;
      case Operation::wake:
        for_each_run_of([&](Address a, Bytes n) { return host_.wake(a, n); });
        break;
    }
  }

 private:
  GranuleMask left() const { return step_.granules - step_.failed; }
  Address address(std::uint32_t granule) const { return step_.action.base + granule_ * granule; }

  GranuleMask mapped() const {
    GranuleMask mask;
    for (std::uint32_t i = 0; i < 32; ++i)
      if (left().has({i}) && host_.is_mapped(address(i))) mask |= GranuleMask::one({i});
    return mask;
  }

  // `act(address, bytes)` returns an errno; on failure the run counts as failed.
  template <class Act>
  void for_each_run_of(GranuleMask mask, Act act) {
    for_each_run(mask, [&](std::uint32_t begin, std::uint32_t count) {
      if (const int error = act(address(begin), granule_ * count); error != 0) {
        step_.failed |= GranuleMask::run(begin, count);
        step_.error = error;
      }
    });
  }
  template <class Act>
  void for_each_run_of(Act act) {  // runs that are alike at the host, since its page table is asked once for each
    const GranuleMask is_mapped = mapped();
    for_each_run_of(left() & is_mapped, act);
    for_each_run_of(left() - is_mapped, act);
  }

  void migrate() {
    const BlockAction& action = step_.action;
    const GranuleMask was_mapped = action.source.is_host() ? mapped() : GranuleMask{};
    for_each_run_of(was_mapped, [&](Address a, Bytes n) { return host_.unmap(a, n, granule_); });
    copy();
    for_each_run_of(was_mapped & step_.failed, [&](Address a, Bytes n) {  // as it was, for what could not be copied
      return host_.is_mapped(a) ? 0 : host_.map(a, n, granule_);
    });
    if (action.target.is_host() && action.is_mapped)
      for_each_run_of(left(), [&](Address a, Bytes n) { return host_.map(a, n, granule_); });
  }

  void duplicate() {
    if (step_.action.source.is_host()) {
      const GranuleMask was_mapped = mapped();
      for_each_run_of(was_mapped, [&](Address a, Bytes n) { return host_.protect(a, n); });
      copy();
      for_each_run_of(left() - was_mapped, [&](Address a, Bytes n) { return host_.map_protected(a, n, granule_); });
    } else {
      copy();
      if (step_.action.target.is_host())
        for_each_run_of(left(), [&](Address a, Bytes n) { return host_.map_protected(a, n, granule_); });
    }
  }

  void copy() {
    if (step_.action.source.is_device() && step_.action.target.is_device()) return copy_between_devices();
    const bool is_inwards = step_.action.target.is_device();
    std::array<os::CopyPiece, os::copy_pieces_max> pieces;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      if (!left().has({i})) continue;
      const Address a = address(i);
      std::byte* local = is_inwards ? const_cast<std::byte*>(host_.bytes_of(a)) : host_.frame(a);
      std::byte* remote = is_inwards ? step_.target_places[i] : step_.source_places[i];
      os::CopyPiece* last = count == 0 ? nullptr : &pieces[count - 1];
      if (last != nullptr && last->local + last->bytes.n == local && last->remote + last->bytes.n == remote)
        last->bytes += granule_;
      else
        pieces[count++] = {local, remote, granule_};
    }
    const std::span<const os::CopyPiece> all(pieces.data(), count);
    const int error = is_inwards ? step_.target->to_device(all) : step_.source->from_device(all);
    if (error != 0) fail(left(), error);
  }

  void copy_between_devices() {
    for (std::uint32_t i = 0; i < 32; ++i) {
      if (!left().has({i})) continue;
      const os::CopyPiece out{bounce_, step_.source_places[i], granule_};
      const os::CopyPiece in{bounce_, step_.target_places[i], granule_};
      int error = step_.source->from_device({&out, 1});
      if (error == 0) error = step_.target->to_device({&in, 1});
      if (error != 0) fail(GranuleMask::one({i}), error);
    }
  }

  void fail(GranuleMask granules, int error) {
    step_.failed |= granules;
    step_.error = error;
  }

  HostView& host_;
  HostStep& step_;
  Bytes granule_;
  std::byte* bounce_;
};

}  // namespace

void run_host_step(HostView& host, HostStep& step, std::byte* bounce) noexcept { HostWork(host, step, bounce).run(); }

}  // namespace umrt::soft
