// Sieve of Eratosthenes up to N.
#include "runtime.h"

static unsigned char composite[N];

static uint64_t work(void) {
  uint64_t primes = 0;
  for (uint32_t i = 2; i < N; i++) {
    if (composite[i]) continue;
    primes++;
    for (uint64_t k = (uint64_t)i * i; k < N; k += i) composite[k] = 1;
  }
  return primes;
}
