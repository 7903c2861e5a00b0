"""One file adds one view of a page: the modules of a page's folder `views`."""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def views_of(page: str) -> dict[str, Callable[[Any], None]]:
    """Return what draws each view of a page, by the view's TITLE, in the order of PLACE; all are given the same."""
    folder = import_module(f"pages._{page}.views")
    found = [import_module(f"{folder.__name__}.{module.name}") for module in iter_modules(folder.__path__)]
    return {module.TITLE: module.draw for module in sorted(found, key=lambda module: module.PLACE)}
