// SPDX-License-Identifier: Apache-2.0
// Code addresses as text, for reports: "file.cpp:12 (function)" where the program has symbols and addr2line is
// installed, else "module+0x1a2b (symbol)".
#pragma once

#include <span>
#include <string>
#include <vector>

namespace umrt {

// One text an address, in their order; empty for null. Starts addr2line once a module: not for hot paths.
std::vector<std::string> describe_call_sites(std::span<const void* const> return_addresses);

}  // namespace umrt
