// N insertions into an open hash table and 2 N look-ups, half of them of absent keys.
#include "runtime.h"

enum { SLOTS = 2 * N };  // N is a power of two
static struct {
  uint64_t key, value;
} table[SLOTS];

static uint32_t place(uint64_t key) {
  uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (SLOTS - 1);
  while (table[at].key && table[at].key != key) at = (at + 1) & (SLOTS - 1);
  return at;
}

static uint64_t work(void) {
  for (uint32_t i = 0; i < N; i++) {
    uint64_t key = 1 + 2 * (uint64_t)random_below(4 * N);
    uint32_t at = place(key);
    table[at].key = key;
    table[at].value += i;
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 2 * N; i++) sum += table[place(1 + random_below(8 * N))].value;
  return sum;
}
