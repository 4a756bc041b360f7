// SPDX-License-Identifier: Apache-2.0
// Plain threads over equal parts of [0, count), for work on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace umrt::graph {

template <class Work>
void for_parts(std::uint64_t count, unsigned threads, const Work& work) {
  const std::uint64_t parts = std::max<std::uint64_t>(1, std::min<std::uint64_t>(threads, count));
  const auto border = [&](std::uint64_t part) { return count / parts * part + std::min(part, count % parts); };
  std::vector<std::jthread> others;
  for (std::uint64_t part = 1; part < parts; ++part) {
    others.emplace_back([&work, begin = border(part), end = border(part + 1)] { work(begin, end); });
  }
  work(border(0), border(1));
}

}  // namespace umrt::graph
