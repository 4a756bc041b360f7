// SPDX-License-Identifier: Apache-2.0
#include "os/file_descriptor.h"

#include <unistd.h>

namespace umrt::os {

void FileDescriptor::reset() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace umrt::os
