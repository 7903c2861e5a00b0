/* $title
 *
 * Made by Ridgeline $version. C99, one header; link with -lm. Nothing is allocated, and threads share constants alone.
 *
 *     double x[${NAME}_N] = {...};                    metrics in this order:
$metrics
 *     ${name}_prediction p = ${name}_predict(x);
 *     p.value          $response
 *     p.low, p.high    $interval
 *     p.flags          0, or bits: ${NAME}_OUT_OF_RANGE a metric is outside its trained range,
 *                      ${NAME}_FAR the row is too far from the training trials, ${NAME}_REFUSED there is no prediction
 *     p.cluster        the cluster whose model spoke, from 0
 *     ${name}_value(x)  the value alone, in the least time; NAN where refused
 *
 * Self-test:  cc -std=c99 -DRIDGELINE_SELF_TEST -x c FILE.h -o self_test -lm && ./self_test
 */
#ifndef ${NAME}_H
#define ${NAME}_H

#include <math.h>

enum { ${NAME}_N = $n, ${NAME}_OUT_OF_RANGE = 1, ${NAME}_FAR = 2, ${NAME}_REFUSED = 4 };

typedef struct {
    double value, low, high;
    unsigned flags;
    int cluster;
} ${name}_prediction;

