// SPDX-License-Identifier: Apache-2.0
#include "telemetry/machine.h"

#include <array>
#include <fstream>
#include <limits>

#include "os/child_process.h"
#include "os/memory_info.h"
#include "os/process_copy.h"
#include "os/userfaultfd.h"

namespace umrt {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

int number_in(const char* path, int otherwise) {
  std::ifstream file(path);
  int value = 0;
  return file >> value ? value : otherwise;
}

std::string chosen_in_brackets(const std::string& line) {  // "always [madvise] never"
  const std::size_t begin = line.find('[');
  const std::size_t end = line.find(']');
  return begin == std::string::npos || end < begin ? "" : line.substr(begin + 1, end - begin - 1);
}

Bytes address_space_limit() {  // "Max address space  unlimited  unlimited  bytes"
  std::ifstream file("/proc/self/limits");
  constexpr std::string_view key = "Max address space";
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t digits = line.find_first_not_of(' ', key.size());
    if (digits == std::string::npos || line[digits] < '0' || line[digits] > '9') break;
    return {std::stoull(line.substr(digits))};
  }
  return {std::numeric_limits<std::uint64_t>::max()};
}

std::uint32_t numa_nodes() {
  std::uint32_t nodes = 0;
  while (std::ifstream("/sys/devices/system/node/node" + std::to_string(nodes) + "/meminfo")) ++nodes;
  return nodes == 0 ? 1 : nodes;
}

// A copy of this process's own memory passes the same filters as one between two processes of one user.
int copy_errno() {
  std::array<std::byte, 64> from{}, to{};
  const os::CopyPiece piece{to.data(), from.data(), {to.size()}};
  const int own_pid = number_in("/proc/self/stat", 0);  // its first field
  return os::copy_from_process(own_pid, {&piece, 1});
}

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.kernel = first_line("/proc/sys/kernel/osrelease");
  if (const auto faults = os::Userfaultfd::open({.move = false})) {
    facts.serves_system_calls = faults->serves_kernel_mode();
  } else {
    facts.userfaultfd_error = faults.error().detail;
  }
  if (const auto faults = os::Userfaultfd::open({.move = true}); !faults) facts.move_error = faults.error().detail;
  facts.copy_errno = copy_errno();
  facts.are_huge_pages_disabled = os::are_huge_pages_disabled();
  facts.huge_pages = chosen_in_brackets(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  facts.overcommit = number_in("/proc/sys/vm/overcommit_memory", 0);
  facts.address_space_limit = address_space_limit();
  facts.memory_available = os::memory_available();
  facts.cores = os::cores_available();
  facts.numa_nodes = numa_nodes();
  return facts;
}

}  // namespace umrt
