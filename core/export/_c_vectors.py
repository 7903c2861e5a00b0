"""Test vectors of an exported header, and the main function that a self-test is."""

from core.export._c_text import number, wrapped
from core.export._program import Program
from core.export._vectors import Vectors

_MAIN = """
#ifdef RIDGELINE_SELF_TEST
#include <stdio.h>

int main(void)
{{
    static const double vectors[{n}][{width}] = {{
{rows}
    }};
    double worst = 0;
    int i, j, wrong = 0;
    for (i = 0; i < {n}; i++) {{
        const {result} p = {predict}(vectors[i]);
        const double found[3] = {{p.value, p.low, p.high}};
        wrong += p.flags != (unsigned)vectors[i][{width} - 1];
        for (j = 0; j < 3; j++) {{
            const double right = vectors[i][{metrics} + j];
            const double size = fabs(right) > 1e-300 ? fabs(right) : 1e-300;
            if (right != right || found[j] != found[j]) wrong += (right != right) != (found[j] != found[j]);
            else if (fabs(right) <= 1.7976931348623157e308 && fabs(found[j] - right) / size > worst)
                worst = fabs(found[j] - right) / size;
        }}
    }}
    printf("{n} test vectors, largest relative difference %.3g, %d wrong flags or refusals\\n", worst, wrong);
    return wrong || worst > {tolerance};
}}
#endif
"""
TOLERANCE = 1e-9
"""Of a self-test on a machine with another mathematical library; a proof asks for more."""


def tests(program: Program, vectors: Vectors, name: str) -> str:
    """Return the self-test of a header of C."""
    return main_text(program, vectors, f"{name}_prediction", f"{name}_predict")


def main_text(program: Program, vectors: Vectors, result: str, predict: str) -> str:
    """Return a main function that tries the vectors: each row holds metrics, value, low, high, flags."""
    a = vectors.answers
    rows = []
    for x, *right in zip(vectors.X.tolist(), *(v.tolist() for v in (a.value, a.low, a.high, a.flags)), strict=True):
        rows.append(f"    {{\n{wrapped([number(v) for v in [*x, *right]], 108)}\n    }}")
    return _MAIN.format(
        n=len(rows),
        width=program.n + 4,
        metrics=program.n,
        rows=",\n".join(rows),
        result=result,
        predict=predict,
        tolerance=TOLERANCE,
    )
