// SPDX-License-Identifier: Apache-2.0
#include "os/loaded_code.h"

#include <link.h>

#include <algorithm>

namespace umrt::os {

LoadedCode LoadedCode::now() {
  LoadedCode code;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& segments = static_cast<LoadedCode*>(data)->segments_;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
          const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
          segments.push_back({begin, begin + header.p_memsz});
        }
        return 0;
      },
      &code);
  return code;
}

bool LoadedCode::contains(const void* code) const {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  return std::any_of(segments_.begin(), segments_.end(),
                     [&](const Segment& s) { return address >= s.begin && address < s.end; });
}

}  // namespace umrt::os
