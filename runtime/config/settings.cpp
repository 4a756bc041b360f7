// SPDX-License-Identifier: Apache-2.0
// The table of settings. The parser, `umrt config` and docs/settings.md all follow it; to add a setting, add a row.
#include "config/settings.h"

namespace umrt {
namespace {

constexpr SettingRow rows[] = {
    {"disable", "UMRT_DISABLE", "disable", "flag", "off",
     "Turns umrt off: memory is plain memory, kernels run in the calling process, nothing moves."},
    {"device", "UMRT_DEVICE", "device", "choice", "soft", "Which kind of device runs kernels.", "soft"},
    {"software devices", "UMRT_SOFT_DEVICES", "soft.devices", "count", "1",
     "How many software devices to start, each a process of its own.", "", 1, 8},
    {"device budget", "UMRT_DEVICE_BUDGET", "device.budget", "size", "auto",
     "Memory of each device; a percentage is one of the machine's available memory. auto: a quarter of it, or less "
     "where the memory cgroup is smaller."},
    {"host budget", "UMRT_HOST_BUDGET", "host.budget", "size", "90%",
     "Memory that managed data may use on the host; a percentage is one of the machine's available memory."},
    {"arena", "UMRT_ARENA_BYTES", "arena.bytes", "size", "1TiB",
     "Addresses to reserve for managed memory; halved until the system grants it."},
    {"policy", "UMRT_POLICY", "policy", "text", "lru", "Which policy fetches and evicts; docs/policies.md lists them."},
    {"prefetch", "UMRT_PREFETCH", "prefetch", "flag", "on",
     "off: nothing is moved but what was faulted on, the baseline of the report's comparison."},
    {"fault way", "UMRT_SOFT_FAULT_WAY", "soft.fault_way", "choice", "auto",
     "How the software device resolves faults: move (UFFDIO_MOVE, Linux 6.8) or copy (UFFDIO_COPY). auto: the best "
     "that the kernel offers.",
     "auto|move|copy"},
    {"copy way", "UMRT_SOFT_COPY_WAY", "soft.copy_way", "choice", "auto",
     "How the software device copies between its process and the application's: process_vm (process_vm_writev) or "
     "staged "
     "(through shared memory). auto: the best that the system allows.",
     "auto|process_vm|staged"},
    {"huge pages", "UMRT_SOFT_HUGE_PAGES", "soft.huge_pages", "flag", "on",
     "Whether software device and host use 2 MiB pages where they can be had."},
    {"workers", "UMRT_SOFT_WORKERS", "soft.workers", "count", "auto",
     "Threads that run kernels, for each device. auto: one for each core.", "", 1, 64},
    {"copy threads", "UMRT_SOFT_COPY_THREADS", "soft.copy_threads", "count", "auto",
     "Threads that copy between host and devices, beside the service thread. auto: one for four cores, 1 to 4; none on "
     "one core.",
     "", 1, 64},
    {"access samples", "UMRT_SAMPLES_PER_SECOND", "samples.per_second", "count", "10",
     "Resident granules unmapped each second, so that their next use is seen. 0: none.", "", 0, 50},
    {"low water mark", "UMRT_EVICT_LOW", "evict.low", "size", "auto",
     "Free device memory below which eviction starts ahead of need; a percentage is one of the device's budget. auto: "
     "a sixteenth of the budget, 16 MiB at most, 0 for budgets under 32 MiB."},
    {"high water mark", "UMRT_EVICT_HIGH", "evict.high", "size", "auto",
     "Free device memory at which eviction ahead of need stops; a percentage is one of the device's budget. auto: 4 "
     "MiB "
     "above evict.low, 0 for budgets under 32 MiB."},
    {"log level", "UMRT_LOG_LEVEL", "log.level", "choice", "warning", "The most verbose log lines to let through.",
     "error|warning|info|debug"},
    {"report file", "UMRT_REPORT_FILE", "report.file", "text", "",
     "Where the placement report is written at shutdown. Empty: nowhere."},
    {"report format", "UMRT_REPORT_FORMAT", "report.format", "choice", "text", "Format of report.file.", "text|json"},
};

std::size_t row_index(std::string_view key) {
  std::size_t index = 0;
  while (index < std::size(rows) && rows[index].key != key) ++index;
  UMRT_ASSERT(index < std::size(rows));
  return index;
}

}  // namespace

std::span<const SettingRow> setting_rows() { return rows; }

const SettingValue& Settings::value(std::string_view key, std::string_view type) const {
  const std::size_t index = row_index(key);
  UMRT_ASSERT(type.empty() || rows[index].type == type);
  return held_[index].value;
}

bool Settings::flag(std::string_view key) const { return value(key, "flag").number != 0; }

std::uint64_t Settings::count(std::string_view key) const {
  const SettingValue& held = value(key, "count");
  UMRT_ASSERT(!held.is_auto);
  return held.number;
}

bool Settings::is_auto(std::string_view key) const { return value(key, {}).is_auto; }

Bytes Settings::size(std::string_view key, Bytes whole) const {
  const SettingValue& held = value(key, "size");
  UMRT_ASSERT(!held.is_auto);
  return resolve_size({held.number, held.is_share}, whole);
}

const std::string& Settings::text(std::string_view key) const { return value(key, {}).text; }

const std::string& Settings::source(std::string_view key) const { return held_[row_index(key)].source; }

}  // namespace umrt
