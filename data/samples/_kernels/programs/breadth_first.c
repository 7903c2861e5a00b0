// Breadth-first search of a random graph of N nodes with 8 edges each.
#include "runtime.h"

enum { DEGREE = 8 };
static int edge[N][DEGREE], depth[N], queue[N];

static uint64_t work(void) {
  for (int i = 0; i < N; i++) {
    depth[i] = -1;
    for (int k = 0; k < DEGREE; k++) edge[i][k] = (int)random_below(N);
  }
  int head = 0, tail = 0;
  queue[tail++] = 0;
  depth[0] = 0;
  while (head < tail) {
    int node = queue[head++];
    for (int k = 0; k < DEGREE; k++) {
      int next = edge[node][k];
      if (depth[next] >= 0) continue;
      depth[next] = depth[node] + 1;
      queue[tail++] = next;
    }
  }
  return (uint64_t)(tail + depth[N / 2]);
}
