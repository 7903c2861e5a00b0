// Six walks along a list of N nodes that lie in memory in random order.
#include "runtime.h"

static struct node {
  struct node *next;
  uint64_t value[2];
} nodes[N];
static uint32_t order[N];

static uint64_t work(void) {
  for (uint32_t i = 0; i < N; i++) order[i] = i;
  for (uint32_t i = N - 1; i > 0; i--) {
    uint32_t k = random_below(i + 1), t = order[i];
    order[i] = order[k];
    order[k] = t;
  }
  for (uint32_t i = 0; i + 1 < N; i++) nodes[order[i]].next = &nodes[order[i + 1]];
  uint64_t sum = 0;
  for (int walk = 0; walk < 6; walk++)
    for (struct node *p = &nodes[order[0]]; p; p = p->next) sum += p->value[0]++;
  return sum;
}
