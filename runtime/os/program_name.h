// SPDX-License-Identifier: Apache-2.0
// What the running program is called.
#pragma once

#include <string>

namespace umrt::os {

std::string program_name();  // file name of the executable; "unknown" where /proc does not tell

}  // namespace umrt::os
