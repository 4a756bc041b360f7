// SPDX-License-Identifier: Apache-2.0
#include "os/memory_info.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace umrt::os {
namespace {

constexpr Bytes unlimited{std::numeric_limits<std::uint64_t>::max()};

Bytes mem_available() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kib = 0;
  std::string unit;
  while (file >> key >> kib) {
    if (key == "MemAvailable:") return {kib << 10};
    std::getline(file, unit);
  }
  return unlimited;
}

Bytes number_in(const std::string& path) {  // a missing file or "max": no limit
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? Bytes{value} : unlimited;
}

Bytes room_in(const std::string& folder, const char* limit_file, const char* usage_file) {
  const Bytes limit = number_in(folder + limit_file);
  const Bytes usage = number_in(folder + usage_file);
  if (limit == unlimited || usage == unlimited) return unlimited;
  return limit > usage ? limit - usage : Bytes{};
}

// A limit can stand at any level between the process's group and the root.
Bytes cgroup_room() {
  Bytes room = unlimited;
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v2 = controllers.empty();
    if (!is_v2 && controllers.find("memory") == std::string::npos) continue;
    const std::string root = is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string group = line.substr(second + 1);;) {
      const std::string folder = root + (group == "/" ? "" : group);
      room = std::min(room, is_v2 ? room_in(folder, "/memory.max", "/memory.current")
                                  : room_in(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes"));
      if (group.empty() || group == "/") break;
      group.resize(group.rfind('/'));
    }
  }
  return room;
}

}  // namespace

Bytes memory_available() { return std::min(mem_available(), cgroup_room()); }

bool are_huge_pages_disabled() { return ::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0; }

bool has_huge_pages() {
  if (are_huge_pages_disabled()) return false;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string word;
  while (file >> word)
    if (word == "[always]" || word == "[madvise]") return true;
  return false;
}

std::uint32_t cores_available() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace umrt::os
