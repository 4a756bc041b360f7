// SPDX-License-Identifier: Apache-2.0
#include "os/fork_shield.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace umrt::os {
namespace {

struct MapsEntry {
  std::uintptr_t begin = 0, end = 0;
  std::string permissions, path;
};

std::optional<MapsEntry> parse_header(const std::string& line) {
  std::istringstream in(line);
  MapsEntry entry;
  char dash = 0;
  std::string offset, device, inode;
  in >> std::hex >> entry.begin >> dash >> entry.end >> entry.permissions >> offset >> device >> inode;
  if (!in || dash != '-') return std::nullopt;
  std::getline(in >> std::ws, entry.path);
  return entry;
}

bool is_heap_memory(const MapsEntry& entry) {
  if (entry.permissions != "rw-p" || entry.end - entry.begin < (1_MiB).n) return false;
  return entry.path.empty() || entry.path == "[heap]" || entry.path.starts_with("[anon:");
}

// Sanitizers keep their shadow in large private mappings, which a child cannot do without.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_shadow_memory = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool has_shadow_memory = true;
#else
constexpr bool has_shadow_memory = false;
#endif
#else
constexpr bool has_shadow_memory = false;
#endif

}  // namespace

ForkShield::ForkShield(std::span<const void* const> places_to_keep) {
  if (has_shadow_memory) return;
  // smaps, not maps: a mapping that is left out of forks already ("dc") belongs to someone who needs it so (RDMA,
  // CUDA).
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  std::optional<MapsEntry> current;
  std::uintptr_t previous_end = 0;
  bool previous_is_file = false;
  bool current_is_bss = false;
  while (std::getline(smaps, line)) {
    if (!line.starts_with("VmFlags:")) {
      const auto header = line.find('-') < 17 ? parse_header(line) : std::nullopt;
      if (!header) continue;
      // The part of program data that no file backs (bss) follows its file's mapping without a gap.
      current_is_bss = header->path.empty() && previous_is_file && header->begin == previous_end;
      previous_end = header->end;
      previous_is_file = header->path.starts_with("/");
      current = header;
      continue;
    }
    if (!current || current_is_bss || !is_heap_memory(*current) || line.find(" dc") != std::string::npos) continue;
    const bool is_kept = std::any_of(places_to_keep.begin(), places_to_keep.end(), [&](const void* place) {
      const auto p = reinterpret_cast<std::uintptr_t>(place);
      return p >= current->begin && p < current->end;
    });
    if (is_kept) continue;
    const Region region{reinterpret_cast<std::byte*>(current->begin), {current->end - current->begin}};
    if (::madvise(region.base, region.bytes.n, MADV_DONTFORK) == 0) shielded_.push_back(region);
  }
}

ForkShield::~ForkShield() {
  for (const Region& region : shielded_) ::madvise(region.base, region.bytes.n, MADV_DOFORK);
}

}  // namespace umrt::os
