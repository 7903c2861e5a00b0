// N insertions into a binary search tree and 2 N look-ups.
#include "runtime.h"

static struct node {
  uint32_t key, count;
  struct node *child[2];
} nodes[N];

static struct node *descend(struct node *p, uint32_t key, struct node ***link) {
  while (p && p->key != key) {
    *link = &p->child[key > p->key];
    p = **link;
  }
  return p;
}

static uint64_t work(void) {
  struct node *root = 0, **link = &root;
  uint32_t used = 0, found = 0;
  for (uint32_t i = 0; i < N; i++) {
    uint32_t key = random_below(1u << 30);
    link = &root;
    struct node *p = descend(root, key, &link);
    if (!p) p = *link = &nodes[used++], p->key = key;
    p->count++;
  }
  for (uint32_t i = 0; i < 2 * N; i++) found += descend(root, random_below(1u << 30), &link) != 0;
  return used + found;
}
