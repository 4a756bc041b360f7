// SPDX-License-Identifier: Apache-2.0
// Quantities as people read them, three significant digits.
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"
#include "core/hints.h"

namespace umrt {

std::string human(Bytes bytes);                                // "1.40 GiB", "640 KiB", "0 B"
std::string human(Ticks duration);                             // "6.12 s", "840 ms", "12.0 us"
std::string human_count(std::uint64_t n);                      // "12,345"; from ten million on "12.3 M"
std::string human(PageClass page_class);                       // "2M"
std::string human(const Hints& hints);                         // "sequential, read-mostly"; empty where there are none
std::string human(ProcessorId processor);                      // "host", "device 0"
std::string times(std::uint64_t value, std::uint64_t base);    // "1.4 times", "15 times"
std::string percent(std::uint64_t part, std::uint64_t whole);  // "42 %", "0.3 %"

}  // namespace umrt
