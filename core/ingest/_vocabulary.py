"""Long lists of names, written down as one text in which blanks part them."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any


def in_order(text: str) -> tuple[str, ...]:
    """Return the names in a text."""
    return tuple(text.split())


def vocabulary(text: str) -> frozenset[str]:
    """Return the different names in a text."""
    return frozenset(in_order(text))


def by_name(lists: Mapping[str, str]) -> dict[str, str]:
    """Return by each name of some lists which list it is in, in their order."""
    return {name: what for what, names in lists.items() for name in names.split()}


def data_of(package: str, file: str) -> dict[str, Any]:
    """Return what a TOML file holds that stands beside a package's modules."""
    return tomllib.loads(resources.files(package).joinpath(file).read_text(encoding="utf-8"))
