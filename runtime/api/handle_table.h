// SPDX-License-Identifier: Apache-2.0
// Objects behind handles. A handle is a slot and its generation: one of something destroyed is found to be stale, never
// mistaken for what took its slot.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace umrt {

template <class T>
class HandleTable {
 public:
  std::uint64_t add(T value) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_[slot].value.emplace(std::move(value));
    return handle_of(slot);
  }

  T* find(std::uint64_t handle) { return const_cast<T*>(std::as_const(*this).find(handle)); }
  const T* find(std::uint64_t handle) const {  // nullptr: not one of this table, or destroyed
    const std::uint64_t slot = (handle & 0xffff'ffff) - 1;
    if (slot >= slots_.size() || !slots_[slot].value || handle_of(static_cast<std::uint32_t>(slot)) != handle)
      return nullptr;
    return &*slots_[slot].value;
  }

  void remove(std::uint64_t handle) {  // one that is found
    const auto slot = static_cast<std::uint32_t>((handle & 0xffff'ffff) - 1);
    slots_[slot].value.reset();
    ++slots_[slot].generation;
    free_.push_back(slot);
  }

  template <class Visit>
  void for_each(Visit visit) {  // `visit(handle, value)`, in order of slots; may add
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot].value) visit(handle_of(slot), *slots_[slot].value);
  }

 private:
  struct Slot {
    std::optional<T> value;
    std::uint32_t generation = 1;
  };
  std::uint64_t handle_of(std::uint32_t slot) const {  // never 0
    return std::uint64_t{slots_[slot].generation} << 32 | (slot + 1);
  }

  std::deque<Slot> slots_;  // places do not move
  std::vector<std::uint32_t> free_;
};

}  // namespace umrt
