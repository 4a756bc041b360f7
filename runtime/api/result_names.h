// SPDX-License-Identifier: Apache-2.0
// The table of results: what umrt_error_name and umrt_error_string say.
#pragma once

#include <umrt/result.h>

#include <span>

namespace umrt {

struct ResultRow {
  umrt_result result;
  const char* name;
  const char* text;
};

std::span<const ResultRow> result_rows();
const ResultRow* find_result(umrt_result result);  // nullptr: no such result

}  // namespace umrt
