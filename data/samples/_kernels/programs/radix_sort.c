// Radix sort of N random 32-bit keys, four passes of eight bits.
#include "runtime.h"

static uint32_t x[N], y[N], start[257];

static void pass(const uint32_t *from, uint32_t *to, int shift) {
  memset(start, 0, sizeof start);
  for (int i = 0; i < N; i++) start[((from[i] >> shift) & 255) + 1]++;
  for (int i = 0; i < 256; i++) start[i + 1] += start[i];
  for (int i = 0; i < N; i++) to[start[(from[i] >> shift) & 255]++] = from[i];
}

static uint64_t work(void) {
  for (int i = 0; i < N; i++) x[i] = random_below(~0u);
  pass(x, y, 0);
  pass(y, x, 8);
  pass(x, y, 16);
  pass(y, x, 24);
  return x[N / 2];
}
