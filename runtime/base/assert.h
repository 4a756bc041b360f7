// SPDX-License-Identifier: Apache-2.0
// UMRT_ASSERT: our own mistakes, checked in every build. One condition each, no side effect inside.
#pragma once

namespace umrt {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}

#define UMRT_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::umrt::assertion_failed(#condition, __FILE__, __LINE__))
