"""Lines of the table that `perf stat` prints for people: numbers in any locale, units, events, remarks."""

import re
from dataclasses import dataclass

from core.ingest._vocabulary import vocabulary
from core.ingest.readers._perf.events import Count, Derived, derived

_GROUPING = ".,'’\u00a0\u202f "
_NUMBER = r"-?\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?= )|-?\d[\d.,'’\u00a0\u202f]*"
_PLACE = r"(?:CPU\d+|[SND]\d+(?:-[A-Z]+\d+)*\s+\d+(?=\s\s)|[SND]\d+(?:-[A-Z]+\d+)*)"
_THREAD = r"[^\s#<][^#<]{0,40}?-\d{1,10}"
_COUNT = rf"(?P<value><not counted>|<not supported>|{_NUMBER})\s+(?P<rest>\S.*)"
_LINE = re.compile(rf"\s*(?:(?P<time>\d+\.\d{{9}})\s+)?(?:(?P<place>{_PLACE})\s+)?{_COUNT}")
_THREAD_LINE = re.compile(rf"\s*(?:(?P<time>\d+\.\d{{9}})\s+)?(?P<place>{_THREAD})\s+{_COUNT}")
_REMARK = re.compile(r".*?#\s*(?P<number>-?[\d.,]+)\s?(?P<metric>\s*[^\s\d#(].*)")
_SPREAD = re.compile(r"\(\s*\+-\s*([\d.,]+)%\s*\)")
_SHARE = re.compile(r"[(\[]\s*(\d{1,3}[.,]\d+)\s*%\s*[)\]]")
_SIGNS = (r"\d([.,])\d+\s*%\s*[)\]]", r"\d([.,])\d+ (?:\+- \S+ )?seconds (?:time )?elapsed", r"#\s+\d+([.,])\d+")
_UNITS = vocabulary("msec ns us usec sec s Joules W mW C KiB MiB GiB Bytes KB MB GB % V mV MHz GHz Hz")


@dataclass(frozen=True)
class Line:
    """A count, a metric that perf derived, or both; and what the next lines without a name of their own belong to."""

    count: Count | None
    metric: Derived | None
    about: str


def decimal_sign(lines: list[str]) -> str:
    """Return the decimal sign of a file: what stands in its percentages, times and remarks."""
    for form in _SIGNS:
        for line in lines:
            found = re.search(form, line)
            if found:
                return found.group(1)
    return "."


def number(text: str, sign: str) -> float | None:
    """Return a number without the marks that group its digits."""
    digits = "".join(c for c in text if c == sign or c not in _GROUPING)
    if not re.fullmatch(r"-?\d{1,300}([.,]\d{0,300})?", digits):
        return None
    return float(digits.replace(",", "."))


def parse(line: str, at: int, sign: str, about: str) -> Line | None:
    """Return what a line of the table says; None if it is none."""
    found = _LINE.fullmatch(line) or _THREAD_LINE.fullmatch(line)
    count = _count(found, at, sign) if found else None
    about = count.event if count else line.partition("#")[0].strip() or about
    remark = _REMARK.fullmatch(_SHARE.sub("", _SPREAD.sub("", line)))
    metric = None
    if remark:
        metric = derived(number(remark["number"], sign), remark["metric"].rstrip(), about)
    return Line(count, metric, about) if count or remark else None


def _count(found: re.Match[str], at: int, sign: str) -> Count | None:
    rest = found["rest"]
    spread, share = _SPREAD.search(rest), _SHARE.search(rest)
    told = _SHARE.sub("", _SPREAD.sub("", rest.partition(" #")[0])).strip()
    unit, event, cgroup = _event(told)
    known = not found["value"].startswith("<")
    value = number(found["value"], sign) if known else None
    if not re.search(r"[^\W\d_]", event) or event.startswith("#") or (known and value is None):
        return None
    return Count(
        at,
        event,
        value,
        unit,
        why="" if known else found["value"][1:-1],
        share=_percent(share, sign, 100.0),
        spread=_percent(spread, sign, 0.0),
        interval=float(found["time"]) if found["time"] else None,
        place=" ".join((found["place"] or "").split()[:1]) if not _is_thread(found) else found["place"].strip(),
        cgroup=cgroup,
    )


def _is_thread(found: re.Match[str]) -> bool:
    return found.re is _THREAD_LINE


def _event(told: str) -> tuple[str, str, str | None]:
    """Return (unit, event, control group) of what follows a count."""
    first, _, after = told.partition(" ")
    unit, event = (first, after.strip()) if first in _UNITS and after.strip() else ("", told)
    event, gap, cgroup = event.partition("  ")
    return unit, event.strip(), cgroup.strip() if gap and cgroup.strip() else None


def _percent(found: re.Match[str] | None, sign: str, default: float) -> float:
    value = number(found.group(1), sign) if found else None
    return default if value is None else value
