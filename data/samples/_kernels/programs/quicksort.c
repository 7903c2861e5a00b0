// Quicksort of N random integers, with insertion sort for short runs.
#include "runtime.h"

static int x[N];

static void insertion(int low, int high) {
  for (int i = low + 1; i <= high; i++) {
    int v = x[i], j = i - 1;
    for (; j >= low && x[j] > v; j--) x[j + 1] = x[j];
    x[j + 1] = v;
  }
}

static void sort(int low, int high) {
  while (high - low > 12) {
    int pivot = x[low + (high - low) / 2], i = low, j = high;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (x[j] > pivot) j--;
      if (i <= j) {
        int t = x[i];
        x[i++] = x[j];
        x[j--] = t;
      }
    }
    sort(low, j);
    low = i;
  }
  insertion(low, high);
}

static uint64_t work(void) {
  for (int i = 0; i < N; i++) x[i] = (int)random_below(1u << 30);
  sort(0, N - 1);
  return (uint64_t)x[N / 2];
}
