"""One file adds one thing: find the class that each module of a folder contributes."""

import importlib
import inspect
import pkgutil
from types import ModuleType
from typing import TypeVar

from core.errors import OptionError

T = TypeVar("T")


class Registry(dict[str, type[T]]):
    """Classes keyed by the name of their file, in alphabetical order."""

    def __init__(self, noun: str, members: dict[str, type[T]]) -> None:
        super().__init__(members)
        self.noun = noun

    def find(self, name: str) -> type[T]:
        """Return the class called `name`, or raise OptionError that lists what there is."""
        if name not in self:
            raise OptionError(f"There is no {self.noun} '{name}'; there are: {', '.join(self)}.")
        return self[name]

    def name_of(self, cls: type) -> str:
        """Return the name under which a class is registered."""
        return cls.__module__.rpartition(".")[2]


def discover(package: str, base: type[T], noun: str) -> Registry[T]:
    """Import every public module of a package and collect its one concrete subclass of `base`.

    Modules whose name starts with an underscore, and `base`, hold what members share.

    Raises
    ------
    TypeError
        If a module holds no concrete subclass of `base`, or more than one.
    """
    folder = importlib.import_module(package)
    names = sorted(m.name for m in pkgutil.iter_modules(folder.__path__))
    public = [n for n in names if not n.startswith("_") and n != "base"]
    members = {n: _only_class(importlib.import_module(f"{package}.{n}"), base) for n in public}
    return Registry(noun, members)


def _only_class(module: ModuleType, base: type[T]) -> type[T]:
    found = [
        cls for _, cls in inspect.getmembers(module, inspect.isclass)
        if issubclass(cls, base) and not inspect.isabstract(cls) and cls.__module__ == module.__name__
    ]  # fmt: skip
    if len(found) != 1:
        raise TypeError(f"{module.__name__} must define one concrete {base.__name__}, found {len(found)}")
    return found[0]


def companion(cls: type, base: type[T]) -> type[T]:
    """Return the one concrete subclass of `base` that is defined beside `cls`, in its module."""
    return _only_class(importlib.import_module(cls.__module__), base)
