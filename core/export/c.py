"""One header, of C99 or of C++17: no allocation, and nothing that two threads share but constants.

C needs no library but libm. Names and tables of C++ stand in a namespace, as what the compiler knows.
"""

from pathlib import Path
from typing import ClassVar

from core import __version__
from core.codec import FloatArray
from core.export._c_frame import predict_body, write_program
from core.export._c_text import Dialect, Writer, c99, cpp17, main_text
from core.export._lower import lower
from core.export._lowered import Lowered, compile_and_run, self_test
from core.export._names import c_string, comment, filled, identifier, with_unit
from core.export._program import Program
from core.export.base import Answers, Vector, vectors
from core.pipeline import FittedPipeline


def header(program: Program, vectors: list[Vector], name: str) -> str:
    """Return the whole header of C; what users call things stands in comments and strings, made harmless."""
    result = f"{name}_prediction"
    w = _functions(program, c99(name), result)
    both = [*program.metrics, program.response]
    for what, texts in {"metric_name": [m.name for m in both], "metric_unit": [m.unit for m in both]}.items():
        body = [f"static const char *const texts[] = {{\n{_strings(texts)}\n    }};"]
        body += [f"return i >= 0 && i < {len(texts)} ? texts[i] : 0;"]
        w.function("const char *", what, "int i", body)
    tests = main_text(program, vectors, result, f"{name}_predict")
    head = filled("header.h", **_told(program, name, " *         "))
    return head + "\n".join(w.lines) + tests + f"\n#endif /* {name.upper()}_H */\n"


def cpp_header(program: Program, vectors: list[Vector], name: str) -> str:
    """Return the whole header of C++, likewise."""
    functions = "\n".join(_functions(program, cpp17(), "prediction").lines)
    own, text = program.response, "inline constexpr std::string_view"
    texts = [
        f"{text} metric_names[n] = {{\n{_strings([m.name for m in program.metrics])}\n}};",
        f"{text} metric_units[n] = {{\n{_strings([m.unit for m in program.metrics])}\n}};",
        f"{text} response_name = {c_string(own.name)};",
        f"{text} response_unit = {c_string(own.unit)};",
    ]
    head = filled("header.hpp", **_told(program, name, "//         "), texts="\n".join(texts), functions=functions)
    tests = main_text(program, vectors, f"{name}::prediction", f"{name}::predict")
    test = tests.replace("fabs(", "std::fabs(").replace("#include <stdio.h>", "#include <cstdio>")
    return f"{head}{test.replace('printf', 'std::printf')}\n#endif  // {name.upper()}_HPP\n"


def _functions(program: Program, dialect: Dialect, result: str) -> Writer:
    w = Writer(dialect)
    write_program(program, w)
    w.function(result, "predict", "const double *x", predict_body(program, w, result))
    return w


def _strings(texts: list[str]) -> str:
    return ",\n".join(f"    {c_string(text)}" for text in texts)


def _told(program: Program, name: str, before: str) -> dict[str, object]:
    """Return what comments at the beginning tell of a model; the metrics are lines that begin with `before`."""
    response, n = comment(str(program.response)), program.n
    interval = "NAN: the model was never validated, so that it has no interval"
    if program.band is not None:
        interval = f"the interval that is made to cover {program.band.nominal:.0%} of unseen trials"
    listed = "\n".join(f"{before}x[{i}]  {with_unit(m)}" for i, m in enumerate(program.metrics))
    names = {"title": comment(program.title), "version": __version__, "name": name, "NAME": name.upper(), "n": n}
    return names | {"metrics": listed, "response": response, "interval": interval}


class Header(Lowered):
    """Writes a header, and runs its self-test and a loop over rows.

    Attributes
    ----------
    after : what its names have behind the response's
    within : what stands between that and a name of the header
    row : how a row of n numbers is declared, as its users do
    """

    says: ClassVar[str] = "every family, with intervals and domain flags; forests as tables"
    language: ClassVar[str]
    header: ClassVar["staticmethod[[Program, list[Vector], str], str]"]
    within: ClassVar[str] = "_"
    row: ClassVar[str] = "double x[{n}]"
    after: ClassVar[str] = ""

    def name(self, model: FittedPipeline) -> str:
        """Return what the names of a header begin with, or their namespace."""
        return identifier(model.response.name) + self.after

    def write(self, model: FittedPipeline) -> bytes:
        """Return the header."""
        return self.header(lower(model), vectors(model), self.name(model)).encode()

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Compile and run the self-test, then a program that reads rows of doubles and writes four doubles for each."""
        header, prefix = f"model{self.suffix}", self.name(model) + self.within
        (folder / header).write_bytes(raw)
        self_test(header, self.language, folder)
        n = len(model.metrics)
        loop = filled("rows.c", header=header, prefix=prefix, n=n, row=self.row.format(n=n))
        (folder / "rows.c").write_text(loop, encoding="ascii")
        return compile_and_run("rows.c", self.language, X, folder)


class C(Header):
    """`NAME_predict(x)` gives value, low, high, flags; `NAME_value(x)` the number alone, as fast as can be."""

    label: ClassVar[str] = "C header (C99)"
    suffix: ClassVar[str] = ".h"
    language: ClassVar[str] = "c"
    header = staticmethod(header)


class Cpp(Header):
    """`NAME::predict(x)` gives value, low, high, flags; `NAME::value(x)` the number alone."""

    label: ClassVar[str] = "C++ header (C++17)"
    suffix: ClassVar[str] = ".hpp"
    language: ClassVar[str] = "c++"
    header = staticmethod(cpp_header)
    within: ClassVar[str] = "::"
    row: ClassVar[str] = "std::array<double, {n}> x"
    after: ClassVar[str] = "_model"
