"""Extra-P's text format: PARAMETER, POINTS, REGION, METRIC, and a DATA line for each point."""

import re
from dataclasses import dataclass, field

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.opening import OpenedText
from core.ingest.readers._builder import Builder
from core.ingest.readers._text import TextReader
from core.ingest.readers._tuners.extrap import UNNAMED, Measurements, Point, numbers

_WORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA")
_FIRST = re.compile(rb"PARAMETER[ \t]+\S")
_POINTS = re.compile(rb"(?m)^[ \t]*POINTS[ \t]+[(\d+.-]")


@dataclass
class _State:
    """What was read so far."""

    name: str
    parameters: list[str] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    region: str = ""
    metric: str = UNNAMED
    at: int = 0
    begun: int = 0


class ExtrapText(TextReader):
    """Reads Extra-P's text files: the call path is the application, each repeat a trial."""

    label = "Extra-P text"
    tells = (b"points",)

    def sniff(self, head: bytes) -> bool:
        """Whether the head begins with a parameter and has points."""
        lines = (line.strip() for line in head.splitlines())
        first = next((line for line in lines if line and not line.startswith(b"#")), b"")
        return bool(_FIRST.match(first)) and bool(_POINTS.search(head))

    def fill(self, builder: Builder, text: OpenedText) -> None:
        """Put down one trial per region, point and repeat."""
        state, measured = _State(text.name), Measurements()
        lines = text.raw.decode().splitlines()
        for line, content in enumerate(lines, start=1):
            word, _, rest = content.strip().replace("\t", " ").partition(" ")
            if not word or word.startswith("#"):
                continue
            try:
                _take(builder, state, measured, line, word, rest.strip())
            except ReadError:
                if line < len(lines) or text.raw.endswith(b"\n") or not measured.values:
                    raise
                builder.skip(f"line {line}", "the file breaks off here")
        _tell_missing(builder, state)
        measured.parameters = tuple(state.parameters)
        measured.fill(builder)


def _take(builder: Builder, state: _State, measured: Measurements, line: int, word: str, rest: str) -> None:
    where = f"{state.name} line {line}"
    if word not in _WORDS:
        raise ReadError(f"{where}: '{shown(word)}' is no field of Extra-P, expected {', '.join(_WORDS)}. Correct it.")
    if word == "DATA":
        _data(state, measured, line, rest)
        return
    if word == "POINTS":
        state.points += _points(where, rest, len(state.parameters))
    elif word == "PARAMETER":
        if state.points:
            raise ReadError(f"{where}: PARAMETER stands below POINTS, where the points cannot have it. Move it up.")
        state.parameters += [name for name in rest.split() if name not in state.parameters]
    else:
        _tell_missing(builder, state)
        state.at, state.begun = 0, line
        state.region = rest if word == "REGION" else state.region
        state.metric = (rest or UNNAMED) if word == "METRIC" else state.metric


def _data(state: _State, measured: Measurements, line: int, rest: str) -> None:
    where, values = f"{state.name} line {line}", numbers(rest.split())
    if values is None:
        raise ReadError(f"{where}: DATA holds '{shown(rest)}', expected finite numbers. Correct the line.")
    if state.at >= len(state.points):
        raise ReadError(f"{where}: there are more lines of DATA than the {len(state.points)} POINTS. Correct the file.")
    if values:
        measured.add(state.region, state.points[state.at], state.metric, values, f"line {line}")
    state.at += 1


def _points(where: str, rest: str, n_parameters: int) -> list[Point]:
    if not n_parameters:
        raise ReadError(f"{where}: POINTS stand above the first PARAMETER. Move the parameters up.")
    points = [numbers(point) for point in _coordinates(rest, n_parameters)]
    if not points or any(point is None or len(point) != n_parameters for point in points):
        expected = f"{n_parameters} numbers in brackets for each point"
        raise ReadError(f"{where}: POINTS are '{shown(rest)}', expected {expected}. Correct them.")
    return [tuple(point) for point in points if point is not None]


def _coordinates(rest: str, n_parameters: int) -> list[list[str]]:
    """Return the texts of each point: `(1 2) (3 4)`, `((1) (2)) ((3) (4))`, or plain numbers of one parameter."""
    if re.search(r"\(\s*\(", rest):
        flat = re.sub(r"[(),]", " ", rest).split()
        return [flat[i : i + n_parameters] for i in range(0, len(flat), n_parameters)]
    if "(" in rest:
        between = re.sub(r"\([^()]*\)", " ", rest).strip()
        return [["("]] if between else [group.replace(",", " ").split() for group in re.findall(r"\(([^()]*)\)", rest)]
    return [[text] for text in rest.split()]


def _tell_missing(builder: Builder, state: _State) -> None:
    """Say which points have no data, where a region or metric has some."""
    if 0 < state.at < len(state.points):
        told = f"only {state.at} of {len(state.points)} points have DATA"
        builder.skip(f"line {state.begun}", f"'{shown(state.region)}', '{shown(state.metric)}': {told}")
