"""`perf stat -j`: one JSON object a line, one line an event; a file is a run of a program."""

import json
import math
import re
from functools import partial
from typing import Any, TypeVar

from core.ingest.readers._builder import Builder
from core.ingest.readers._perf.events import Count, Section, derived, is_text, plain_number, sections_of
from core.ingest.readers._perf.trials import add_runs
from core.ingest.readers._text import TextReader, plain

T = TypeVar("T")

_PLACES = ("cpu", "core", "die", "cluster", "cache", "socket", "node", "thread")
_DECIMAL_COMMA = re.compile(r'("[\w-]{1,40}"\s{0,9}:\s{0,9}-?\d{1,40}),(\d{1,40})(?=\s{0,9}[,}])')
_SPARE_COMMA = re.compile(r",\s{0,9}\}")
_KEYS = re.compile(rb'"(?:counter-value|metric-value)"\s{0,9}:')
_OTHERS = re.compile(rb'"(?:event-runtime|pcnt-running|metric-unit|interval)"\s{0,9}:')
_MARKS = ("counter-value", "metric-value", "interval", "metricgroup")


class PerfStatJson(TextReader):
    """Reads what `perf stat -j` wrote, with any of -r, -I, -A, --per-core and -G."""

    label = "perf stat -j"
    tells = (b"counter-value", b"metric-value")

    def sniff(self, head: bytes) -> bool:
        """Whether the head holds lines that are objects with perf's own keys."""
        if is_text(head):
            return False
        lines = (line.strip() for line in head.splitlines())
        alone = re.compile(rb'\{\s*"metric-value"\s*:\s*"?[-\d.,]*"?\s*\}')
        objects = (line for line in lines if line.startswith(b"{") and _KEYS.search(line))
        return any(_OTHERS.search(line) or alone.fullmatch(line) for line in objects)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per run (and control group); the file does not say what ran, so its name does."""
        sections = sections_of(raw.decode().splitlines(), partial(_take, builder))
        if not any(section.counts for section in sections):
            raise builder.refused(_no_counts(sections))
        for section in sections:
            add_runs(builder, section.runs())


def _record(line: str) -> dict[str, Any] | None:
    """Return the object of a line; perf forgets that JSON has a decimal point, and no comma before a brace."""
    for form in (line, _SPARE_COMMA.sub("}", _DECIMAL_COMMA.sub(r"\1.\2", line))):
        try:
            found = json.loads(form)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and any(key in found for key in _MARKS):
            return found
    return None


def _take(builder: Builder, section: Section, line: int, content: str) -> None:
    if (record := _record(content)) is None:
        builder.skip(f"line {line}", "no whole object of perf stat")
        return
    event = plain(record.get("event"))
    section.about = event or plain(record.get("metricgroup")) or section.about
    metric = derived(_number(record.get("metric-value"), None), plain(record.get("metric-unit")), section.about)
    section.take(_count(line, event, record) if event and "counter-value" in record else None, metric)


def _count(line: int, event: str, record: dict[str, Any]) -> Count:
    value = plain(record["counter-value"])
    places = [plain(record[key]) for key in _PLACES if plain(record.get(key))]
    cpu = "CPU" if "cpu" in record else ""
    return Count(
        line,
        event,
        value=_number(record["counter-value"], None),
        unit=plain(record.get("unit")),
        why=value.strip("<>") if value.startswith("<") else "not counted",
        share=_number(record.get("pcnt-running"), 100.0),
        spread=_number(record.get("variance"), 0.0),
        interval=_number(record["interval"], 0.0) if "interval" in record else None,
        place=cpu + places[0] if places else "",
        cgroup=plain(record["cgroup"]) if "cgroup" in record else None,
    )


def _number(value: Any, default: T) -> float | T:
    found = value if isinstance(value, float) else plain_number(plain(value))
    return found if found is not None and math.isfinite(found) else default


def _no_counts(sections: list[Section]) -> str:
    if any(section.derived for section in sections):
        return "holds only what perf derived, without counts. Run perf stat without --metric-only."
    return "holds values without the names of their events. Run perf stat -j without --metric-only."
