// SPDX-License-Identifier: Apache-2.0
// Who touches memory, and how. A processor has its own page table: the host, or device 0..N-1.
#pragma once

#include <compare>
#include <cstdint>

namespace umrt {

inline constexpr std::uint32_t devices_max = 8;
inline constexpr std::uint32_t processors_max = devices_max + 1;

struct ProcessorId {  // 0 is the host, d + 1 is device d, 255 nobody
  std::uint8_t n = 255;
  friend constexpr auto operator<=>(ProcessorId, ProcessorId) = default;
  constexpr bool is_host() const { return n == 0; }
  constexpr bool is_device() const { return n >= 1 && n < processors_max; }
  constexpr std::uint32_t device() const { return n - 1u; }  // ordinal; only for a device
};
inline constexpr ProcessorId host_processor{0};
inline constexpr ProcessorId no_processor{255};
constexpr ProcessorId device_processor(std::uint32_t ordinal) { return {static_cast<std::uint8_t>(ordinal + 1)}; }

enum class Access : std::uint8_t { read, write };

// Why bytes moved. CUPTI calls a demand migration "coherence".
enum class Cause : std::uint8_t { demand, prefetch, eviction, user };
inline constexpr std::uint32_t causes = 4;

}  // namespace umrt
