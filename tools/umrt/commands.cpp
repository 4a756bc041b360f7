// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

namespace umrt::tool {
namespace {

constexpr Command table[] = {
    {"demo", "PageRank and breadth-first search on more data than the device holds, and the placement report",
     declare_demo},
    {"bench", "the figures that umrt promises, measured on this machine", declare_bench},
    {"config", "every setting, its value, and where the value came from", declare_config},
    {"doctor", "what this machine allows, and a cure for what it does not", declare_doctor},
};

}  // namespace

std::span<const Command> commands() { return table; }

}  // namespace umrt::tool
