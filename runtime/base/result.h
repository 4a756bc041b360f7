// SPDX-License-Identifier: Apache-2.0
// Result<T>: what can fail because of the world or the caller, up to the one place that can act on it.
#pragma once

#include <umrt/result.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace umrt {

struct Error {
  umrt_result code = UMRT_ERROR_UNKNOWN;
  int system_errno = 0;  // 0: the system had no part in it
  std::string detail;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> failure(umrt_result code, std::string detail, int system_errno = 0) {
  return tl::unexpected<Error>(Error{code, system_errno, std::move(detail)});
}

}  // namespace umrt
