// SPDX-License-Identifier: Apache-2.0
// C functions: the placement report.
#include <algorithm>
#include <cstring>

#include "api/abi.h"
#include "os/write_file.h"

using namespace umrt;

namespace {

Status check_format(umrt_report_format format) {
  if (format == UMRT_REPORT_TEXT || format == UMRT_REPORT_JSON) return {};
  return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("format is {}: it must be UMRT_REPORT_TEXT or UMRT_REPORT_JSON",
                                                       static_cast<int>(format)));
}

}  // namespace

umrt_result umrt_report(umrt_report_format format, char* buffer, size_t capacity, size_t* needed) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (auto checked = check_format(format); !checked) return checked;
    if (buffer == nullptr && capacity != 0) return abi::null_argument("buffer");
    const auto text = runtime.report(format);
    if (!text) return tl::unexpected(text.error());
    if (capacity != 0) {
      const size_t copied = std::min(text->size(), capacity - 1);
      std::memcpy(buffer, text->data(), copied);
      buffer[copied] = '\0';
    }
    if (needed != nullptr) *needed = text->size() + 1;
    return {};
  });
}

umrt_result umrt_report_file(umrt_report_format format, const char* path) {
  return abi::with_runtime([&](Runtime& runtime) -> Status {
    if (auto checked = check_format(format); !checked) return checked;
    if (path == nullptr) return abi::null_argument("path");
    const auto text = runtime.report(format);
    if (!text) return tl::unexpected(text.error());
    return os::write_file(path, *text);
  });
}
