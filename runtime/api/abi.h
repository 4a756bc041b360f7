// SPDX-License-Identifier: Apache-2.0
// What the files with C functions share: the way from a C function to the runtime and back.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>

#include "api/last_error.h"
#include "api/process_runtime.h"

namespace umrt::abi {

inline tl::unexpected<Error> null_argument(const char* name) {
  return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("{} is NULL", name));
}

// Runs `body(runtime)`, which gives a Status. No exception leaves the library.
template <class Body>
umrt_result with_runtime(Body&& body) noexcept {
  try {
    auto runtime = current_runtime();
    if (!runtime) return fail(std::move(runtime.error()));
    return as_result(body(**runtime));
  } catch (const std::bad_alloc&) {
    return fail({UMRT_ERROR_OUT_OF_MEMORY, 0, "the system has no memory for umrt's own bookkeeping"});
  } catch (const std::exception& error) {
    return fail({UMRT_ERROR_UNKNOWN, 0, error.what()});
  }
}

// Stores the value of a Result where there is one.
template <class T, class Stored>
Status store(Result<T>&& result, Stored* place) {
  if (!result) return tl::unexpected(std::move(result.error()));
  *place = std::move(*result);
  return {};
}

}  // namespace umrt::abi
