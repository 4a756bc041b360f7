// SPDX-License-Identifier: Apache-2.0
// Which code a process has loaded, so that a later look tells whether an address was there at an earlier time.
#pragma once

#include <cstdint>
#include <vector>

namespace umrt::os {

class LoadedCode {
 public:
  static LoadedCode now();  // executable segments of the program and its libraries
  bool contains(const void* code) const;

 private:
  struct Segment {
    std::uintptr_t begin, end;
  };
  std::vector<Segment> segments_;
};

}  // namespace umrt::os
