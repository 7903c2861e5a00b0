"""Extra-P's files: text, JSON in its present and its older form, and JSON lines; values of a metric at points."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.ingest.names import listed, shown, stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import OBJECT, TextReader, entries, finite, load_json, number, plain
from core.trial import Kind

UNNAMED = "<default>"
"""What Extra-P itself calls a metric that its file does not name."""

_ELAPSED = re.compile(r"(?:(?:wall|wall[ _-]?clock|run|elapsed|execution)[ _-]?)?time|duration", re.IGNORECASE)
_SOME_TIME = re.compile(r"(?:.*[\W_])?(?:time|runtime|duration)", re.IGNORECASE)

Point = tuple[float, ...]


@dataclass
class Measurements:
    """Values by call path and point, then by metric: the k-th of each metric are one execution.

    Attributes
    ----------
    parameters : their names, in the order of a point's coordinates
    values : where the first of a call path and point stands, and all of them by metric
    """

    parameters: tuple[str, ...] = ()
    values: dict[tuple[str, Point], tuple[str, dict[str, list[float]]]] = field(default_factory=dict)

    def add(self, callpath: str, point: Point, metric: str, values: Sequence[float], where: str) -> None:
        """Add repeated values of a metric at a point."""
        _, by_metric = self.values.setdefault((callpath, point), (where, {}))
        by_metric.setdefault(metric, []).extend(values)

    def fill(self, builder: Builder) -> None:
        """Add a trial for each call path, point and repeat; a count that is written once holds for all of them."""
        metrics = list(dict.fromkeys(name for _, by_metric in self.values.values() for name in by_metric))
        time = next((name for name in metrics if _ELAPSED.fullmatch(name)), "")
        kinds = {name: _kind(name, bool(time)) for name in metrics}
        if time:
            builder.note(f"'{shown(time)}' is read in seconds, as Extra-P and Score-P count time.")
        if UNNAMED in metrics:
            builder.tell(f"does not name its metric; it is called '{UNNAMED}', as Extra-P does.")
        for (callpath, point), (where, by_metric) in self.values.items():
            n_repeats = max(len(values) for values in by_metric.values())
            for repeat in range(n_repeats):
                told = f", repeat {repeat + 1}" if n_repeats > 1 else ""
                trial = builder.trial(callpath or stem(builder.source), where=where + told)
                for parameter, value in zip(self.parameters, point, strict=True):
                    builder.put(trial, parameter, value, kind=Kind.PARAMETER)
                for name, values in by_metric.items():
                    kind, unit = kinds[name]
                    once = len(values) == 1 and kind is Kind.COUNTER
                    known = values[0] if once else values[repeat] if repeat < len(values) else None
                    builder.put(trial, TIME if name == time else name, known, unit, kind)


def _kind(name: str, timed: bool) -> tuple[Kind, str]:
    """Return kind and unit of a metric; without a time, each metric is what Extra-P models over the parameters."""
    if _SOME_TIME.fullmatch(name):
        return Kind.RESPONSE, "s"
    return Kind.COUNTER if timed else Kind.RESPONSE, ""


def numbers(value: Any) -> list[float] | None:
    """Return a number, or a list of numbers or of their texts, as finite numbers; None if one of them is none."""
    values = value if isinstance(value, list) else [value]
    known = [one for one in map(finite, values) if one is not None]
    return known if len(known) == len(values) else None


_WORDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA")
_FIRST = re.compile(rb"\A\s*(?>#[^\r\n]*\s*)*PARAMETER[ \t]+\S")
_POINTS = re.compile(rb"(?m)^[ \t]*POINTS[ \t]+[(\d+.-]")


@dataclass
class _Lines:
    """What was read so far of a text."""

    builder: Builder
    measured: Measurements = field(default_factory=Measurements)
    points: list[Point] = field(default_factory=list)
    region: str = ""
    metric: str = UNNAMED
    at: int = 0
    begun: int = 0

    def take(self, line: int, word: str, rest: str) -> str:
        """Take a line; return what is wrong with it."""
        parameters = self.measured.parameters
        if word == "DATA":
            return self._take_data(line, rest)
        if word == "POINTS":
            return self._take_points(rest)
        if word == "PARAMETER" and self.points:
            return "PARAMETER stands below POINTS, where the points cannot have it. Move it up."
        if word == "PARAMETER":
            self.measured.parameters += tuple(name for name in rest.split() if name not in parameters)
        elif word in _WORDS:
            self.tell_missing()
            self.at, self.begun = 0, line
            self.region = rest if word == "REGION" else self.region
            self.metric = (rest or UNNAMED) if word == "METRIC" else self.metric
        else:
            return f"'{shown(word)}' is no field of Extra-P, expected {', '.join(_WORDS)}. Correct it."
        return ""

    def _take_data(self, line: int, rest: str) -> str:
        if (values := numbers(rest.split())) is None:
            return f"DATA holds '{shown(rest)}', expected finite numbers. Correct the line."
        if self.at >= len(self.points):
            return f"there are more lines of DATA than the {len(self.points)} POINTS. Correct the file."
        if values:
            self.measured.add(self.region, self.points[self.at], self.metric, values, f"line {line}")
        self.at += 1
        return ""

    def _take_points(self, rest: str) -> str:
        if not (n := len(self.measured.parameters)):
            return "POINTS stand above the first PARAMETER. Move the parameters up."
        points = [numbers(point) for point in _coordinates(rest, n)]
        if not points or any(point is None or len(point) != n for point in points):
            expected = f"{n} numbers in brackets for each point"
            return f"POINTS are '{shown(rest)}', expected {expected}. Correct them."
        self.points += [tuple(point) for point in points if point is not None]
        return ""

    def tell_missing(self) -> None:
        """Say which points have no data, where a region or metric has some."""
        if 0 < self.at < len(self.points):
            told = f"only {self.at} of {len(self.points)} points have DATA"
            self.builder.skip(f"line {self.begun}", f"'{shown(self.region)}', '{shown(self.metric)}': {told}")


class ExtrapText(TextReader):
    """Reads Extra-P's text files: the call path is the application, each repeat a trial."""

    label = "Extra-P text"
    signs = (_FIRST, _POINTS)
    tells = (b"points",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per region, point and repeat."""
        text, lines = _Lines(builder), raw.decode().splitlines()
        for line, content in enumerate(lines, start=1):
            word, _, rest = content.strip().replace("\t", " ").partition(" ")
            if not word or word.startswith("#"):
                continue
            if why := text.take(line, word, rest.strip()):
                if line < len(lines) or raw.endswith(b"\n") or not text.measured.values:
                    raise builder.refused(f"line {line}: {why}")
                builder.skip(f"line {line}", "the file breaks off here")
        text.tell_missing()
        text.measured.fill(builder)


def _coordinates(rest: str, n_parameters: int) -> list[list[str]]:
    """Return the texts of each point: `(1 2) (3 4)`, `((1) (2)) ((3) (4))`, or plain numbers of one parameter."""
    if re.search(r"\(\s*\(", rest):
        flat = re.sub(r"[(),]", " ", rest).split()
        return [flat[i : i + n_parameters] for i in range(0, len(flat), n_parameters)]
    if "(" in rest:
        between = re.sub(r"\([^()]*\)", " ", rest).strip()
        return [["("]] if between else [group.replace(",", " ").split() for group in re.findall(r"\(([^()]*)\)", rest)]
    return [[text] for text in rest.split()]


_LONGEST = 1_000_000
_ROOT = "<root>"
"""What Extra-P itself calls the call path that a file does not name."""
_Parts = dict[int, Mapping[str, Any]]


_PRESENT = tuple(re.compile(key) for key in (rb'"measurements"\s*:\s*\{', rb'"point"\s*:\s*\[', rb'"values"\s*:\s*\['))
_OLDER = (
    re.compile(rb'"(?:callpaths|regions)"\s*:\s*\['),
    re.compile(rb'"(?:parameter_value_pairs|coordinate_id)"\s*:'),
)


class ExtrapJson(TextReader):
    """Reads Extra-P's JSON files: the call path is the application, each repeat a trial."""

    label = "Extra-P JSON"
    signs = (OBJECT, (_PRESENT, _OLDER))

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per call path, point and repeat."""
        document = load_json(builder.source, raw)
        if not isinstance(document, dict) or not isinstance(document.get("parameters"), list):
            raise builder.refused("has no list of 'parameters', so it holds no measurements of Extra-P.")
        old = isinstance(document.get("measurements"), list)
        (_old(builder, document) if old else _present(builder, document)).fill(builder)


def _present(builder: Builder, document: Mapping[str, Any]) -> Measurements:
    measured = Measurements(tuple(plain(name) for name in document["parameters"]))
    for callpath, metrics in entries(document.get("measurements")).items():
        for metric, points in entries(metrics).items():
            for at, item in enumerate(points if isinstance(points, list) else [], start=1):
                where = f"'{shown(callpath)}', '{shown(metric)}', item {at}"
                _take_item(builder, measured, where, callpath, metric, entries(item))
    return measured


def _take_item(
    builder: Builder, measured: Measurements, where: str, callpath: str, metric: str, item: Mapping[str, Any]
) -> None:
    coordinates = numbers(item.get("point"))
    known = numbers(item.get("values", item.get("value")))
    if coordinates is None or len(coordinates) != len(measured.parameters):
        builder.skip(where, f"its point is no list of {len(measured.parameters)} numbers")
    elif not known:
        builder.skip(where, "its values are no list of finite numbers")
    else:
        measured.add(callpath, tuple(coordinates), metric, known, where)


def _old(builder: Builder, document: Mapping[str, Any]) -> Measurements:
    parameters, metrics = _parts(document, "parameters"), _parts(document, "metrics")
    callpaths = {**_parts(document, "regions"), **_parts(document, "callpaths")}
    measured = Measurements(tuple(plain(parameters[key].get("name")) for key in sorted(parameters)))
    points = {key: _point(part, sorted(parameters)) for key, part in _parts(document, "coordinates").items()}
    for at, item in enumerate(document["measurements"], start=1):
        item = entries(item)
        callpath, metric = callpaths.get(_id(item, "callpath_id", "region_id")), metrics.get(_id(item, "metric_id"))
        point, value = points.get(_id(item, "coordinate_id")), numbers(item.get("value"))
        if callpath is None or metric is None or point is None or value is None:
            builder.skip(f"measurement {at}", "it refers to no call path, metric or point, or its value is no number")
            continue
        measured.add(plain(callpath.get("name")), point, plain(metric.get("name")), value, f"measurement {at}")
    return measured


def _parts(document: Mapping[str, Any], key: str) -> _Parts:
    found = document.get(key)
    return {_id(entries(part), "id"): entries(part) for part in found} if isinstance(found, list) else {}


def _id(part: Mapping[str, Any], *keys: str) -> int:
    """Return a part's number; -1 if it has none."""
    found = next((number(part[key]) for key in keys if key in part), None)
    return int(found) if found is not None and abs(found) < 2**53 else -1


def _point(part: Mapping[str, Any], parameters: list[int]) -> Point | None:
    pairs = part.get("parameter_value_pairs")
    known = [entries(pair) for pair in pairs] if isinstance(pairs, list) else []
    found = {_id(pair, "parameter_id"): pair.get("parameter_value") for pair in known}
    coordinates = numbers([found.get(key) for key in parameters])
    return tuple(coordinates) if coordinates is not None else None


_FIRST_LINE = re.compile(rb'\A\s*\{(?=[^\r\n]*"params"\s*:\s*\{)[^\r\n]*"value"\s*:')
"""Of an object with parameters and a value on one line."""


class ExtrapJsonl(TextReader):
    """Reads Extra-P's JSON lines: the call path is the application, each repeat a trial."""

    label = "Extra-P JSON lines"
    signs = (_FIRST_LINE,)
    tells = (b"params",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per call path, point and repeat; lines that are not whole are skipped."""
        measured = Measurements()
        for line, content in enumerate(raw.decode().splitlines(), start=1):
            if content.strip() and (why := _take_line(measured, line, content)):
                builder.skip(f"line {line}", why)
        if not measured.values:
            raise builder.refused("holds no measurements: no line of it has numbers for 'params' and 'value'.")
        measured.fill(builder)


def _take_line(measured: Measurements, line: int, content: str) -> str:
    """Add the measurement of a line; return why there is none."""
    try:
        found = json.loads(content) if len(content) <= _LONGEST else None
    except (ValueError, RecursionError):
        return "no whole JSON object"
    if not isinstance(found, dict) or not isinstance(found.get("params"), dict) or "value" not in found:
        return "no object with 'params' and 'value'"
    parameters: Mapping[str, Any] = found["params"]
    measured.parameters = measured.parameters or tuple(parameters)
    if set(parameters) != set(measured.parameters):
        return f"parameters {listed([*parameters])}, expected {listed(measured.parameters)} as in the lines above"
    point = numbers([parameters[name] for name in measured.parameters])
    values = numbers(found["value"])
    if point is None or not values:
        return "a parameter or value is no finite number"
    callpath, metric = plain(found.get("callpath", "")), plain(found.get("metric", UNNAMED))
    measured.add("" if callpath == _ROOT else callpath, tuple(point), metric or UNNAMED, values, f"line {line}")
    return ""
