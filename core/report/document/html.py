"""Documents: pages of HTML that stand alone, to keep and print; their shell, and the parts that they are made of."""

import math
from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

import numpy as np

from core.report.shared.naming import short_number
from core.report.shared.scorecard import ScoreCard
from core.report.shared.svg import Sketch

if TYPE_CHECKING:
    import pandas as pd

NUMBER = '<td class="number">'


def page(title: str, kind: str, parts: Sequence[str]) -> str:
    """Return a page without a script or anything from outside, light and dark, to print.

    Parameters
    ----------
    kind : what it is, behind the title
    parts : its sections; empty ones are left out
    """
    shell = resources.files("core.report.document").joinpath("page.html").read_text(encoding="utf-8")
    body = "\n".join(part for part in parts if part)
    return Template(shell).substitute(title=escape(title), kind=escape(kind), body=body)


def head(kind: str, title: str, line: str, honest: str, more: str = "") -> str:
    """Return the top of a page: what it is, its title, a line of HTML below it, and the sentence that counts."""
    said = f'<p class="honest">{escape(honest)}</p>' if honest else ""
    top = f'<p class="kind">{escape(kind)}</p><h1>{escape(title)}</h1>'
    return f"<header>{top}<p>{line}</p>{said}{more}</header>"


def section(title: str, body: str) -> str:
    """Return a section; "" without a body."""
    return f"<section><h2>{title}</h2>{body}</section>" if body else ""


def paragraph(text: str, look: str = "") -> str:
    """Return a paragraph of a text; "" without one."""
    known = f' class="{look}"' if look else ""
    return f"<p{known}>{escape(text)}</p>" if text else ""


def figures(drawn: Sequence[Sketch]) -> str:
    """Return pictures, each above what it shows, side by side where there is room; "" without any."""
    each = (f"<figure>{one.svg}<figcaption>{escape(one.alt)}</figcaption></figure>" for one in drawn)
    return f'<div class="figures">{"".join(each)}</div>' if drawn else ""


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return a table of names and what they are; hashes are set as such."""
    rows = [[cell(name, "label"), cell(value, "hash" if "SHA" in name else "")] for name, value in pairs if value]
    return table(["", ""], rows, head=False)


def folded(title: str, body: str, *, opened: bool = False) -> str:
    """Return a part that opens by a click, and is open on paper."""
    return f"<details{' open' if opened else ''}><summary>{escape(title)}</summary>{body}</details>"


def frame_table(frame: "pd.DataFrame") -> str:
    """Return a table as it is: numbers to the right, what is nothing as a dash."""
    rows = [[_any(value) for value in row] for row in frame.itertuples(index=False, name=None)]
    return table([str(c) for c in frame.columns], rows)


def score_table(card: ScoreCard) -> str:
    """Return the scores of a card that are known, with their meanings."""
    rows = [
        [cell(row.name), *map(number, row.values), cell(row.unit), cell(row.meaning, "quiet")]
        for row in card.rows
        if any(value is not None for value in row.values)
    ]
    return table(["score", *card.columns, "unit", "what it says"], rows, "scores")


def _any(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return cell("yes" if value else "no")
    if isinstance(value, int | float | np.number):
        return number(float(value))
    return cell("–" if value is None else str(value))


def listed(texts: Sequence[str], look: str = "") -> str:
    """Return a list of texts."""
    return f'<ul class="{look}">{"".join(f"<li>{escape(text)}</li>" for text in texts)}</ul>'


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], look: str = "", *, head: bool = True) -> str:
    """Return a table of cells, as `cell` and `number` make them."""
    numbers = [one.startswith(NUMBER) for one in rows[0]] if rows else []
    looks = [" class=number" if number else "" for number in numbers] or [""] * len(columns)
    titles = "".join(f"<th{own}>{escape(column)}</th>" for column, own in zip(columns, looks, strict=True))
    top = f"<thead><tr>{titles}</tr></thead>" if head else ""
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<div class="wide"><table class="{look}">{top}<tbody>{body}</tbody></table></div>'


def long_table(columns: Sequence[str], rows: Sequence[Sequence[str]], noun: str) -> str:
    """Return a table of cells, which opens by a click where it has more than 25 rows."""
    every = table(columns, rows)
    return folded(f"All {len(rows):,} {noun}", every) if len(rows) > 25 else every


def cell(text: str, look: str = "") -> str:
    """Return a cell of text."""
    return f'<td class="{look}">{escape(text)}</td>' if look else f"<td>{escape(text)}</td>"


def number(value: float | None) -> str:
    """Return a cell of a number, or a dash."""
    known = value is not None and math.isfinite(value)
    return f"{NUMBER}{short_number(value, 4) if known and value is not None else '–'}</td>"
