// Fast Fourier transform of N complex numbers (N a power of two).
#include "runtime.h"

static double re[N], im[N], wr[N / 2], wi[N / 2];

static void roots(void) {
  double x = 6.283185307179586 / N, x2 = x * x;
  double c = 1 - x2 / 2 * (1 - x2 / 12 * (1 - x2 / 30)), s = x * (1 - x2 / 6 * (1 - x2 / 20));
  wr[0] = 1;
  for (int i = 1; i < N / 2; i++) {
    wr[i] = wr[i - 1] * c - wi[i - 1] * s;
    wi[i] = wr[i - 1] * s + wi[i - 1] * c;
  }
}

static void reorder(void) {
  for (int i = 1, j = 0; i < N; i++) {
    int bit = N >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i >= j) continue;
    double t = re[i], u = im[i];
    re[i] = re[j], im[i] = im[j];
    re[j] = t, im[j] = u;
  }
}

static uint64_t work(void) {
  roots();
  for (int i = 0; i < N; i++) re[i] = random_unit();
  reorder();
  for (int half = 1; half < N; half *= 2)
    for (int i = 0; i < N; i += 2 * half)
      for (int k = 0; k < half; k++) {
        int w = k * (N / (2 * half)), a = i + k, b = a + half;
        double tr = re[b] * wr[w] - im[b] * wi[w], ti = re[b] * wi[w] + im[b] * wr[w];
        re[b] = re[a] - tr, im[b] = im[a] - ti;
        re[a] += tr, im[a] += ti;
      }
  return (uint64_t)(1e3 * (1e4 + re[N / 3]));
}
