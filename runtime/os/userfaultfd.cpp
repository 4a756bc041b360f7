// SPDX-License-Identifier: Apache-2.0
#include "os/userfaultfd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace umrt::os {
namespace {

// Newer than the headers of Debian 12 (Linux 6.1): taken from include/uapi/linux/userfaultfd.h of Linux 6.8.
struct MoveRequest {
  __u64 target, source, bytes, mode;
  __s64 moved;
};
struct PoisonRequest {
  uffdio_range range;
  __u64 mode;
  __s64 updated;
};
constexpr unsigned long ioctl_move = _IOWR(UFFDIO, 0x05, MoveRequest);
constexpr unsigned long ioctl_poison = _IOWR(UFFDIO, 0x08, PoisonRequest);
constexpr unsigned long ioctl_new_descriptor = _IO(0xAA, 0x00);  // on /dev/userfaultfd, Linux 6.1
constexpr __u64 feature_poison = 1u << 14;
constexpr __u64 feature_move = 1u << 16;
constexpr __u64 move_dontwake = 1u << 0;
constexpr __u64 move_allow_holes = 1u << 1;

__u64 as_number(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p); }
uffdio_range range_of(const std::byte* base, Bytes bytes) { return {as_number(base), bytes.n}; }

// What a request says of how far it came; negative: an error.
Bytes bytes_told(__s64 done) { return {done > 0 ? static_cast<std::uint64_t>(done) : 0}; }

// Carries `request(offset, bytes, bytes_done)` out on all bytes after the first `done`. The kernel refuses, with the
// error `spans`, a request that spans two of its memory areas, and user space is not told where one ends: areas that
// were made in different ways (one by mremap) stay apart for ever, though they look alike. Such a request is halved.
template <class Request>
int in_parts(Bytes bytes, Bytes& done, int spans, Request&& request) {
  constexpr Bytes page = 4_KiB;
  Bytes part = bytes - done;
  while (done < bytes) {
    Bytes part_done;
    const int error = request(done, part, part_done);
    done += error == 0 ? part : part_done;
    if (error == spans && part_done == Bytes{} && part > page) {
      part = round_down(Bytes{part.n / 2}, page);
      continue;
    }
    if (error != 0 && error != EAGAIN) return error;
    part = bytes - done;
  }
  return 0;
}

struct Opened {
  FileDescriptor fd;
  bool serves_kernel_mode = false;
};

Opened open_descriptor(bool kernel_mode) {
  constexpr int flags = O_CLOEXEC | O_NONBLOCK;
  if (kernel_mode) {
    if (FileDescriptor fd{static_cast<int>(::syscall(SYS_userfaultfd, flags))}) return {std::move(fd), true};
    const FileDescriptor device{::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC)};
    if (device) {
      if (FileDescriptor fd{::ioctl(device.get(), ioctl_new_descriptor, flags)}) return {std::move(fd), true};
    }
  }
  return {FileDescriptor{static_cast<int>(::syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY))}, false};
}

Result<__u64> features_of_kernel(bool kernel_mode) {
  const Opened opened = open_descriptor(kernel_mode);
  if (!opened.fd) {
    const int error = errno;
    return failure(
        UMRT_ERROR_NOT_SUPPORTED,
        fmt::format("userfaultfd is refused ({}); likely a seccomp profile (containers: allow userfaultfd) or "
                    "a kernel older than 5.11 with `sysctl vm.unprivileged_userfaultfd=0`",
                    std::strerror(error)),
        error);
  }
  uffdio_api api{};
  api.api = UFFD_API;
  if (::ioctl(opened.fd.get(), UFFDIO_API, &api) != 0) {
    return failure(UMRT_ERROR_NOT_SUPPORTED, fmt::format("UFFDIO_API: {}", std::strerror(errno)), errno);
  }
  return api.features;
}

}  // namespace

Result<Userfaultfd> Userfaultfd::open(const UserfaultfdNeeds& needs) {
  const auto offered = features_of_kernel(needs.kernel_mode);  // a descriptor answers UFFDIO_API once
  if (!offered) return tl::unexpected(offered.error());
  __u64 wanted = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_THREAD_ID;
  if (needs.move) wanted |= feature_move;
  if (needs.faults_as_sigbus) wanted |= UFFD_FEATURE_SIGBUS;
  if (const __u64 missing = wanted & ~*offered; missing != 0) {
    return failure(UMRT_ERROR_NOT_SUPPORTED,
                   (missing & feature_move) != 0
                       ? std::string("this kernel has no UFFDIO_MOVE (Linux 6.8 and later)")
                       : fmt::format("this kernel's userfaultfd lacks features {:#x}", missing));
  }
  wanted |= *offered & feature_poison;
  Opened opened = open_descriptor(needs.kernel_mode);
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = wanted;
  if (!opened.fd || ::ioctl(opened.fd.get(), UFFDIO_API, &api) != 0) {
    const int error = errno;
    return failure(UMRT_ERROR_NOT_SUPPORTED, fmt::format("userfaultfd: {}", std::strerror(error)), error);
  }
  Userfaultfd result;
  result.fd_ = std::move(opened.fd);
  result.serves_kernel_mode_ = opened.serves_kernel_mode;
  result.has_poison_ = (wanted & feature_poison) != 0;
  return result;
}

