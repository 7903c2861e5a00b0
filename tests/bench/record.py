"""The lines of the one table that `make bench` prints: what was measured, beside whom, and what it should be."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

LINES = "RIDGELINE_BENCH_LINES"
"""The variable that names the file to which lines are added; they are only printed where it is not set."""


@dataclass(frozen=True)
class Line:
    """One measurement.

    Attributes
    ----------
    work : what was done, with its size
    own : what it took, in `unit`
    unit : `s` of processor unless it says otherwise, `MB` at the peak, `× ` of something
    peer : what did the same beside it in the same run; empty where nothing did
    theirs : what that took, in the same unit
    bound : what `value` is held to: at least where `more`, else at most; none where nothing is asked
    more : larger values are better
    limit : what it cannot go beyond, or what keeps it from going further, in words
    """

    work: str
    own: float
    unit: str = "s"
    peer: str = ""
    theirs: float | None = None
    bound: float | None = None
    more: bool = False
    limit: str = ""

    @property
    def value(self) -> float:
        """How many times as much the peer takes where more is better, else the share of the peer's; own without a peer."""
        if self.theirs is None:
            return self.own
        return self.theirs / self.own if self.more else self.own / self.theirs

    @property
    def held(self) -> bool:
        """Whether the value is within its bound."""
        return self.bound is None or (self.value >= self.bound if self.more else self.value <= self.bound)


def record(line: Line) -> None:
    """Print a line, and add it to the file of this run of `make bench`, if there is one."""
    print(f"{line.work}: {said(line)}", flush=True)
    if path := os.environ.get(LINES):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(line)) + "\n")


def faster(work: str, own: float, theirs: float, peer: str, at_least: float | None = None, limit: str = "") -> None:
    """Record how many times less processor a piece of work takes than a peer's way to the same result."""
    record(Line(work, own, "s", peer, theirs, at_least, True, limit))


def share(work: str, own: float, theirs: float, peer: str, at_most: float | None = None, limit: str = "") -> None:
    """Record which share of a peer's processor a piece of work takes."""
    record(Line(work, own, "s", peer, theirs, at_most, False, limit))


def taken(work: str, own: float, at_most: float | None = None, unit: str = "s", limit: str = "") -> None:
    """Record what a piece of work takes where there is no peer."""
    record(Line(work, own, unit, bound=at_most, limit=limit))


def said(line: Line) -> str:
    """Return the value with its bound: `412 × (at least 300 ×)`."""
    unit = "×" if line.theirs is not None else line.unit
    asked = "" if line.bound is None else f" ({'at least' if line.more else 'at most'} {line.bound:g} {unit})"
    return f"{line.value:.3g} {unit}{asked}" if line.value < 1000 else f"{line.value:,.0f} {unit}{asked}"


def table(lines: Iterable[tuple[Line, str]]) -> str:
    """Return lines, each with a remark, as a table of Markdown."""
    head = "| work | takes | ratio | goal | beside | |\n| --- | --- | --- | --- | --- | --- |"
    return "\n".join([head, *(_row(line, remark) for line, remark in lines)])


def _row(line: Line, remark: str) -> str:
    ratio = "" if line.theirs is None else f"{line.value:,.3g} ×"
    unit = line.unit if line.theirs is None else "×"
    bound = "" if line.bound is None else f"{'≥' if line.more else '≤'} {line.bound:g} {unit}"
    goal = bound and f"{bound}: {'held' if line.held else 'missed'}"
    beside = "; ".join(text for text in (line.peer, line.limit) if text)
    return f"| {line.work} | {line.own:,.3g} {line.unit} | {ratio} | {goal} | {beside} | {remark} |"
