// SPDX-License-Identifier: Apache-2.0
#include "os/program_name.h"

#include <filesystem>

namespace umrt::os {

std::string program_name() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "unknown" : path.filename().string();
}

}  // namespace umrt::os
