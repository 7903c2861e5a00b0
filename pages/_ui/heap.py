"""What the program is made of, set apart from what the collector of garbage walks after every rerun."""

import atexit
import gc
import importlib
import threading
from pathlib import Path

_ONCE = threading.Lock()
_ROOT = Path(__file__).parents[2]


def settle() -> None:
    """Import what is left of the pages behind the first paint, then freeze the heap; only once in a process.

    Streamlit collects garbage of all generations after every rerun. Modules, classes and their docstrings are 95 % of
    what it would walk, and none of them ever goes.
    """
    if _ONCE.acquire(blocking=False):
        threading.Thread(target=_settle, name="settle", daemon=True).start()


def import_all() -> None:
    """Import the modules of all pages."""
    for path in sorted(_ROOT.joinpath("pages").glob("_*/**/*.py")):  # the others are scripts that draw
        importlib.import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))


def _settle() -> None:
    import_all()
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # so that what ends with the process is let go in order
