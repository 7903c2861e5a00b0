"""Progress on standard error: a bar's line that is written over on a terminal, a line now and then off it."""

import sys
import time

from core.cli.base import Arguments
from core.execution.execute import duration
from core.progress import Progress, silent

EVERY_S = 15.0
"""Off a terminal there is a line at most so often, and none of what ends before."""


def progress(a: Arguments) -> Progress:
    """Return what shows how far a verb is; nothing with `--quiet`."""
    if getattr(a, "quiet", False):
        return silent
    return _over if sys.stderr.isatty() else _now_and_then(1.0 if getattr(a, "verbose", False) else EVERY_S)


def _now_and_then(every_s: float) -> Progress:
    started = last = time.monotonic()

    def tell(fraction: float, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < every_s or fraction >= 1:
            return
        last = now
        known = fraction > 0 and not message.endswith(" left")
        left = f", about {duration((now - started) * (1 - fraction) / fraction)} left" if known else ""
        print(f"ridgeline: {100 * fraction:.0f} % {message}{left}", file=sys.stderr, flush=True)

    return tell


def _over(fraction: float, message: str) -> None:
    sys.stderr.write(f"\r\x1b[K{100 * fraction:3.0f} % {message}" + ("\n" if fraction >= 1 else ""))
    sys.stderr.flush()
