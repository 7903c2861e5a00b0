"""What tools call things, as `columns.toml` declares it, and what becomes of a metric by the form of its name."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from core.ingest._vocabulary import data_of
from core.trial import Kind

DECLARED: dict[str, dict[str, Any]] = data_of(__package__, "columns.toml")
"""By tool, what of it is declared."""


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
