// SPDX-License-Identifier: Apache-2.0
// The owner of a mapping, and the few things done to one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "base/units.h"

namespace umrt::os {

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  // Address space alone, readable and writable, populated by use. Aligned to 2 MiB. Not inherited by fork.
  static Result<Mapping> reserve(Bytes bytes);
  // The same at a given, unused place (the second view of an arena). Linux 4.17: MAP_FIXED_NOREPLACE.
  static Result<Mapping> reserve_at(std::byte* base, Bytes bytes);
  // Zeroed memory that a child process shares. Small: it is reserved in full.
  static Result<Mapping> shared(Bytes bytes);
  // Of a memory file, from its begin. Not inherited by fork.
  static Result<Mapping> of_file(int descriptor, Bytes bytes);

  std::byte* base() const { return base_; }
  Bytes bytes() const { return bytes_; }
  explicit operator bool() const { return base_ != nullptr; }
  void release() noexcept;  // unmaps

  // Puts it in place of what is mapped at `target`, in one step: who touches the place finds the old or the new. It
  // belongs to the target's owner then. A userfaultfd that watched it does not follow. An errno, 0 when done.
  int move_over(std::byte* target) noexcept;

 private:
  Mapping(std::byte* base, Bytes bytes) : base_{base}, bytes_{bytes} {}
  std::byte* base_ = nullptr;
  Bytes bytes_;
};

enum class PageSize : std::uint8_t { small, huge };
Status advise_page_size(std::byte* base, Bytes bytes, PageSize size);  // MADV_(NO)HUGEPAGE

// Replace what is mapped there, in one step; not inherited by fork. They return an errno, 0 when done, and are
// async-signal-safe.
int map_file_over(std::byte* base, Bytes bytes, int descriptor) noexcept;  // a memory file, from its begin
int reserve_over(std::byte* base, Bytes bytes) noexcept;                   // what Mapping::reserve gives

// For a fresh mapping, before it is watched or advised: pieces of it that are replaced and reserved again then become
// one with their neighbours. (Parts of an anonymous mapping merge only if they have the kernel's record of its pages,
// the anon_vma, in common; the first page makes it.) Operations of a userfaultfd cannot cross a border.
int make_rejoinable(std::byte* base) noexcept;

void forbid_access(std::byte* base, Bytes bytes) noexcept;  // a guard: touches are SIGSEGV

// Both return an errno, 0 when done. Async-signal-safe.
int populate(std::byte* base, Bytes bytes) noexcept;  // writable pages, zeros where there were none; Linux 5.14
int drop(std::byte* base, Bytes bytes) noexcept;      // contents are gone, memory goes back to the system

}  // namespace umrt::os
