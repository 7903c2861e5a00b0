/* Gives each loop to the processor that will have finished it first, asked of two models at run time.
 *
 *     make && ./scheduler loops.csv
 *
 * A little processor (Silvermont) and a big one (Skylake server) of one chip work at once. For each loop the
 * scheduler asks both models for its cycles, adds when each processor is free, and takes the earlier end. A model
 * that says that it cannot know (a flag) is not trusted: the loop then goes to the processor whose model can.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slm.h"
#include "skylake-avx512.h"

enum { METRICS = 7, LONGEST_LINE = 512 };

static const double LITTLE_HZ = 2.4e9, BIG_HZ = 2.1e9;

typedef struct {
    const char *name;
    double free_at, seconds;
    unsigned flags;
    int n_loops;
} processor;

static void ask_little(processor *p, const double *x)
{
    const cycles_slm_prediction said = cycles_slm_predict(x);
    p->seconds = said.value / LITTLE_HZ;
    p->flags = said.flags;
}

static void ask_big(processor *p, const double *x)
{
    const cycles_skylake_avx512_prediction said = cycles_skylake_avx512_predict(x);
    p->seconds = said.value / BIG_HZ;
    p->flags = said.flags;
}

static processor *choose(processor *a, processor *b)
{
    if (!a->flags != !b->flags) return a->flags ? b : a;
    return a->free_at + a->seconds <= b->free_at + b->seconds ? a : b;
}

/* Reads "kernel,variant,x[0],...": the columns behind the first two are the models' metrics, in their order. */
static int read_loop(char *line, char *name, size_t size, double *x)
{
    const char *kernel = strtok(line, ","), *variant = strtok(NULL, ",");
    int i;
    if (!variant) return 0;
    snprintf(name, size, "%s %s", kernel, variant);
    for (i = 0; i < METRICS; i++) {
        const char *cell = strtok(NULL, ",\r\n");
        char *end;
        if (!cell) return 0;
        x[i] = strtod(cell, &end);
        if (end == cell) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    processor little = {"little", 0, 0, 0, 0}, big = {"big", 0, 0, 0, 0};
    char line[LONGEST_LINE], name[LONGEST_LINE];
    double x[METRICS], alone[2] = {0, 0};
    int number = 1;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file || !fgets(line, sizeof line, file)) {
        fprintf(stderr, "usage: %s loops.csv\n", argv[0]);
        return 2;
    }
    printf("%-40s %12s %12s  runs on\n", "loop", "little (us)", "big (us)");
    while (fgets(line, sizeof line, file)) {
        processor *taken;
        number++;
        if (!read_loop(line, name, sizeof name, x)) {
            fprintf(stderr, "%s line %d: expected a kernel, a variant and %d numbers\n", argv[1], number, METRICS);
            return 2;
        }
        ask_little(&little, x);
        ask_big(&big, x);
        taken = choose(&little, &big);
        taken->free_at += taken->seconds;
        taken->n_loops++;
        alone[0] += little.seconds;
        alone[1] += big.seconds;
        printf("%-40s %12.3f %12.3f  %s%s\n", name, 1e6 * little.seconds, 1e6 * big.seconds, taken->name,
               taken->flags ? " (outside the trained range)" : "");
    }
    fclose(file);
    printf("%d loops on little, %d on big: done after %.2f us; on little alone %.2f us, on big alone %.2f us\n",
           little.n_loops, big.n_loops, 1e6 * (little.free_at > big.free_at ? little.free_at : big.free_at),
           1e6 * alone[0], 1e6 * alone[1]);
    return 0;
}
