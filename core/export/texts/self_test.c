
#ifdef RIDGELINE_SELF_TEST
#include <stdio.h>

int main(void)
{
    static const double vectors[$n][$width] = {
$rows
    };
    static const double least[3] = {$least};
    double worst = 0;
    int i, j, wrong = 0;
    for (i = 0; i < $n; i++) {
        const $result p = $predict(vectors[i]);
        const double found[3] = {p.value, p.low, p.high};
        wrong += p.flags != (unsigned)vectors[i][$width - 1];
        for (j = 0; j < 3; j++) {
            const double right = vectors[i][$metrics + j];
            const double size = fabs(right) > least[j] ? fabs(right) : least[j];
            if (right != right || found[j] != found[j]) wrong += (right != right) != (found[j] != found[j]);
            else if (fabs(right) <= 1.7976931348623157e308 && fabs(found[j] - right) / size > worst)
                worst = fabs(found[j] - right) / size;
        }
    }
    printf("$n test vectors, largest relative difference %.3g, %d wrong flags or refusals\n", worst, wrong);
    return wrong || worst > $tolerance;
}
#endif
