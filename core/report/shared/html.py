"""Pages of HTML that stand alone: their shell, and the parts that they are made of."""

import math
from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template

from core.report.shared.naming import short_number

NUMBER = '<td class="number">'


def page(title: str, kind: str, parts: Sequence[str]) -> str:
    """Return a page without a script or anything from outside, light and dark, to print.

    Parameters
    ----------
    kind : what it is, behind the title
    parts : its sections; empty ones are left out
    """
    shell = resources.files("core.report.shared").joinpath("page.html").read_text(encoding="utf-8")
    body = "\n".join(part for part in parts if part)
    return Template(shell).substitute(title=escape(title), kind=escape(kind), body=body)


def section(title: str, body: str) -> str:
    """Return a section; "" without a body."""
    return f"<section><h2>{title}</h2>{body}</section>" if body else ""


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


def cell(text: str, look: str = "") -> str:
    """Return a cell of text."""
    return f'<td class="{look}">{escape(text)}</td>' if look else f"<td>{escape(text)}</td>"


def number(value: float | None) -> str:
    """Return a cell of a number, or a dash."""
    known = value is not None and math.isfinite(value)
    return f"{NUMBER}{short_number(value) if known and value is not None else '–'}</td>"
