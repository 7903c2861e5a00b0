/* This is use.c, beside the header:  ridgeline export model.json --to c --out model.h
   To build and run it:               cc -std=c99 use.c -o use -lm && ./use */
#include <stdio.h>
#include "model.h"

int main(void)
{
    /* $names */
    const double x[${NAME}_N] = {
$numbers
    };
    const ${name}_prediction p = ${name}_predict(x);
    if (p.flags & ${NAME}_REFUSED) return 1;
    printf("%.10g, from %.10g to %.10g%s\n", p.value, p.low, p.high, p.flags ? ", outside its domain" : "");
    return 0;
}
