"""One file adds one thing: find the class that each module of a folder contributes."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import TypeVar

from core.errors import OptionError

T = TypeVar("T")


class Registry(Mapping[str, type[T]]):
    """Classes keyed by the name of their file, in alphabetical order; a file is imported when its class is asked for.

    Raises
    ------
    TypeError
        Where a class is asked for, if its module holds no concrete subclass of `base`, or more than one.
    """

    def __init__(self, noun: str, package: str, base: type[T], names: Sequence[str]) -> None:
        self.noun = noun
        self._known: dict[str, type[T]] = {}
        self._package, self._base, self._names = package, base, {name: f"{package}.{name}" for name in names}

    def __getitem__(self, name: str) -> type[T]:
        if name not in self._known:
            self._known[name] = _only_class(importlib.import_module(self._names[name]), self._base)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def find(self, name: str) -> type[T]:
        """Return the class called `name`, or raise OptionError that lists what there is."""
        if name not in self:
            raise OptionError(f"There is no {self.noun} '{name}'; there are: {', '.join(self)}.")
        return self[name]

    def name_of(self, cls: type) -> str:
        """Return the name under which a class is registered."""
        return cls.__module__.rpartition(".")[2]

    def text_of(self, name: str, attribute: str) -> str:
        """Return the text that a class's attribute is set to in its file, which is read and not imported."""
        source = pkgutil.get_data(self._package, f"{name}.py") or b""
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Assign) and [t.id for t in node.targets if isinstance(t, ast.Name)] == [attribute]:
                return str(ast.literal_eval(node.value))
        raise TypeError(f"{self._names[name]} does not set {attribute}")


def discover(package: str, base: type[T], noun: str) -> Registry[T]:
    """Find every public module of a package, each of which has one concrete subclass of `base`.

    Modules whose name starts with an underscore, and `base`, hold what members share.
    """
    folder = importlib.import_module(package)
    names = sorted(m.name for m in pkgutil.iter_modules(folder.__path__))
    return Registry(noun, package, base, [n for n in names if not n.startswith("_") and n != "base"])


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
