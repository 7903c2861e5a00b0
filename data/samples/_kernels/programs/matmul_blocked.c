// Product of two N x N matrices in blocks of 8 x 8.
#include "runtime.h"

enum { BLOCK = 8 };
static double a[N][N], b[N][N], c[N][N];

static void multiply_block(int i0, int k0, int j0) {
  for (int i = i0; i < i0 + BLOCK; i++)
    for (int k = k0; k < k0 + BLOCK; k++) {
      double f = a[i][k];
      for (int j = j0; j < j0 + BLOCK; j++) c[i][j] += f * b[k][j];
    }
}

static uint64_t work(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = random_unit(), b[i][j] = random_unit();
  for (int i = 0; i < N; i += BLOCK)
    for (int k = 0; k < N; k += BLOCK)
      for (int j = 0; j < N; j += BLOCK) multiply_block(i, k, j);
  return (uint64_t)(1e6 * c[N / 2][N / 3]);
}
