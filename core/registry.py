"""One file adds one thing: find the class that each module of a folder contributes."""

import ast
import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TypeVar

from core.errors import OptionError, first_few

T = TypeVar("T")


class Registry(Mapping[str, type[T]]):
    """Classes keyed by the name of their file, in alphabetical order; a file is imported when its class is asked for.

    Raises
    ------
    TypeError
        Where a class is asked for, if its module holds no concrete subclass of `base`, or more than one.
    """

    def __init__(self, noun: str, package: str, base: type[T], files: Mapping[str, str]) -> None:
        self.noun = noun
        self._known: dict[str, type[T]] = {}
        self._package, self._base = package, base
        self._names = {name: f"{package}.{file}" for name, file in sorted(files.items())}

    def __getitem__(self, name: str) -> type[T]:
        if name not in self._known:
            self._known[name] = _class_of(importlib.import_module(self._names[name]), self._base, name)
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
            raise OptionError(unknown(self.noun, name, self))
        return self[name]

    def name_of(self, cls: type) -> str:
        """Return the name under which a class, or the class of what it learns, is registered."""
        own = [name for name, module in self._names.items() if module == cls.__module__]
        return own[0] if len(own) == 1 else _snake(cls)

    def text_of(self, name: str, attribute: str) -> str:
        """Return the text that a class's attribute is set to on a line of its file, which is read and not imported."""
        found = self._line_of(name, rf'^    {attribute}(?:: [^=]+)? = (".*")$', f"set {attribute}")
        return str(ast.literal_eval(found))

    def summary_of(self, name: str) -> str:
        """Return what a class called like its base says of itself, from its file, which is read and not imported."""
        own = rf'^class \w*{self._base.__name__}\(.*\):\n    """(.*)"""$'
        return in_a_list(self._line_of(name, own, f"say what its {self._base.__name__} does"))

    def _line_of(self, name: str, line: str, does: str) -> str:
        source = (pkgutil.get_data(self._package, f"{name}.py") or b"").decode()
        if found := re.search(line, source, re.MULTILINE):
            return found[1]
        raise TypeError(f"{self._names[name]} does not {does} on one line")


def in_a_list(sentence: str) -> str:
    """Return a docstring's sentence as it stands in a list: a small letter first, no full stop."""
    return f"{sentence[:1].lower()}{sentence[1:].rstrip('.')}"


def nearest(name: str, names: Iterable[str]) -> str:
    """Return " Did you mean 'fit'?" where a name is close to one that there is, else ""."""
    found = difflib.get_close_matches(name, list(names), 1)
    return f" Did you mean '{found[0]}'?" if found else ""


_MOST_NAMED = 60
"""Names that a sentence lists."""


def unknown(noun: str, name: str, names: Iterable[str], where: str = "") -> str:
    """Return the sentence of a name that is not there: what there is, and which one was perhaps meant."""
    known = list(names)
    return f"There is no {noun} '{name}'{where}; there are: {first_few(known, _MOST_NAMED)}.{nearest(name, known)}"


def discover(package: str, base: type[T], noun: str, several: Mapping[str, Sequence[str]] | None = None) -> Registry[T]:
    """Find every public module of a package, each of which has one concrete subclass of `base`.

    Modules whose name starts with an underscore, `base`, and folders hold what members share.

    Parameters
    ----------
    several : modules with more than one of them, and the names of these, which are their classes' in small letters
    """
    folder, shared = importlib.import_module(package), several or {}
    files = [m.name for m in pkgutil.iter_modules(folder.__path__) if not m.ispkg]
    alone = {file: file for file in files if not file.startswith("_") and file not in ("base", *shared)}
    return Registry(noun, package, base, alone | {name: file for file, names in shared.items() for name in names})


def _class_of(module: ModuleType, base: type[T], name: str) -> type[T]:
    """Return a module's only concrete subclass of `base`, or of several the one of a name."""
    found = [
        cls
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if issubclass(cls, base) and not inspect.isabstract(cls) and cls.__module__ == module.__name__
    ]
    own = [cls for cls in found if _snake(cls) == name] if len(found) > 1 else found
    if len(own) != 1:
        raise TypeError(f"{module.__name__} must define one concrete {base.__name__}, found {len(found)}")
    return own[0]


def _snake(cls: type) -> str:
    return re.sub("(?<!^)(?=[A-Z])", "_", re.sub("^Fitted|(Model|Learnt)$", "", cls.__name__)).lower()


def companion(cls: type, base: type[T]) -> type[T]:
    """Return the concrete subclass of `base` that is defined beside `cls`, in its module, and called like it."""
    return _class_of(importlib.import_module(cls.__module__), base, _snake(cls))
