// SPDX-License-Identifier: Apache-2.0
// C functions: version, errors, init and shutdown, devices.
#include <algorithm>

#include "api/abi.h"
#include "api/result_names.h"

using namespace umrt;

int umrt_version(void) { return UMRT_VERSION_MAJOR * 10000 + UMRT_VERSION_MINOR * 100 + UMRT_VERSION_PATCH; }

const char* umrt_error_name(umrt_result result) {
  const ResultRow* row = find_result(result);
  return row == nullptr ? "unknown result" : row->name;
}

const char* umrt_error_string(umrt_result result) {
  const ResultRow* row = find_result(result);
  return row == nullptr ? "unknown result" : row->text;
}

const char* umrt_error_detail(void) { return last_error_detail(); }

void umrt_config_init(umrt_config* config) {
  if (config == nullptr) return;
  *config = umrt_config{};
  config->version = UMRT_CONFIG_VERSION;
}

umrt_result umrt_init(const umrt_config* config) {
  try {
    return as_result(init_runtime(config));
  } catch (const std::exception& error) {
    return fail({UMRT_ERROR_OUT_OF_MEMORY, 0, error.what()});
  }
}

umrt_result umrt_shutdown(void) {
  try {
    return as_result(shutdown_runtime());
  } catch (const std::exception& error) {
    return fail({UMRT_ERROR_UNKNOWN, 0, error.what()});
  }
}

umrt_result umrt_device_count(uint32_t* count) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (count == nullptr) return abi::null_argument("count");
    *count = runtime.device_count();
    return {};
  });
}

umrt_result umrt_device_reset(uint32_t device) {
  return abi::with_runtime([&](Runtime& runtime) { return runtime.reset_device(device); });
}
