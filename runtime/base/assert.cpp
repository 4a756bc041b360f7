// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace umrt {

// The one place where umrt ends a process: going on with a broken invariant would corrupt the application's data.
void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "umrt: internal error at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace umrt
