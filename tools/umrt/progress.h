// SPDX-License-Identifier: Apache-2.0
// A bar on a terminal, for work of several stages. Writes to standard error, and nothing at all where that is a pipe or
// a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace umrt::tool {

class Progress {
 public:
  Progress();  // shown if standard error is a terminal
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin(std::string stage, std::uint64_t steps);
  void step(std::uint64_t done);  // cheap: draws at most ten times a second
  void clear();                   // before other output

 private:
  void draw();

  bool is_shown_;
  bool is_drawn_ = false;
  std::string stage_;
  std::uint64_t steps_ = 0, done_ = 0;
  std::chrono::steady_clock::time_point began_, drawn_;
};

}  // namespace umrt::tool
