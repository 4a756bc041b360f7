// SPDX-License-Identifier: Apache-2.0
#include "os/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace umrt::os {

Result<SharedMemory> SharedMemory::make(Bytes bytes) {
  SharedMemory made;
  made.fd_ = FileDescriptor{::memfd_create("umrt-remote", MFD_CLOEXEC)};
  if (made.fd_ && ::ftruncate(made.fd_.get(), static_cast<off_t>(bytes.n)) == 0) return made;
  const int error = errno;
  return failure(UMRT_ERROR_OUT_OF_MEMORY,
                 fmt::format("cannot make {} KiB of shared memory: {}", bytes / 1_KiB, std::strerror(error)), error);
}

int SharedMemory::write(Bytes offset, const std::byte* from, Bytes bytes) const noexcept {
  while (bytes > Bytes{}) {
    const ssize_t done = ::pwrite(fd_.get(), from, bytes.n, static_cast<off_t>(offset.n));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done == 0 || errno == ENOSPC ? ENOMEM : errno;
    const Bytes written{static_cast<std::uint64_t>(done)};
    offset += written;
    from += written.n;
    bytes -= written;
  }
  return 0;
}

int SharedMemory::read(Bytes offset, std::byte* to, Bytes bytes) const noexcept {
  while (bytes > Bytes{}) {
    const ssize_t done = ::pread(fd_.get(), to, bytes.n, static_cast<off_t>(offset.n));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done == 0 ? EIO : errno;
    const Bytes read{static_cast<std::uint64_t>(done)};
    offset += read;
    to += read.n;
    bytes -= read;
  }
  return 0;
}

void SharedMemory::release() noexcept {
  if (!fd_) return;
  [[maybe_unused]] const int failed = ::ftruncate(fd_.get(), 0);
  fd_.reset();
}

}  // namespace umrt::os
