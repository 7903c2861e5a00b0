"""One header of C++17: a namespace with constexpr tables, no allocation, nothing besides the standard library."""

from typing import ClassVar

from core.export._c_frame import predict_body, value_body, write_program
from core.export._c_text import Writer, cpp17, main_text
from core.export._lowered import Header
from core.export._names import c_string, identifier
from core.export._program import Program
from core.export._vectors import Vectors
from core.export.c import told
from core.pipeline import FittedPipeline

_HEAD = """\
// {title}
//
// Made by Ridgeline {version}. C++17, header only. Nothing is allocated, and threads share constants alone.
//
//     std::array<double, {name}::n> x = {{...}};       metrics in this order:
{metrics}
//     {name}::prediction p = {name}::predict(x);
//     p.value          {response}
//     p.low, p.high    {interval}
//     p.flags          0, or bits: out_of_range a metric is outside its trained range,
//                      far the row is too far from the training trials, refused there is no prediction
//     p.cluster        the cluster whose model spoke, from 0
//     {name}::value(x) the value alone, in the least time; NAN where refused
//
// Self-test:  c++ -std=c++17 -DRIDGELINE_SELF_TEST -x c++ FILE.hpp -o self_test && ./self_test
#ifndef {NAME}_HPP
#define {NAME}_HPP

#include <array>
#include <cmath>
#include <string_view>

namespace {name} {{

inline constexpr int n = {n};
enum : unsigned {{ out_of_range = 1, far = 2, refused = 4 }};

struct prediction {{
    double value, low, high;
    unsigned flags;
    int cluster;
    bool in_domain() const {{ return flags == 0; }}
}};

{texts}

namespace detail {{
using std::asinh, std::copysign, std::exp, std::fabs, std::log, std::log1p, std::log2, std::pow, std::sqrt;

{functions}
}}  // namespace detail

inline double value(const double *x) {{ return detail::value(x); }}
inline prediction predict(const double *x) {{ return detail::predict(x); }}
inline double value(const std::array<double, n> &x) {{ return detail::value(x.data()); }}
inline prediction predict(const std::array<double, n> &x) {{ return detail::predict(x.data()); }}

}}  // namespace {name}
"""
_READING = """\
#include "model.hpp"
#include <cstdio>

int main()
{{
    std::array<double, {name}::n> x;
    while (std::fread(x.data(), sizeof x[0], x.size(), stdin) == x.size()) {{
        const auto p = {name}::predict(x);
        const double value = {name}::value(x);
        const double out[4] = {{value == p.value ? p.value : value, p.low, p.high, static_cast<double>(p.flags)}};
        if (std::fwrite(out, sizeof out[0], 4, stdout) != 4) return 1;
    }}
}}
"""


def header(program: Program, vectors: Vectors, name: str) -> str:
    """Return the whole header; what users call things stands in comments and strings, made harmless."""
    w = Writer(cpp17())
    write_program(program, w)
    w.function("double", "value", "const double *x", value_body(program, w))
    w.function("prediction", "predict", "const double *x", predict_body(program, w, "prediction"))
    functions = "\n".join(w.lines)
    head = _HEAD.format(**told(program, name, "//         "), texts=_texts(program), functions=functions)
    tests = main_text(program, vectors, f"{name}::prediction", f"{name}::predict")
    test = tests.replace("fabs(", "std::fabs(").replace("#include <stdio.h>", "#include <cstdio>")
    return f"{head}{test.replace('printf', 'std::printf')}\n#endif  // {name.upper()}_HPP\n"


def reading(name: str) -> str:
    """Return a program that predicts rows of doubles from its input and writes four doubles for each."""
    return _READING.format(name=name)


def _texts(program: Program) -> str:
    """Return the string tables: names of metrics and their units, and the response's."""
    lines = []
    for name, texts in (
        ("metric_names", [m.name for m in program.metrics]),
        ("metric_units", [m.unit for m in program.metrics]),
    ):
        strings = ",\n".join(f"    {c_string(text)}" for text in texts)
        lines.append(f"inline constexpr std::string_view {name}[n] = {{\n{strings}\n}};")
    own = program.response
    lines.append(f"inline constexpr std::string_view response_name = {c_string(own.name)};")
    lines.append(f"inline constexpr std::string_view response_unit = {c_string(own.unit)};")
    return "\n".join(lines)


class Cpp(Header):
    """`NAME::predict(x)` gives value, low, high, flags; `NAME::value(x)` the number alone."""

    label: ClassVar[str] = "C++ header (C++17)"
    suffix: ClassVar[str] = ".hpp"
    language: ClassVar[str] = "c++"
    header = staticmethod(header)
    reading = staticmethod(reading)

    @staticmethod
    def name(model: FittedPipeline) -> str:
        """Return the namespace of a header."""
        return f"{identifier(model.response.name)}_model"