int Userfaultfd::try_watch(std::byte* base, Bytes bytes, Watch what) noexcept {
  uffdio_register request{};
  request.range = range_of(base, bytes);
  request.mode = UFFDIO_REGISTER_MODE_WP;
  if (what == Watch::missing_and_protected) request.mode |= UFFDIO_REGISTER_MODE_MISSING;
  return ::ioctl(fd_.get(), UFFDIO_REGISTER, &request) == 0 ? 0 : errno;
}

Status Userfaultfd::watch(std::byte* base, Bytes bytes, Watch what) {
  const int error = try_watch(base, bytes, what);
  if (error == 0) return {};
  return failure(UMRT_ERROR_NOT_SUPPORTED, fmt::format("UFFDIO_REGISTER: {}", std::strerror(error)), error);
}

std::size_t Userfaultfd::read_faults(std::span<PageFault> faults) noexcept {
  uffd_msg messages[16];
  const std::size_t wanted = faults.size() < 16 ? faults.size() : 16;
  const ssize_t bytes = ::read(fd_.get(), messages, wanted * sizeof(uffd_msg));
  std::size_t count = 0;
  for (ssize_t i = 0; i < bytes / static_cast<ssize_t>(sizeof(uffd_msg)); ++i) {
    if (messages[i].event != UFFD_EVENT_PAGEFAULT) continue;
    const auto& fault = messages[i].arg.pagefault;
    faults[count++] = {reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(fault.address)),
                       (fault.flags & UFFD_PAGEFAULT_FLAG_WRITE) != 0, (fault.flags & UFFD_PAGEFAULT_FLAG_WP) != 0,
                       fault.feat.ptid};
  }
  return count;
}

int Userfaultfd::move(std::byte* target, std::byte* source, Bytes bytes, Bytes& moved, bool wakes) noexcept {
  return in_parts(bytes, moved, EINVAL, [&](Bytes offset, Bytes part, Bytes& part_moved) {
    MoveRequest request{as_number(target) + offset.n, as_number(source) + offset.n, part.n,
                        move_allow_holes | (wakes ? 0 : move_dontwake), 0};
    const int error = ::ioctl(fd_.get(), ioctl_move, &request) == 0 ? 0 : errno;
    part_moved = bytes_told(request.moved);
    return error;
  });
}

int Userfaultfd::copy(std::byte* target, const std::byte* source, Bytes bytes, Bytes& copied, bool is_protected,
                      bool wakes) noexcept {
  return in_parts(bytes, copied, ENOENT, [&](Bytes offset, Bytes part, Bytes& part_copied) {
    uffdio_copy request{};
    request.dst = as_number(target) + offset.n;
    request.src = as_number(source) + offset.n;
    request.len = part.n;
    request.mode = (is_protected ? UFFDIO_COPY_MODE_WP : 0) | (wakes ? 0 : UFFDIO_COPY_MODE_DONTWAKE);
    const int error = ::ioctl(fd_.get(), UFFDIO_COPY, &request) == 0 ? 0 : errno;
    part_copied = bytes_told(request.copy);
    return error;
  });
}

int Userfaultfd::set_protection(std::byte* base, Bytes bytes, bool is_protected) noexcept {
  Bytes done;
  return in_parts(bytes, done, ENOENT, [&](Bytes offset, Bytes part, Bytes&) {
    uffdio_writeprotect request{range_of(base + offset.n, part), is_protected ? UFFDIO_WRITEPROTECT_MODE_WP : 0};
    return ::ioctl(fd_.get(), UFFDIO_WRITEPROTECT, &request) == 0 ? 0 : errno;
  });
}

int Userfaultfd::protect(std::byte* base, Bytes bytes) noexcept { return set_protection(base, bytes, true); }
int Userfaultfd::unprotect(std::byte* base, Bytes bytes) noexcept { return set_protection(base, bytes, false); }

int Userfaultfd::wake(std::byte* base, Bytes bytes) noexcept {
  uffdio_range range = range_of(base, bytes);
  return ::ioctl(fd_.get(), UFFDIO_WAKE, &range) == 0 ? 0 : errno;
}

int Userfaultfd::poison(std::byte* base, Bytes bytes) noexcept {
  Bytes done;
  return in_parts(bytes, done, ENOENT, [&](Bytes offset, Bytes part, Bytes& part_done) {
    PoisonRequest request{range_of(base + offset.n, part), 0, 0};
    const int error = ::ioctl(fd_.get(), ioctl_poison, &request) == 0 ? 0 : errno;
    part_done = bytes_told(request.updated);
    return error;
  });
}

}  // namespace umrt::os
