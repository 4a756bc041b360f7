// SPDX-License-Identifier: Apache-2.0
#include "os/mapping.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace umrt::os {
namespace {

constexpr int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

tl::unexpected<Error> no_address_space(Bytes bytes) {
  const int error = errno;
  return failure(UMRT_ERROR_OUT_OF_MEMORY,
                 fmt::format("cannot reserve {} MiB of address space: {}", bytes / 1_MiB, std::strerror(error)), error);
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : base_{std::exchange(other.base_, nullptr)}, bytes_{std::exchange(other.bytes_, {})} {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this != &other) {
    release();
    base_ = std::exchange(other.base_, nullptr);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

Mapping::~Mapping() { release(); }

void Mapping::release() noexcept {
  if (base_ != nullptr) ::munmap(std::exchange(base_, nullptr), std::exchange(bytes_, {}).n);
}

Result<Mapping> Mapping::reserve(Bytes bytes) {
  const Bytes slack = 2_MiB;
  void* raw = ::mmap(nullptr, (bytes + slack).n, PROT_READ | PROT_WRITE, reserve_flags, -1, 0);
  if (raw == MAP_FAILED) return no_address_space(bytes);
  auto* begin = static_cast<std::byte*>(raw);
  const auto misalignment = reinterpret_cast<std::uintptr_t>(begin) % slack.n;
  const std::uint64_t head = misalignment == 0 ? 0 : slack.n - misalignment;
  if (head != 0) ::munmap(begin, head);
  ::munmap(begin + head + bytes.n, slack.n - head);
  // A page shared with a forked child cannot be moved (UFFDIO_MOVE: EBUSY), even after the child has ended.
  ::madvise(begin + head, bytes.n, MADV_DONTFORK);
  return Mapping(begin + head, bytes);
}

Result<Mapping> Mapping::reserve_at(std::byte* base, Bytes bytes) {
  void* raw = ::mmap(base, bytes.n, PROT_READ | PROT_WRITE, reserve_flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (raw == MAP_FAILED) return no_address_space(bytes);
  ::madvise(raw, bytes.n, MADV_DONTFORK);
  return Mapping(static_cast<std::byte*>(raw), bytes);
}

Result<Mapping> Mapping::shared(Bytes bytes) {
  void* raw = ::mmap(nullptr, bytes.n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return no_address_space(bytes);
  return Mapping(static_cast<std::byte*>(raw), bytes);
}

Result<Mapping> Mapping::of_file(int descriptor, Bytes bytes) {
  void* raw = ::mmap(nullptr, bytes.n, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (raw == MAP_FAILED) return no_address_space(bytes);
  ::madvise(raw, bytes.n, MADV_DONTFORK);
  return Mapping(static_cast<std::byte*>(raw), bytes);
}

int Mapping::move_over(std::byte* target) noexcept {
  if (::mremap(base_, bytes_.n, bytes_.n, MREMAP_MAYMOVE | MREMAP_FIXED, target) == MAP_FAILED) return errno;
  base_ = nullptr;
  bytes_ = {};
  return 0;
}

int map_file_over(std::byte* base, Bytes bytes, int descriptor) noexcept {
  void* raw = ::mmap(base, bytes.n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0);
  if (raw == MAP_FAILED) return errno;
  return ::madvise(base, bytes.n, MADV_DONTFORK) == 0 ? 0 : errno;
}

int reserve_over(std::byte* base, Bytes bytes) noexcept {
  void* raw = ::mmap(base, bytes.n, PROT_READ | PROT_WRITE, reserve_flags | MAP_FIXED, -1, 0);
  if (raw == MAP_FAILED) return errno;
  return ::madvise(base, bytes.n, MADV_DONTFORK) == 0 ? 0 : errno;
}

int make_rejoinable(std::byte* base) noexcept {
  if (const int error = populate(base, 4_KiB); error != 0) return error;
  return drop(base, 2_MiB);
}

Status advise_page_size(std::byte* base, Bytes bytes, PageSize size) {
  if (::madvise(base, bytes.n, size == PageSize::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0) return {};
  if (errno == EINVAL) return {};  // a kernel without transparent huge pages: every page is small
  const int error = errno;
  return failure(UMRT_ERROR_SYSTEM, fmt::format("madvise for the page size: {}", std::strerror(error)), error);
}

void forbid_access(std::byte* base, Bytes bytes) noexcept { ::mprotect(base, bytes.n, PROT_NONE); }

int populate(std::byte* base, Bytes bytes) noexcept {
  return ::madvise(base, bytes.n, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
}

int drop(std::byte* base, Bytes bytes) noexcept { return ::madvise(base, bytes.n, MADV_DONTNEED) == 0 ? 0 : errno; }

}  // namespace umrt::os
