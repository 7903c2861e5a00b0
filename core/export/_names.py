"""Texts of exported files, and names made safe for the language that they stand in: no metric's name is ever run."""

import re
import unicodedata
from functools import cache
from importlib import resources
from string import Template, ascii_letters, digits

from core.trial import Metric

LONGEST = 60
"""Characters of an identifier."""
SHOWN = 200
"""Characters of a name in a comment or a table."""
_HARMLESS = frozenset(ascii_letters + digits + " _.,:;()[]+-=%#@$!^&|~<>*")
"""Characters that stand in a string of C as they are."""


def filled(name: str, /, **values: object) -> str:
    """Return one of the texts beside this module, with values in the places of their names, such as $title."""
    return Template(text_beside(name)).substitute(values)


@cache
def pieces(name: str) -> dict[str, Template]:
    """Return the pieces of one of the texts, each below a line with its name as a comment of C."""
    parts = re.split(r"(?m)^/\* (\w+) \*/\n", text_beside(name))
    return {own: Template(piece) for own, piece in zip(parts[1::2], parts[2::2], strict=True)}


def text_beside(name: str) -> str:
    """Return one of the texts beside this module."""
    return resources.files("core.export").joinpath("texts", name).read_text(encoding="utf-8")


_RESERVED = frozenset(text_beside("reserved.txt").split())
"""Words of C, C++, Python and SQL: no identifier may be one of these."""


def identifier(name: str) -> str:
    """Return a name of lower-case letters, digits and underscores that begins with a letter."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    found = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:LONGEST].rstrip("_") or "model"
    return f"model_{found}" if not found[0].isalpha() or found in _RESERVED else found


def comment(text: str) -> str:
    """Return a text that stays one line of a comment in any of the languages: ASCII, without marks that end one."""
    plain = "".join(c if c.isprintable() else " " for c in text[:SHOWN])
    plain = plain.encode("ascii", "replace").decode().replace("\\", "/")
    return re.sub(r"\?\?(?=[=/'()!<>-])", "? ?", plain.replace("*/", "* /").replace("/*", "/ *").replace("--", "- -"))


def with_unit(metric: Metric) -> str:
    """Return a metric's name and unit as comments list them."""
    return comment(metric.name) + (f" [{comment(metric.unit)}]" if metric.unit else "")


def c_string(text: str) -> str:
    """Return a string literal of C: printable ASCII as it is, all other bytes in octal."""
    raw = text[:SHOWN].encode("utf-8", "replace")
    return '"' + "".join(chr(b) if chr(b) in _HARMLESS else f"\\{b:03o}" for b in raw) + '"'


def sql_name(text: str) -> str:
    """Return a quoted identifier of SQL."""
    return '"' + text.replace("\x00", " ").replace('"', '""') + '"'
