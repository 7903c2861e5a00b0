"""What `perf stat` prints for people: blocks that begin with `Performance counter stats for`."""

import re
from dataclasses import dataclass, field
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._perf.events import BANNER, FAILURE, MAX_ROW, TABLE, Count, Derived, Run, is_text, split_runs
from core.ingest.readers._perf.lines import decimal_sign, number, parse
from core.ingest.readers._perf.trials import add_runs
from core.trial import Import

_ELAPSED = re.compile(
    r"\s*(?P<mean>[\d.,]+)(?:\s+\+-\s+[\d.,]+)?\s+(?P<unit>seconds) (?:time )?elapsed"
    r"(?:\s+\(\s*\+-\s*(?P<spread>[\d.,]+)%\s*\))?\s*"
)
_OLD_ELAPSED = re.compile(r"\s*Wall-clock time elapsed:\s+(?P<mean>[\d.,]+) (?P<unit>msecs)\s*")
_CPU_TIME = re.compile(r"\s*(?P<mean>[\d.,]+) seconds (?P<which>user|sys)\s*")
_COMMAND = re.compile(r"'(.*)'")
_NO_COMMAND = re.compile(r"'(?:system wide|CPU\(s\) .*|BPF program\(s\) .*|pipe)'")
_BESIDES = re.compile(r"\s*(?:#.*|Some events weren't counted.*|echo \d > /proc/.*|The events in group.*)")


@dataclass
class _Block:
    """One table, with what stands above and below it."""

    line: int
    banner: re.Match[str] | None = None
    counts: list[Count] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)
    times: dict[str, float] = field(default_factory=dict)
    spread: float = 0.0
    left_out: list[int] = field(default_factory=list)
    about: str = ""


class PerfStatText(Reader):
    """Reads what `perf stat` prints for people, in any locale, with any of -r, -I, -A, --per-core and -G."""

    label: ClassVar[str] = "perf stat, as printed for people"

    def sniff(self, head: bytes) -> bool:
        """Whether the head holds the line above a table, or how perf says that it could not measure."""
        return is_text(head)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per table; the application is the command that was measured."""
        text = open_text(file)
        builder = Builder(text.name, text.sha256, "perf_stat_text")
        lines = [line if len(line) < MAX_ROW else "" for line in text.raw.decode().splitlines()]
        blocks = _blocks(lines)
        if not blocks:
            raise ReadError(_failed(text.name, lines))
        for block in blocks:
            add_runs(builder, _runs(block))
            for line in block.left_out:
                builder.skip(f"line {line}", "no line of a count")
        return builder.build(text.warnings)


def _blocks(lines: list[str]) -> list[_Block]:
    """Return the tables of a file; what a program printed around them is passed over."""
    sign, blocks, open_ = decimal_sign(lines), list[_Block](), False
    for at, line in enumerate(lines, start=1):
        banner = BANNER.fullmatch(line)
        if banner:
            _begin(blocks, at, banner)
        elif TABLE.fullmatch(line) and (not open_ or blocks[-1].banner):
            _begin(blocks, at, None)
        elif not open_:
            _footer(blocks, line, sign)
            continue
        else:
            open_ = _take(blocks[-1], at, line, sign)
            continue
        open_ = True
    return blocks


def _begin(blocks: list[_Block], at: int, banner: re.Match[str] | None) -> None:
    """Open a block; the sums that perf prints after intervals stay with them."""
    if banner and blocks and blocks[-1].banner is None and any(c.interval is not None for c in blocks[-1].counts):
        blocks[-1].banner = banner
    else:
        blocks.append(_Block(at, banner))


def _take(block: _Block, at: int, line: str, sign: str) -> bool:
    """Put a line of a table where it belongs; False if it is the last one."""
    elapsed = _ELAPSED.fullmatch(line) or _OLD_ELAPSED.fullmatch(line)
    if elapsed:
        seconds = number(elapsed["mean"], sign)
        if seconds is not None:
            block.times[TIME] = seconds / 1000 if elapsed["unit"] == "msecs" else seconds
        block.spread = number(elapsed.groupdict().get("spread") or "0", sign) or 0.0
        return False
    found = parse(line, at, sign, block.about) if line.strip() else None
    block.about = found.about if found else block.about
    if found and found.count:
        block.counts.append(found.count)
    if found and found.metric:
        block.derived.append(found.metric)
    if not found and line.strip() and not _BESIDES.fullmatch(line):
        block.left_out.append(at)
    return True


def _footer(blocks: list[_Block], line: str, sign: str) -> None:
    found = _CPU_TIME.fullmatch(line)
    seconds = number(found["mean"], sign) if found else None
    if found and blocks and seconds is not None:
        name = "user_time" if found["which"] == "user" else "system_time"
        if not any(count.event.startswith(name) for count in blocks[-1].counts):
            blocks[-1].times.setdefault(name, seconds)


def _runs(block: _Block) -> list[Run]:
    what = block.banner["what"] if block.banner else ""
    command = None if _NO_COMMAND.fullmatch(what) or "id '" in what[:12] else _COMMAND.fullmatch(what)
    timed = any(count.interval is not None for count in block.counts)
    parts = split_runs(block.counts) if timed else [tuple(block.counts)]
    return [
        Run(
            counts,
            tuple(block.derived) if len(parts) == 1 else (),
            application=command.group(1).strip() if command else "",
            times=block.times if counts is parts[-1] else {},
            spread=block.spread,
            repeats=(block.banner["runs"] or "") if block.banner else "",
            line=block.line,
        )
        for counts in parts
    ]


def _failed(name: str, lines: list[str]) -> str:
    said = next((at for at, line in enumerate(lines, start=1) if FAILURE.match(line)), None)
    if said is None:
        return f"{name} holds no table that begins with 'Performance counter stats for'. Run perf stat again."
    message = shown(lines[said - 1].strip(), 160)
    return f"{name} holds only messages of perf and no counts: '{message}' (line {said}). Run perf stat again."
