// Four products of a sparse N x N matrix, 12 random entries per row, with a vector.
#include "runtime.h"

enum { ENTRIES = 12 };
static double value[N * ENTRIES], x[N], y[N];
static int column[N * ENTRIES];

static uint64_t work(void) {
  for (int i = 0; i < N * ENTRIES; i++) value[i] = random_unit() - 0.5, column[i] = (int)random_below(N);
  for (int i = 0; i < N; i++) x[i] = 1;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < N; i++) {
      double s = 0;
      for (int k = i * ENTRIES; k < (i + 1) * ENTRIES; k++) s += value[k] * x[column[k]];
      y[i] = s;
    }
    for (int i = 0; i < N; i++) x[i] = y[i];
  }
  return (uint64_t)(1e6 * (100 + x[N / 2]));
}
