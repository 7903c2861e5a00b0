"""What the program is made of, set apart from what the collector of garbage walks after every rerun."""

import atexit
import ctypes
import gc
import importlib
import threading
from contextlib import suppress
from pathlib import Path

_ONCE = threading.Lock()
_ROOT = Path(__file__).parents[2]
_ARENA_MAX, _ARENAS = -8, 2
"""`M_ARENA_MAX` of <malloc.h>, and how many of the C library's heaps all threads share."""


def share_arenas() -> None:
    """Let all threads share two heaps of the GNU C library; elsewhere do nothing.

    Each run of a page is a thread. Eight heaps per processor, from which it takes one, keep what they once held: with
    two of them the server of ten tabs holds a third less after 13,000 presses.
    """
    with suppress(AttributeError, OSError, TypeError):  # another C library, or none that can be asked
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


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
