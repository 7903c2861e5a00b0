"""What `perf stat` prints for people: blocks that begin with `Performance counter stats for`."""

import re

from core.ingest._vocabulary import vocabulary
from core.ingest.names import shown
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._perf import events
from core.ingest.readers._perf.events import Section
from core.ingest.readers._perf.trials import add_runs
from core.ingest.readers._text import TextReader

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


_ELAPSED = re.compile(
    r"\s*(?P<mean>[\d.,]+)(?:\s+\+-\s+[\d.,]+)?\s+(?P<unit>seconds) (?:time )?elapsed"
    r"(?:\s+\(\s*\+-\s*(?P<spread>[\d.,]+)%\s*\))?\s*"
)
_OLD_ELAPSED = re.compile(r"\s*Wall-clock time elapsed:\s+(?P<mean>[\d.,]+) (?P<unit>msecs)\s*")
_CPU_TIME = re.compile(r"\s*(?P<mean>[\d.,]+) seconds (?P<which>user|sys)\s*")
_COMMAND = re.compile(r"'(.*)'")
_NO_COMMAND = re.compile(r"'(?:system wide|CPU\(s\) .*|BPF program\(s\) .*|pipe)'")
_BESIDES = re.compile(r"\s*(?:#.*|Some events weren't counted.*|echo \d > /proc/.*|The events in group.*)")


class PerfStatText(TextReader):
    """Reads what `perf stat` prints for people, in any locale, with any of -r, -I, -A, --per-core and -G."""

    label = "perf stat, as printed for people"
    tells = events.SIGNS_OF_TEXT

    def sniff(self, head: bytes) -> bool:
        """Whether the head holds the line above a table, or how perf says that it could not measure."""
        return events.is_text(head)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per table, of the program that was measured; its arguments are parameters."""
        lines = [line if len(line) < events.MAX_ROW else "" for line in raw.decode().splitlines()]
        if not (blocks := _blocks(lines)):
            raise builder.refused(_failed(lines))
        for block in blocks:
            add_runs(builder, block.runs(_in_intervals(block)), block.left_out, "no line of a count")


def _blocks(lines: list[str]) -> list[Section]:
    """Return the tables of a file; what a program printed around them is passed over."""
    sign, blocks, open_ = decimal_sign(lines), list[Section](), False
    for at, line in enumerate(lines, start=1):
        banner = events.BANNER.fullmatch(line)
        if banner or (events.TABLE.fullmatch(line) and (not open_ or blocks[-1].headed)):
            _begin(blocks, at, banner)
            open_ = True
        elif open_:
            open_ = _take(blocks[-1], at, line, sign)
        else:
            _footer(blocks, line, sign)
    return blocks


def _begin(blocks: list[Section], at: int, banner: re.Match[str] | None) -> None:
    """Open a block; the sums that perf prints after intervals stay with them."""
    if not (banner and blocks and not blocks[-1].headed and _in_intervals(blocks[-1])):
        blocks.append(Section(at))
    if banner:
        what = banner["what"]
        command = None if _NO_COMMAND.fullmatch(what) or "id '" in what[:12] else _COMMAND.fullmatch(what)
        blocks[-1].command, blocks[-1].repeats = command[1].strip() if command else "", banner["runs"] or ""
        blocks[-1].headed = True


def _in_intervals(block: Section) -> bool:
    return any(count.interval is not None for count in block.counts)


def _take(block: Section, at: int, line: str, sign: str) -> bool:
    """Put a line of a table where it belongs; False if it is the last one."""
    if elapsed := _ELAPSED.fullmatch(line) or _OLD_ELAPSED.fullmatch(line):
        if (seconds := number(elapsed["mean"], sign)) is not None:
            block.times[TIME] = seconds / 1000 if elapsed["unit"] == "msecs" else seconds
        block.spread = number(elapsed.groupdict().get("spread") or "0", sign) or 0.0
        return False
    if line.strip() and not _take_line(block, at, line, sign) and not _BESIDES.fullmatch(line):
        block.left_out.append(at)
    return True


def _footer(blocks: list[Section], line: str, sign: str) -> None:
    found = _CPU_TIME.fullmatch(line)
    seconds = number(found["mean"], sign) if found else None
    if found and blocks and seconds is not None:
        name = "user_time" if found["which"] == "user" else "system_time"
        if not any(count.event.startswith(name) for count in blocks[-1].counts):
            blocks[-1].times.setdefault(name, seconds)


def _failed(lines: list[str]) -> str:
    said = next(((at, line) for at, line in enumerate(lines, start=1) if events.FAILURE.match(line)), None)
    if said is None:
        return "holds no table that begins with 'Performance counter stats for'. Run perf stat again."
    message = shown(said[1].strip(), 160)
    return f"holds only messages of perf and no counts: '{message}' (line {said[0]}). Run perf stat again."


def decimal_sign(lines: list[str]) -> str:
    """Return the decimal sign of a file: what stands in its percentages, times and remarks."""
    found = (re.search(form, line) for form in _SIGNS for line in lines)
    return next((sign[1] for sign in found if sign), ".")


def number(text: str, sign: str) -> float | None:
    """Return a number without the marks that group its digits."""
    digits = "".join(c for c in text if c == sign or c not in _GROUPING)
    return events.plain_number(digits)


def _take_line(block: Section, at: int, line: str, sign: str) -> bool:
    """Take what a line of the table says: a count, a metric that perf derived, or both; False if it says neither."""
    found = _LINE.fullmatch(line) or _THREAD_LINE.fullmatch(line)
    count = _count(found, at, sign) if found else None
    remark = _REMARK.fullmatch(_SHARE.sub("", _SPREAD.sub("", line)))
    if not count and not remark:
        return False
    block.about = count.event if count else line.partition("#")[0].strip() or block.about
    metric = events.derived(number(remark["number"], sign), remark["metric"].rstrip(), block.about) if remark else None
    block.take(count, metric)
    return True


def _count(found: re.Match[str], at: int, sign: str) -> events.Count | None:
    rest = found["rest"]
    spread, share = _SPREAD.search(rest), _SHARE.search(rest)
    told = _SHARE.sub("", _SPREAD.sub("", rest.partition(" #")[0])).strip()
    unit, event, cgroup = _event(told)
    known = not found["value"].startswith("<")
    value = number(found["value"], sign) if known else None
    if not re.search(r"[^\W\d_]", event) or event.startswith("#") or (known and value is None):
        return None
    return events.Count(
        at,
        event,
        value,
        unit,
        why="" if known else found["value"][1:-1],
        share=_percent(share, sign, 100.0),
        spread=_percent(spread, sign, 0.0),
        interval=float(found["time"]) if found["time"] else None,
        place=found["place"].strip() if found.re is _THREAD_LINE else " ".join((found["place"] or "").split()[:1]),
        cgroup=cgroup,
    )


def _event(told: str) -> tuple[str, str, str | None]:
    """Return (unit, event, control group) of what follows a count."""
    first, _, after = told.partition(" ")
    unit, event = (first, after.strip()) if first in _UNITS and after.strip() else ("", told)
    event, gap, cgroup = event.partition("  ")
    return unit, event.strip(), cgroup.strip() if gap and cgroup.strip() else None


def _percent(found: re.Match[str] | None, sign: str, default: float) -> float:
    value = number(found.group(1), sign) if found else None
    return default if value is None else value
