// Compression of N letters: repeats are found through a hash table of earlier places.
#include "runtime.h"

enum { SLOTS = 4096 };
static unsigned char text[N + 8], out[2 * N + 8];
static int last[SLOTS];

static void make_text(void) {
  for (int i = 0; i < N;) {
    int length = 4 + (int)random_below(24), from = (int)random_below((uint32_t)i + 1);
    int copy = i > 64 && random_below(3) > 0;
    for (int k = 0; k < length && i < N; k++, i++)
      text[i] = copy ? text[from + k] : (unsigned char)('a' + random_below(20));
  }
}

static uint64_t work(void) {
  make_text();
  int n = 0;
  for (int i = 0; i < N;) {
    uint32_t h = (text[i] * 2654435761u ^ text[i + 1] * 40503u ^ text[i + 2] * 69069u) >> 4 & (SLOTS - 1);
    int from = last[h] - 1, length = 0;
    last[h] = i + 1;
    while (from >= 0 && i + length < N && length < 255 && text[from + length] == text[i + length]) length++;
    out[n++] = length > 3 ? (unsigned char)length : text[i];
    if (length > 3) out[n++] = (unsigned char)(i - from);
    i += length > 3 ? length : 1;
  }
  return (uint64_t)n;
}
