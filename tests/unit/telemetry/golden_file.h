// SPDX-License-Identifier: Apache-2.0
// Files that tests compare with, and write anew when UMRT_GOLDEN_WRITE=1.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace umrt::test {

inline bool is_writing_golden() {
  const char* value = std::getenv("UMRT_GOLDEN_WRITE");
  return value != nullptr && std::string_view{value} == "1";
}

inline std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}

}  // namespace umrt::test
