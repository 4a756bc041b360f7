// SPDX-License-Identifier: Apache-2.0
#include "api/devices.h"

#include "device/soft/soft_device.h"

namespace umrt {
namespace {

FaultWayChoice fault_way_of(const std::string& name) {
  if (name == "move") return FaultWayChoice::move;
  return name == "copy" ? FaultWayChoice::copy : FaultWayChoice::automatic;
}

CopyWayChoice copy_way_of(const std::string& name) {
  if (name == "process_vm") return CopyWayChoice::process_vm;
  return name == "staged" ? CopyWayChoice::staged : CopyWayChoice::automatic;
}

Result<std::unique_ptr<Device>> make_soft(const StartOptions& options) {
  return make_soft_device({.device_budgets = options.device_budgets,
                           .fault_way = fault_way_of(options.fault_way),
                           .copy_way = copy_way_of(options.copy_way),
                           .huge_pages = options.huge_pages,
                           .workers = options.workers,
                           .copy_threads = options.copy_threads,
                           .arena_bytes = options.arena_bytes});
}

Bytes soft_min(const StartOptions& options) {
  return soft_budget_min(options.workers != 0 ? options.workers : soft_workers_default());
}

constexpr DeviceRow rows[] = {
    {"soft", "a software device: a process with page tables and memory of its own, on any Linux machine",
     soft_budget_default, soft_min, make_soft},
};

}  // namespace

std::span<const DeviceRow> device_rows() { return rows; }

const DeviceRow* find_device(std::string_view name) {
  for (const DeviceRow& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace umrt
