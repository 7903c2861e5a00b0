// Search of N letters for 24 words with a table of shifts.
#include "runtime.h"

enum { LENGTH = 6 };
static unsigned char text[N];

static int occurrences(const unsigned char *word) {
  int shift[256], found = 0;
  for (int i = 0; i < 256; i++) shift[i] = LENGTH;
  for (int i = 0; i < LENGTH - 1; i++) shift[word[i]] = LENGTH - 1 - i;
  for (int at = 0; at + LENGTH <= N; at += shift[text[at + LENGTH - 1]]) {
    int i = LENGTH - 1;
    while (i >= 0 && text[at + i] == word[i]) i--;
    found += i < 0;
  }
  return found;
}

static uint64_t work(void) {
  for (int i = 0; i < N; i++) text[i] = (unsigned char)('a' + random_below(4));
  uint64_t found = 0;
  for (int i = 0; i < 24; i++) found += (uint64_t)occurrences(text + random_below(N - LENGTH));
  return found;
}
