/* SPDX-License-Identifier: Apache-2.0 */
/* y = a * x + y on a device, in C: the host fills the vectors, a kernel works on them, the host reads the sum. */
#include <stdio.h>
#include <umrt/umrt.h>

struct saxpy_arguments {
  float a;
  const float* x;
  float* y;
};

static void saxpy(const void* arguments, uint64_t begin, uint64_t end) {
  const struct saxpy_arguments* s = arguments;
  for (uint64_t i = begin; i < end; ++i) s->y[i] += s->a * s->x[i];
}

static int failed(const char* call) {
  fprintf(stderr, "%s: %s\n", call, umrt_error_detail());
  return 1;
}

int main(void) {
  const uint64_t n = 1u << 20;
  struct saxpy_arguments s = {2.0f, NULL, NULL};
  void *x, *y;
  if (umrt_init(NULL) != UMRT_SUCCESS) return failed("umrt_init");
  if (umrt_malloc(&x, n * sizeof(float)) != UMRT_SUCCESS) return failed("umrt_malloc");
  if (umrt_malloc(&y, n * sizeof(float)) != UMRT_SUCCESS) return failed("umrt_malloc");
  for (uint64_t i = 0; i < n; ++i) {
    ((float*)x)[i] = 1.0f;
    ((float*)y)[i] = (float)(i % 4);
  }
  s.x = x;
  s.y = y;
  if (umrt_launch(NULL, saxpy, &s, sizeof s, n, 0) != UMRT_SUCCESS) return failed("umrt_launch");
  if (umrt_synchronize() != UMRT_SUCCESS) return failed("umrt_synchronize");
  double sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum += s.y[i];
  printf("sum %.0f, expected %.0f\n", sum, 3.5 * (double)n);
  umrt_free(x);
  umrt_free(y);
  umrt_shutdown();
  return sum == 3.5 * (double)n ? 0 : 1;
}
