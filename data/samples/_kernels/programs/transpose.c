// Two transpositions of an N x N matrix.
#include "runtime.h"

static uint32_t x[N][N], y[N][N];

static uint64_t work(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x[i][j] = (uint32_t)(i * N + j);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y[j][i] = x[i][j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x[j][i] ^= y[i][j];
  return x[N / 2][N / 3];
}
