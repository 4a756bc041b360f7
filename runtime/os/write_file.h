// SPDX-License-Identifier: Apache-2.0
// A file that is replaced whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace umrt::os {

// Writes beside it and renames. SYSTEM, naming the path. Devices and pipes are written in place.
Status write_file(const std::string& path, std::string_view text);

}  // namespace umrt::os
