// SPDX-License-Identifier: Apache-2.0
// A userfaultfd of this process and its operations. Operations return an errno, 0 when done, and are
// async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "base/units.h"
#include "os/file_descriptor.h"

namespace umrt::os {

struct UserfaultfdNeeds {
  bool move = true;               // UFFDIO_MOVE, Linux 6.8
  bool faults_as_sigbus = false;  // the faulting thread gets SIGBUS instead of a message here
  bool kernel_mode = true;        // also faults of system calls, if the system allows; else user mode alone
};

struct PageFault {
  std::byte* address;
  bool is_write;
  bool is_protection;
  std::uint32_t thread;
};

class Userfaultfd {
 public:
  // NOT_SUPPORTED with the likely cause and cure when it is refused or a feature is missing.
  static Result<Userfaultfd> open(const UserfaultfdNeeds& needs);

  enum class Watch { missing_and_protected, protected_alone };
  // `protected_alone` makes a region a legal destination of `move` without catching its first touches.
  Status watch(std::byte* base, Bytes bytes, Watch what);
  int try_watch(std::byte* base, Bytes bytes, Watch what) noexcept;  // the same, an errno

  bool serves_kernel_mode() const { return serves_kernel_mode_; }
  bool has_poison() const { return has_poison_; }
  int fd() const { return fd_.get(); }

  std::size_t read_faults(std::span<PageFault> faults) noexcept;  // never blocks; how many were read

  // Moves or copies pages from source to target, both of this process; target must have none. They begin after the
  // first `moved` or `copied` bytes and say there how far they came. All of these answer with 0 or an errno.
  int move(std::byte* target, std::byte* source, Bytes bytes, Bytes& moved, bool wakes) noexcept;
  int copy(std::byte* target, const std::byte* source, Bytes bytes, Bytes& copied, bool is_protected,
           bool wakes) noexcept;
  int protect(std::byte* base, Bytes bytes) noexcept;
  int unprotect(std::byte* base, Bytes bytes) noexcept;  // and wakes
  int wake(std::byte* base, Bytes bytes) noexcept;
  int poison(std::byte* base, Bytes bytes) noexcept;  // touches raise SIGBUS; Linux 6.6

 private:
  int set_protection(std::byte* base, Bytes bytes, bool is_protected) noexcept;

  FileDescriptor fd_;
  bool serves_kernel_mode_ = false;
  bool has_poison_ = false;
};

}  // namespace umrt::os
