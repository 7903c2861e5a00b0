// Heapsort of N random doubles.
#include "runtime.h"

static double x[N];

static void sift(int root, int n) {
  double v = x[root];
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && x[child + 1] > x[child]) child++;
    if (x[child] <= v) break;
    x[root] = x[child];
  }
  x[root] = v;
}

static uint64_t work(void) {
  for (int i = 0; i < N; i++) x[i] = random_unit();
  for (int i = N / 2; i-- > 0;) sift(i, N);
  for (int n = N; n-- > 1;) {
    double t = x[0];
    x[0] = x[n];
    x[n] = t;
    sift(0, n);
  }
  return (uint64_t)(1e6 * x[N / 2]);
}
