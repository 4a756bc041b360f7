// SPDX-License-Identifier: Apache-2.0
#include "api/last_error.h"

#include <utility>

namespace umrt {
namespace {
thread_local std::string detail;
}

umrt_result fail(Error error) noexcept {
  detail = std::move(error.detail);
  return error.code;
}

const char* last_error_detail() noexcept { return detail.c_str(); }

}  // namespace umrt
