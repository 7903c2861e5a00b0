// Product of two N x N matrices, three plain loops.
#include "runtime.h"

static double a[N][N], b[N][N], c[N][N];

static uint64_t work(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = random_unit(), b[i][j] = random_unit();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < N; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
  return (uint64_t)(1e6 * c[N / 2][N / 3]);
}
