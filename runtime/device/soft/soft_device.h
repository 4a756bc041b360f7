// SPDX-License-Identifier: Apache-2.0
// The software device: one process per device with real page tables and real copies (docs/software-device.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "device/device.h"

namespace umrt {

enum class FaultWayChoice : std::uint8_t { automatic, move, copy };
enum class CopyWayChoice : std::uint8_t { automatic, process_vm, staged };

struct SoftDeviceConfig {
  std::vector<Bytes> device_budgets;  // one a device; at least soft_budget_min(workers)
  FaultWayChoice fault_way = FaultWayChoice::automatic;
  CopyWayChoice copy_way = CopyWayChoice::automatic;
  bool huge_pages = true;          // false: 4 KiB pages even where huge ones can be had
  std::uint32_t workers = 0;       // threads that run kernels, per device; 0: one per core
  std::uint32_t copy_threads = 0;  // threads that move bytes; 0: chosen by the number of cores
  Bytes arena_bytes = 1_TiB;       // halved until it fits
};

// Every worker may need two blocks at once (an access across a border), and evictions need room to run ahead.
constexpr Bytes soft_budget_min(std::uint32_t workers) { return 2_MiB * (2 * workers + 2); }

// min(1/4 of MemAvailable, room in the memory cgroup), in whole blocks.
Bytes soft_budget_default();
std::uint32_t soft_workers_default();

// Call it from the thread that will own the device: the device processes end when that thread ends.
Result<std::unique_ptr<Device>> make_soft_device(const SoftDeviceConfig& config);

}  // namespace umrt
