// Six sweeps of a five-point stencil over an N x N grid.
#include "runtime.h"

static float x[2][N][N];

static uint64_t work(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x[0][i][j] = x[1][i][j] = (float)(i * 7 + j * 3 & 31);
  for (int sweep = 0; sweep < 6; sweep++) {
    float(*from)[N] = x[sweep & 1], (*to)[N] = x[~sweep & 1];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        to[i][j] = 0.2f * (from[i][j] + from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
  }
  return (uint64_t)(1e3f * x[0][N / 2][N / 3]);
}
