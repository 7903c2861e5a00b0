"""The name `ridgeline` in a checkout: each of its modules is that of `core`, as where Ridgeline is installed."""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class Core(MetaPathFinder, Loader):
    """Finds `ridgeline.X` as the module `core.X` itself, so that there is one of each class."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the place of a module of Ridgeline's."""
        return ModuleSpec(name, self) if name.startswith("ridgeline.") else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of `core` in its place."""
        name = module.__name__.removeprefix("ridgeline.")
        sys.modules[module.__name__] = importlib.import_module(f"core.{name}")


sys.meta_path.insert(0, Core())
sys.modules["ridgeline"] = importlib.import_module("core")
