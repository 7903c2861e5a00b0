// Edit distance of two strings of N letters, two rows at a time.
#include "runtime.h"

static unsigned char a[N], b[N];
static int row[2][N + 1];

static int least(int x, int y) { return x < y ? x : y; }

static uint64_t work(void) {
  for (int i = 0; i < N; i++) {
    a[i] = (unsigned char)random_below(4);
    b[i] = random_below(10) ? a[i] : (unsigned char)random_below(4);
    row[0][i + 1] = i + 1;
  }
  for (int i = 0; i < N; i++) {
    int *above = row[i & 1], *here = row[~i & 1];
    here[0] = i + 1;
    for (int j = 0; j < N; j++)
      here[j + 1] = least(least(above[j + 1], here[j]) + 1, above[j] + (a[i] != b[j]));
  }
  return (uint64_t)row[N & 1][N];
}
