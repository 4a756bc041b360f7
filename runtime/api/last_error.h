// SPDX-License-Identifier: Apache-2.0
// The text that umrt_error_detail() gives: of the calling thread's last failed call.
#pragma once

#include <string>

#include "base/result.h"

namespace umrt {

umrt_result fail(Error error) noexcept;  // keeps the text, returns the code
const char* last_error_detail() noexcept;

inline umrt_result as_result(const Status& status) noexcept { return status ? UMRT_SUCCESS : fail(status.error()); }

}  // namespace umrt
