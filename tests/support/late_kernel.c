/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel in a library of its own, which a test loads after the devices have started. */
#include <umrt/umrt.h>

UMRT_API void late_kernel(const void* arguments, uint64_t begin, uint64_t end);

void late_kernel(const void* arguments, uint64_t begin, uint64_t end) {
  uint64_t* words = *(uint64_t* const*)arguments;
  for (uint64_t i = begin; i < end; ++i) words[i] = 3 * i;
}
