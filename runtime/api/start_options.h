// SPDX-License-Identifier: Apache-2.0
// What to start with: the settings in force, made into figures of this machine.
#pragma once

#include <umrt/umrt.h>

#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "config/settings.h"
#include "core/policy.h"

namespace umrt {

struct StartOptions {
  bool is_disabled = false;
  std::string device;  // a row of devices.h
  std::vector<Bytes> device_budgets;
  Bytes host_budget;
  Bytes arena_bytes;
  const PolicyRow* policy = nullptr;
  bool prefetches = true;
  std::string fault_way, copy_way;
  bool huge_pages = true;
  std::uint32_t workers = 0, copy_threads = 0;  // 0: left to the device
  std::uint64_t samples_per_second = 0;
  Bytes free_low, free_high;
  log::Level log_level = log::Level::warning;
  std::string report_file;
  umrt_report_format report_format = UMRT_REPORT_TEXT;
};

// From the argument of umrt_init (null: nothing), the environment and the file. Errors: INVALID_VALUE.
Result<StartOptions> load_start_options(const umrt_config* config);

}  // namespace umrt
