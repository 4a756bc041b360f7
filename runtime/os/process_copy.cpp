// SPDX-License-Identifier: Apache-2.0
#include "os/process_copy.h"

#include <sys/uio.h>

#include <array>
#include <cerrno>

namespace umrt::os {
namespace {

class PieceList {  // the two vectors of the system call, and what is left of them
 public:
  explicit PieceList(std::span<const CopyPiece> pieces) {
    UMRT_ASSERT(pieces.size() <= copy_pieces_max);
    for (const CopyPiece& piece : pieces) {
      local_[count_] = {piece.local, piece.bytes.n};
      remote_[count_++] = {piece.remote, piece.bytes.n};
    }
  }
  bool empty() const { return first_ == count_; }
  const iovec* local() const { return local_.data() + first_; }
  const iovec* remote() const { return remote_.data() + first_; }
  unsigned long count() const { return count_ - first_; }

  void advance(std::size_t bytes) {
    while (bytes != 0) {
      const std::size_t step = bytes < local_[first_].iov_len ? bytes : local_[first_].iov_len;
      for (iovec* side : {&local_[first_], &remote_[first_]}) {
        side->iov_base = static_cast<std::byte*>(side->iov_base) + step;
        side->iov_len -= step;
      }
      bytes -= step;
      if (local_[first_].iov_len == 0) ++first_;
    }
  }

 private:
  std::array<iovec, copy_pieces_max> local_, remote_;
  std::size_t first_ = 0, count_ = 0;
};

template <class Call>
int copy_all(Call call, int pid, std::span<const CopyPiece> pieces) noexcept {
  PieceList left(pieces);
  while (!left.empty()) {
    const ssize_t copied = call(pid, left.local(), left.count(), left.remote(), left.count(), 0);
    if (copied < 0) return errno;
    if (copied == 0) return EFAULT;
    left.advance(static_cast<std::size_t>(copied));
  }
  return 0;
}

}  // namespace

int copy_from_process(int pid, std::span<const CopyPiece> pieces) noexcept {
  return copy_all(::process_vm_readv, pid, pieces);
}

int copy_to_process(int pid, std::span<const CopyPiece> pieces) noexcept {
  return copy_all(::process_vm_writev, pid, pieces);
}

}  // namespace umrt::os
