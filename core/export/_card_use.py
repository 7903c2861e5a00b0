"""How a model's code is used, for its card: what the exported header of C and the module of Python are called with."""

from textwrap import indent

from core.export._c_text import wrapped
from core.export._lower import reason_against
from core.export._names import comment
from core.export.c import C
from core.pipeline import FittedPipeline
from core.report.model.card import Snippet, middle_row

MOST_NAMES = 12
"""Metrics whose names stand in a snippet; the numbers of all do."""
_C = """\
/* This is use.c, beside the header:  ridgeline export model.json --to c --out model.h
   To build and run it:               cc -std=c99 use.c -o use -lm && ./use */
#include <stdio.h>
#include "model.h"

int main(void)
{{
    /* {names} */
    const double x[{NAME}_N] = {{
{numbers}
    }};
    const {name}_prediction p = {name}_predict(x);
    if (p.flags & {NAME}_REFUSED) return 1;
    printf("%.10g, from %.10g to %.10g%s\\n", p.value, p.low, p.high, p.flags ? ", outside its domain" : "");
    return 0;
}}"""
_PYTHON = """\
# beside the module:  ridgeline export model.json --to python --out model.py
import model

# {names}
row = [
{numbers}
]
said = model.predict([row])[0]
print(said.value, said.low, said.high, said.in_domain)"""


def code_snippets(model: FittedPipeline) -> tuple[Snippet, ...]:
    """Return a program of C and a script of Python that predict one row; none if the model is no code."""
    if reason_against(model) is not None:
        return ()
    names, left = list(model.names)[:MOST_NAMES], len(model.names) - MOST_NAMES
    more = f" and {left:,} more, in the order that the file lists" if left > 0 else ""
    listed = ", ".join(map(comment, names)) + more
    numbers = wrapped([f"{v:.4g}" for v in middle_row(model)], 80)
    name = C.name(model)
    c = _C.format(names=listed, numbers=indent(numbers, "    "), name=name, NAME=name.upper())
    return (
        Snippet("C, with a compiler and nothing else", c),
        Snippet("Python, without Ridgeline or any package", _PYTHON.format(names=listed, numbers=numbers)),
    )
