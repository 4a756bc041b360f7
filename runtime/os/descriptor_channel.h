// SPDX-License-Identifier: Apache-2.0
// Descriptors for a child process that closed all others: a pair of sockets from before its start (SCM_RIGHTS). That
// works for every user; /proc/PID/fd needs /proc and a dumpable parent, pidfd_getfd the right to trace the parent.
#pragma once

#include "base/result.h"
#include "os/file_descriptor.h"

namespace umrt::os {

class DescriptorChannel {
 public:
  DescriptorChannel() = default;
  static Result<DescriptorChannel> make();

  int receiver() const { return receiver_.get(); }  // for the child to keep open
  void close_receiver() noexcept { receiver_.reset(); }

  int send(int descriptor) const noexcept;  // an errno, 0 when done

  // In the child: the next one sent, -1 when there is none or it is refused. Async-signal-safe.
  static FileDescriptor receive(int receiver) noexcept;

 private:
  FileDescriptor sender_, receiver_;
};

}  // namespace umrt::os
