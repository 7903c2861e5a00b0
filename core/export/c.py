"""One header of C99: no allocation, no library but libm, and nothing that two threads share but constants."""

from typing import ClassVar

from core import __version__
from core.export._c_frame import predict_body, value_body, write_program
from core.export._c_text import Writer, c99, tests
from core.export._lowered import Header
from core.export._names import c_string, comment, identifier
from core.export._program import Program
from core.export._vectors import Vectors
from core.pipeline import FittedPipeline

_HEAD = """\
/* {title}
 *
 * Made by Ridgeline {version}. C99, one header; link with -lm. Nothing is allocated, and threads share constants alone.
 *
 *     double x[{NAME}_N] = {{...}};                    metrics in this order:
{metrics}
 *     {name}_prediction p = {name}_predict(x);
 *     p.value          {response}
 *     p.low, p.high    {interval}
 *     p.flags          0, or bits: {NAME}_OUT_OF_RANGE a metric is outside its trained range,
 *                      {NAME}_FAR the row is too far from the training trials, {NAME}_REFUSED there is no prediction
 *     p.cluster        the cluster whose model spoke, from 0
 *     {name}_value(x)  the value alone, in the least time; NAN where refused
 *
 * Self-test:  cc -std=c99 -DRIDGELINE_SELF_TEST -x c FILE.h -o self_test -lm && ./self_test
 */
#ifndef {NAME}_H
#define {NAME}_H

#include <math.h>

enum {{ {NAME}_N = {n}, {NAME}_OUT_OF_RANGE = 1, {NAME}_FAR = 2, {NAME}_REFUSED = 4 }};

typedef struct {{
    double value, low, high;
    unsigned flags;
    int cluster;
}} {name}_prediction;

"""
_READING = """\
#include "model.h"
#include <stdio.h>

int main(void)
{{
    double x[{NAME}_N];
    while (fread(x, sizeof x[0], {NAME}_N, stdin) == {NAME}_N) {{
        const {name}_prediction p = {name}_predict(x);
        const double value = {name}_value(x);
        const double out[4] = {{value == p.value ? p.value : value, p.low, p.high, (double)p.flags}};
        if (fwrite(out, sizeof out[0], 4, stdout) != 4) return 1;
    }}
    return 0;
}}
"""


def header(program: Program, vectors: Vectors, name: str) -> str:
    """Return the whole header; what users call things stands in comments and strings, made harmless."""
    w = Writer(c99(name))
    write_program(program, w)
    w.function("double", "value", "const double *x", value_body(program, w))
    result = f"{name}_prediction"
    w.function(result, "predict", "const double *x", predict_body(program, w, result))
    for what, texts in _texts(program).items():
        strings = ",\n".join(f"    {c_string(text)}" for text in texts)
        body = [f"static const char *const texts[] = {{\n{strings}\n    }};"]
        body += [f"return i >= 0 && i < {len(texts)} ? texts[i] : 0;"]
        w.function("const char *", what, "int i", body)
    head = _HEAD.format(**told(program, name, " *         "))
    return head + "\n".join(w.lines) + tests(program, vectors, name) + f"\n#endif /* {name.upper()}_H */\n"


def reading(name: str) -> str:
    """Return a program that predicts rows of doubles from its input and writes four doubles for each."""
    return _READING.format(name=name, NAME=name.upper())


def told(program: Program, name: str, before: str) -> dict[str, object]:
    """Return what comments at the beginning tell of a model; the metrics are lines that begin with `before`."""
    response, n = comment(str(program.response)), program.n
    names = {"title": comment(program.title), "version": __version__, "name": name, "NAME": name.upper(), "n": n}
    return names | {"metrics": _listed(program, before), "response": response, "interval": _interval(program)}


def _listed(program: Program, before: str) -> str:
    """Return the metrics with their units, one comment line each."""
    units = (f" [{comment(m.unit)}]" if m.unit else "" for m in program.metrics)
    names = (comment(m.name) for m in program.metrics)
    return "\n".join(f"{before}x[{i}]  {n}{u}" for i, (n, u) in enumerate(zip(names, units, strict=True)))


def _interval(program: Program) -> str:
    """Say what low and high are."""
    if program.band is None:
        return "NAN: the model was never validated, so that it has no interval"
    return f"the interval that is made to cover {program.band.nominal:.0%} of unseen trials"


def _texts(program: Program) -> dict[str, list[str]]:
    """Return the string tables: names of metrics, their units, and the response's name and unit."""
    both = [*program.metrics, program.response]
    return {"metric_name": [m.name for m in both], "metric_unit": [m.unit for m in both]}


class C(Header):
    """`NAME_predict(x)` gives value, low, high, flags; `NAME_value(x)` the number alone, as fast as can be."""

    label: ClassVar[str] = "C header (C99)"
    suffix: ClassVar[str] = ".h"
    language: ClassVar[str] = "c"
    header = staticmethod(header)
    reading = staticmethod(reading)

    @staticmethod
    def name(model: FittedPipeline) -> str:
        """Return what the names of a header begin with."""
        return identifier(model.response.name)
