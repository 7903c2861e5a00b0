"""The model as people write it: one formula per cluster in the metrics' own names, as text and in LaTeX."""

import re
import tomllib
from dataclasses import replace
from typing import ClassVar

from core.blend import BlendModel
from core.export._names import comment, text_beside
from core.export.base import Exporter
from core.pipeline import FittedPipeline
from core.report.model.formula import formula, is_formula, notation, terms_of


class Formula(Exporter):
    """Plain text in UTF-8."""

    label: ClassVar[str] = "Formula (text)"
    suffix: ClassVar[str] = ".txt"
    says: ClassVar[str] = "stepwise, formula, splines, additive and linear models, rounded to four digits, for people"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return that a family has no formula."""
        return None if is_formula(model) else no_formula(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the formulas, their variables, and how to read them."""
        return "\n".join([formula(model).text(), "", *notation(model), ""]).encode()


def no_formula(model: FittedPipeline) -> str:
    """Say why people cannot read a model."""
    blends = [m.model for m in model.clusters if isinstance(m.model, BlendModel)]
    if blends:
        return f"it is a blend of {', '.join(blends[0].names)}, which no one formula tells. Use python, c or sql"
    kinds = dict.fromkeys(m.model.formula([str(i) for i in range(len(model.features))]) for m in model.clusters)
    return f"it is a {next(iter(kinds))[:80]}, which no formula tells. Use python, c or sql"


MOST_METRICS = 5000
_FIRST = 0xE000
"""Stand-ins for names: characters that no formula has (for private use in Unicode)."""
_TOKEN = re.compile(r"(?P<number>\d+(?:\.\d*)?(?:e[-+]?\d+)?)|(?P<word>[A-Za-z]\w*)|(?P<other>.)", re.DOTALL)
_LATEX: dict[str, dict[str, str]] = tomllib.loads(text_beside("latex.toml"))
_TERMS = 6
"""Of a sum in one line."""


def latex_lines(model: FittedPipeline, letters: int | None = None, *, defined: bool = True) -> str:
    """Return the formulas of a model as the lines of an align environment.

    Parameters
    ----------
    letters : of a sum in one line, unless one term has more; lines then begin below the response, so that they have
        the whole width. Six terms in a line if None
    defined : whether the definitions of their variables follow
    """
    names = [m.name for m in model.metrics]
    stand_ins = {name: chr(_FIRST + i) for i, name in enumerate(names)}
    hidden = replace(
        model,
        metrics=tuple(replace(m, name=stand_ins[m.name]) for m in model.metrics),
        features=tuple(stand_ins.get(f, f) for f in model.features),
        response=replace(model.response, name=chr(_FIRST + len(names))),
    )
    texts = [*names, model.response.name]
    written = formula(hidden) if defined else replace(formula(hidden), variables=())
    lines = [line for line in written.text().splitlines() if line and line != "where"]
    return " \\\\\n".join(_line(line, texts, letters) for line in lines)


def escaped(name: str) -> str:
    """Return a text that LaTeX prints letter for letter."""
    return "".join(_LATEX["special"].get(c, c) for c in "".join(c if c.isprintable() else " " for c in name))


def _line(line: str, names: list[str], letters: int | None) -> str:
    left, equals, right = line.partition(" = ")
    if not equals:
        return f"&\\text{{{escaped(line)}}}"
    terms = terms_of(right)
    six = [terms[i : i + _TERMS] for i in range(0, len(terms), _TERMS)]
    rows = six if letters is None else _rows(terms, names, letters)
    written = [_math(" ".join(row), names) for row in rows]
    head = f"{_math(left, names)} &= " if letters is None else f"&{_math(left, names)} = "
    return head + " \\\\\n&\\quad ".join(written)


def _rows(terms: list[str], names: list[str], letters: int) -> list[list[str]]:
    """Return the terms in lines of so many letters, with the metrics' own names in place of their stand-ins."""
    rows: list[list[str]] = [[]]
    left = letters
    for term in terms:
        size = 1 + len(term) + sum(len(name) - 1 for i, name in enumerate(names) if chr(_FIRST + i) in term)
        if rows[-1] and size > left:
            rows.append([])
            left = letters
        rows[-1].append(term)
        left -= size
    return rows


def _math(text: str, names: list[str]) -> str:
    """Return an expression; an exponent, which is a number, and a root take braces."""
    out, after = [], ""
    for found in _TOKEN.finditer(re.sub(r"\^(-?[\d.]+)", r"^{\1}", text)):
        token = found.group()
        place = ord(token) - _FIRST if len(token) == 1 else -1
        if 0 <= place < len(names):
            name = escaped(names[place]).replace(" ", r"\ ")
            out.append(f"\\mathit{{{name}}}")
        elif found["number"]:
            written = _number(token)
            out.append(f"({written})" if after == "/" and written != token else written)
        elif found["word"]:
            out.append(_word(token, after))
        else:
            out.append(_LATEX["signs"].get(token, token))
        after = token
    return "".join(out)


def _number(token: str) -> str:
    digits, _, exponent = token.partition("e")
    return f"{digits} \\times 10^{{{int(exponent)}}}" if exponent else digits


def _word(token: str, before: str) -> str:
    if token in _LATEX["functions"]:
        return _LATEX["functions"][token]
    match = re.fullmatch(r"([A-Za-z]+)(\d+)", token)
    if match:
        return f"\\mathrm{{{match[1]}}}_{{{match[2]}}}"
    space = " " if before == " " else ""
    return token if len(token) == 1 else f"\\text{{{space}{escaped(token)}}}"


class Latex(Formula):
    """An align environment of amsmath, to be put into a document."""

    label: ClassVar[str] = "Formula (LaTeX)"
    suffix: ClassVar[str] = ".tex"
    says: ClassVar[str] = "stepwise, formula, splines, additive and linear models, rounded to four digits, for a paper"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return that a family has no formula."""
        if len(model.metrics) > MOST_METRICS:
            return f"it takes {len(model.metrics)} metrics, more than the {MOST_METRICS} that are written"
        return super().can_express(model)

    def write(self, model: FittedPipeline) -> bytes:
        """Return the environment, ASCII but for the metrics' own letters."""
        head = f"% {comment(str(model.response))} by {comment(model.provenance.recipe)}; needs \\usepackage{{amsmath}}"
        return f"{head}\n\\begin{{align*}}\n{latex_lines(model)}\n\\end{{align*}}\n".encode()
