"""What tools call things, as `columns.toml` declares it: kinds of tables by their columns, metrics by their names."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from core.ingest._vocabulary import data_of
from core.trial import Kind

DECLARED: dict[str, dict[str, Any]] = data_of(__package__, "columns.toml")
"""By tool, what of it is declared."""


def fit(columns: Iterable[str], wanted: Iterable[str]) -> bool:
    """Whether columns are those wanted: of each text one of the names that `|` parts, or behind `!` none of them."""
    names = {*columns}
    return all(want.startswith("!") is names.isdisjoint(want.lstrip("!").split("|")) for want in wanted)


def kind_of(tool: str, columns: Iterable[str], kinds: str = "kinds") -> str:
    """Return the first kind of a tool's tables that has such columns; "" if none has."""
    return next((kind for kind, *wanted in DECLARED[tool][kinds] if fit(columns, wanted)), "")


class Role(NamedTuple):
    """What a metric is called among a trial's, its unit and its kind; what is no metric has no name."""

    name: str
    unit: str
    kind: Kind


def roles_of(tool: str) -> Callable[..., Role]:
    """Return what says by a metric's name, and by a unit that is taken where none is declared, what becomes of it.

    The first of the tool's forms that fits the whole name counts; what none fits is a counter.
    """
    forms = [(re.compile(form), *said) for form, *said in DECLARED[tool]["metrics"]]

    @lru_cache(1 << 14)
    def role(name: str, unit: str = "") -> Role:
        fits = (said for form, *said in forms if form.fullmatch(name))
        called, own, kind = next(fits, ("", "", Kind.COUNTER))
        return Role(called or name, own or unit, Kind(kind)) if kind else Role("", "", Kind.COUNTER)

    return role
