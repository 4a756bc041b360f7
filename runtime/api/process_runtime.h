// SPDX-License-Identifier: Apache-2.0
// The one runtime of the process: what umrt_init makes and umrt_shutdown ends.
#pragma once

#include "api/runtime.h"
#include "api/service.h"

namespace umrt {

// `make_device`: null for the table of devices; tests give their own.
Status init_runtime(const umrt_config* config, const DeviceFactory& make_device = nullptr);
Status shutdown_runtime();

// NOT_INITIALIZED where there is none, and in the child of a fork.
Result<Runtime*> current_runtime();

}  // namespace umrt
