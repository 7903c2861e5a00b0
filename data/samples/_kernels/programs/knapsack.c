// Best value of 40 things in a sack of capacity N.
#include "runtime.h"

static int best[N + 1];

static uint64_t work(void) {
  for (int thing = 0; thing < 40; thing++) {
    int weight = 1 + (int)random_below(N / 4), value = 1 + (int)random_below(1000);
    for (int room = N; room >= weight; room--) {
      int with = best[room - weight] + value;
      if (with > best[room]) best[room] = with;
    }
  }
  return (uint64_t)best[N];
}
