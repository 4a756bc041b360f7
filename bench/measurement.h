// SPDX-License-Identifier: Apache-2.0
// A figure that `umrt bench` prints, and what it must reach.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace umrt::bench {

enum class Goal : std::uint8_t { at_least, at_most };

struct Measurement {
  std::string name;  // such as "sweep.lru.limit_ratio"
  double value = 0;
  std::string unit;  // "ratio", "ns", "ms"
  Goal direction = Goal::at_least;
  double goal = 0;
  std::string detail;  // the figures behind it
  bool holds() const { return direction == Goal::at_least ? value >= goal : value <= goal; }
};

// The value below which `fraction` of the values lie.
inline double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const auto index = static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
  return values[index];
}
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace umrt::bench
