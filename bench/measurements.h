// SPDX-License-Identifier: Apache-2.0
// The table of what `umrt bench` measures. A measurement is one function in a file of its own and one row here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "measurement.h"

namespace umrt::bench {

struct Options {
  bool is_smoke = false;  // small and short: shows that it runs, the figures mean nothing
};

struct MeasurementRow {
  std::string_view name;  // what `umrt bench NAME` asks for; the results' names begin with it
  std::string_view summary;
  std::vector<Measurement> (*measure)(const Options&);  // throws std::runtime_error
};

std::span<const MeasurementRow> measurement_rows();

std::vector<Measurement> measure_sweep(const Options&);
std::vector<Measurement> measure_faults(const Options&);
std::vector<Measurement> measure_fits(const Options&);
std::vector<Measurement> measure_malloc(const Options&);
std::vector<Measurement> measure_engine(const Options&);
std::vector<Measurement> measure_init(const Options&);

}  // namespace umrt::bench
