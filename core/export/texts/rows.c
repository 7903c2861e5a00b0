#include "$header"
#include <stdio.h>

int main(void)
{
    $row;
    while (fread(&x[0], sizeof x[0], $n, stdin) == $n) {
        const ${prefix}prediction p = ${prefix}predict(x);
        const double value = ${prefix}value(x);
        const double out[4] = {value == p.value ? p.value : value, p.low, p.high, (double)p.flags};
        if (fwrite(out, sizeof out[0], 4, stdout) != 4) return 1;
    }
    return 0;
}
