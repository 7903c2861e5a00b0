"""Extra-P's JSON lines: one object a measurement, with its parameters, call path, metric and value."""

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.opening import OpenedText
from core.ingest.readers._builder import Builder
from core.ingest.readers._json import text as plain
from core.ingest.readers._text import TextReader
from core.ingest.readers._tuners.extrap import UNNAMED, Measurements, json_numbers

_LONGEST = 1_000_000
_ROOT = "<root>"
"""What Extra-P itself calls the call path that a file does not name."""


class ExtrapJsonl(TextReader):
    """Reads Extra-P's JSON lines: the call path is the application, each repeat a trial."""

    label: ClassVar[str] = "Extra-P JSON lines"
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
                why = _take(measured, line, content)
                if why:
                    builder.skip(f"line {line}", why)
        if not measured.values:
            raise ReadError(f"{text.name} holds no measurements: no line of it has numbers for 'params' and 'value'.")
        measured.fill(builder)


def _take(measured: Measurements, line: int, content: str) -> str:
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
    point = json_numbers([parameters[name] for name in measured.parameters])
    values = json_numbers(found["value"])
    if point is None or not values:
        return "a parameter or value is no finite number"
    callpath, metric = plain(found.get("callpath", "")), plain(found.get("metric", UNNAMED))
    measured.add("" if callpath == _ROOT else callpath, tuple(point), metric or UNNAMED, values, f"line {line}")
    return ""


def _listed(names: Any) -> str:
    return shown(", ".join(f"'{name}'" for name in names), 120)
