"""Extra-P's JSON, the present form and the older one whose parts refer to each other by number, and its JSON lines."""

import json
import re
from collections.abc import Mapping
from typing import Any

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.opening import OpenedText
from core.ingest.readers._builder import Builder
from core.ingest.readers._text import TextReader, entries, load_json, number, plain
from core.ingest.readers._tuners.extrap import UNNAMED, Measurements, Point, numbers

_LONGEST = 1_000_000
_ROOT = "<root>"
"""What Extra-P itself calls the call path that a file does not name."""
_Parts = dict[int, Mapping[str, Any]]


class ExtrapJson(TextReader):
    """Reads Extra-P's JSON files: the call path is the application, each repeat a trial."""

    label = "Extra-P JSON"

    def sniff(self, head: bytes) -> bool:
        """Whether the head is an object with measurements at points of parameters."""
        if not head.lstrip().startswith(b"{"):
            return False
        now = (rb'"measurements"\s*:\s*\{', rb'"point"\s*:\s*\[', rb'"values"\s*:\s*\[')
        before = (rb'"(?:callpaths|regions)"\s*:\s*\[', rb'"(?:parameter_value_pairs|coordinate_id)"\s*:')
        return any(all(re.search(key, head) for key in keys) for keys in (now, before))

    def fill(self, builder: Builder, text: OpenedText) -> None:
        """Put down one trial per call path, point and repeat."""
        document = load_json(text.name, text.raw)
        if not isinstance(document, dict) or not isinstance(document.get("parameters"), list):
            raise ReadError(f"{text.name} has no list of 'parameters', so it holds no measurements of Extra-P.")
        old = isinstance(document.get("measurements"), list)
        (_old(builder, document) if old else _present(builder, document)).fill(builder)


def _present(builder: Builder, document: Mapping[str, Any]) -> Measurements:
    measured = Measurements(tuple(plain(name) for name in document["parameters"]))
    for callpath, metrics in entries(document.get("measurements")).items():
        for metric, points in entries(metrics).items():
            for at, item in enumerate(points if isinstance(points, list) else [], start=1):
                where = f"'{shown(callpath)}', '{shown(metric)}', item {at}"
                _take(builder, measured, where, callpath, metric, entries(item))
    return measured


def _take(
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


class ExtrapJsonl(TextReader):
    """Reads Extra-P's JSON lines: the call path is the application, each repeat a trial."""

    label = "Extra-P JSON lines"
    tells = (b"params",)

    def sniff(self, head: bytes) -> bool:
        """Whether the first line that is not blank is an object with parameters and a value."""
        first = next((line for line in head.splitlines() if line.strip()), b"")
        return bool(re.match(rb"\s*\{", first)) and bool(
            re.search(rb'"params"\s*:\s*\{', first) and re.search(rb'"value"\s*:', first)
        )

    def fill(self, builder: Builder, text: OpenedText) -> None:
        """Put down one trial per call path, point and repeat; lines that are not whole are skipped."""
        measured = Measurements()
        for line, content in enumerate(text.raw.decode().splitlines(), start=1):
            if content.strip():
                why = _take_line(measured, line, content)
                if why:
                    builder.skip(f"line {line}", why)
        if not measured.values:
            raise ReadError(f"{text.name} holds no measurements: no line of it has numbers for 'params' and 'value'.")
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
        return f"parameters {_listed(parameters)}, expected {_listed(measured.parameters)} as in the lines above"
    point = numbers([parameters[name] for name in measured.parameters])
    values = numbers(found["value"])
    if point is None or not values:
        return "a parameter or value is no finite number"
    callpath, metric = plain(found.get("callpath", "")), plain(found.get("metric", UNNAMED))
    measured.add("" if callpath == _ROOT else callpath, tuple(point), metric or UNNAMED, values, f"line {line}")
    return ""


def _listed(names: Any) -> str:
    return shown(", ".join(f"'{name}'" for name in names), 120)
