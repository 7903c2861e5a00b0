"""The table that all proofs print: what was tried, how often, and what must be 0."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One proof.

    Attributes
    ----------
    what : was tried
    tried : how often
    bad : figures that must be 0, by name
    more : other figures, by name
    """

    what: str
    tried: int
    bad: Mapping[str, int]
    more: Mapping[str, float | str]
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether something was tried and nothing was bad."""
        return self.tried > 0 and not any(self.bad.values())

    def text(self) -> str:
        """Return the line as it is printed."""
        figures = [f"{n} {name}" for name, n in self.bad.items()] + [f"{name} {n}" for name, n in self.more.items()]
        mark = "holds " if self.holds else "BROKEN"
        return f"{mark} {self.what:34} {self.tried:>7,} tried  {', '.join(figures)}  ({self.seconds:.0f} s)"


Proof = Callable[[], Line]


def timed(proof: Proof) -> Line:
    """Run a proof and return its line with the seconds that it took; one that fails is a line too."""
    started = time.monotonic()
    try:
        line = proof()
    except Exception as error:
        line = Line(getattr(proof, "__name__", "a proof"), 1, {f"failed: {type(error).__name__}: {error}"[:300]: 1}, {})
    return Line(line.what, line.tried, line.bad, line.more, time.monotonic() - started)
