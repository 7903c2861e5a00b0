"""The tables of Nsight Compute's CSV, details and raw pages alike, as launches with what was read of each."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter

from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest.names import shown
from core.ingest.readers._base_units import scale_of
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import DECLARED, kind_of, roles_of
from core.ingest.readers._nvidia.capture import Capture, HeaderForm, Row, Table, record
from core.ingest.readers._nvidia.printed import is_missing
from core.ingest.readers._text import cells_of, lines_with
from core.trial import Kind

KERNEL = ("Kernel Name", "Demangled Name", "Function Name")
_WORDS = (*KERNEL, "Source")
_HINT = re.compile("|".join(_WORDS).encode())
LONG, SUMMARY, WIDE, DAMAGED, SOURCE = "long", "summary", "wide", "damaged", "source"

_SAMPLED = re.compile(r"Sampl|Live Registers|Instructions Executed")
_MESSAGES = re.compile(rb"^==(?:PROF|ERROR|WARNING)== |^ +Section: .*\r?\n +-{5,}", re.MULTILINE)


def header_of(line: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return (kind, columns, separator) if a line, or its end, names the columns of a table."""
    return _read_header(line) if any(word in line for word in _WORDS) else None


def _kind(columns: Sequence[str]) -> str:
    if columns[0] == "#" and "Source" in columns and any(_SAMPLED.search(name) for name in columns):
        return SOURCE
    metrics = ("a metric's",) if any(re.search(r"\w__\w", name) for name in columns) else ()
    return kind_of("ncu", (*columns, *metrics))


_read_header = lru_cache(16)(HeaderForm("ID|Process ID|#|Kernel Name|Function Name", _kind).read)
"""What a line says as a header, which the many files of one capture share."""


def first_kind(head: bytes) -> str:
    """Return the kind of the first table in a file's beginning, "messages" if there are only those, or ""."""
    for _, line in lines_with(head, _HINT):
        if header := header_of(line):
            return header[0]
    return "messages" if _MESSAGES.search(head) else ""


Key = tuple[str, str, str]
"""A metric's name, its unit as printed, and its section."""

MESSAGE = re.compile(r"==(?:PROF|ERROR|WARNING)==|No kernels were profiled|Available Kernels:")

_APART = ("ID", "Process ID", *KERNEL, "Block Size", "Grid Size", "Device")
"""What tells launches apart."""
_IDENTITY, _NO_IDENTITY = DECLARED["ncu"]["identity"], DECLARED["ncu"]["no_identity"]
_NVTX = re.compile(r"NVTX|Domain:(?:Push/Pop|Start/Stop)_Range", re.IGNORECASE)
_BRACKETS = re.compile(r"(.*\S) \[([^\[\]]*)\]")
_GLUED = re.compile(r'(?<=[^,;\t"])"\d+"\s*[,;\t]\s*"\d+"\s*[,;\t]\s*"')


@dataclass
class NcuTable(Table):
    """One table of a capture.

    Attributes
    ----------
    names_at : the identity columns, by place; of a wide table alone, like all below
    keys, keys_at : the metrics and their places; empty before the row of units is read
    has_units : whether there is a row of units
    """

    names_at: Mapping[int, str] = field(default_factory=dict)
    keys: list[Key] = field(default_factory=list)
    keys_at: tuple[int, ...] = ()
    has_units: bool = False

    def set_keys(self, units: Sequence[str]) -> None:
        """Say what the columns of a wide table are, from the units below their names."""
        self.names_at, self.keys_at, self.keys = _keys_of(self.columns, tuple(units))

    @cached_property
    def begins(self) -> re.Pattern[str]:
        """What a row begins with."""
        return re.compile(rf'\s*"?\d+"?\s*{self.separator}' if self.columns[0].endswith("ID") else r'\s*"')

    @cached_property
    def numbers_at(self) -> tuple[int, ...]:
        """The places of the columns that are whole numbers in every row."""
        return self._places(("ID", "Process ID"))

    @cached_property
    def reading_at(self) -> tuple[int, int, int, int]:
        """The places of name, unit, value and section of a long table's metrics; -1 for no section."""
        wanted = ("Metric Name", "Metric Unit", "Average" if self.kind == SUMMARY else "Metric Value")
        name, unit, value = (self.columns.index(column) for column in wanted)
        return name, unit, value, self.columns.index("Section Name") if "Section Name" in self.columns else -1

    @cached_property
    def apart_at(self) -> tuple[int, ...]:
        """The places of the columns that tell launches apart."""
        return self._places(_APART)

    def _places(self, names: Sequence[str]) -> tuple[int, ...]:
        return tuple(self.columns.index(name) for name in names if name in self.columns)

    @cached_property
    def least(self) -> int:
        """How many cells a row has at least: rows of details may be shorter than their header."""
        return 1 + max(self.reading_at) if self.kind in (LONG, SUMMARY) else len(self.columns)

    def fitted(self, cells: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the cells of a row, without empty ones that a spreadsheet added; None if they are no row."""
        own = super().fitted(cells)
        return own if own and all(own[place].strip().isdigit() for place in self.numbers_at) else None


@dataclass
class Launch:
    """A launch of a kernel: how it is called in the identity columns, and the texts read of it, by metric."""

    table: int
    line: int
    identity: Mapping[str, str]
    keys: list[Key]
    texts: list[str]
    seen: dict[Key, str] = field(default_factory=dict)

    def items(self) -> Iterator[tuple[Key, str]]:
        """Yield the metrics and their texts."""
        return zip(self.keys, self.texts, strict=True)

    def read(self, key: Key, text: str) -> str:
        """Take a text; return what was read of the same metric, unit and section before, if it is another."""
        name, unit, section = key
        base, said = (name, scale_of(unit)[0], section), f"{text} {unit}".strip()
        before = self.seen.setdefault(base, said)
        if len(self.seen) > len(self.keys):
            self.keys.append(key)
            self.texts.append(text)
        return "" if before == said else before


@dataclass
class Found:
    """All tables and launches of a file, in its order.

    Attributes
    ----------
    rules : (line, name) of the rows that give advice and no metric
    units_lost : the line of a wide table's row of units that cannot be read; 0 if none
    """

    capture: Capture
    tables: list[NcuTable] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    rules: list[tuple[int, str]] = field(default_factory=list)
    units_lost: int = 0


def find(capture: Capture) -> Found:
    """Return the tables, launches and remaining lines of a capture."""
    found, table = Found(capture), None
    by_identity: dict[tuple[str, ...], Launch] = {}
    at = 0
    while at < len(capture.lines):
        line, number, step = capture.lines[at], at + 1, 1
        if header := header_of(line):
            table, by_identity = NcuTable(header[0], number, header[1], header[2]), {}
            found.tables.append(table)
        elif table is None or not line.strip():
            found.capture.add(number, line)
        elif table.kind == WIDE and not table.keys and _above_rows(found, table, number, line):
            pass
        else:
            row, step = _row(capture.lines, at, table)
            if row is None:
                _not_a_row(found, table, number, line)
            else:
                _take(found, table, Row(number, row), by_identity)
        at += step
    return found


def _row(lines: Sequence[str], at: int, table: NcuTable) -> tuple[tuple[str, ...] | None, int]:
    """Return the cells of the row at a line and how many lines it spans; None if it is no row of the table."""
    read = record(lines, at, table.separator, len(table.columns), table.begins)
    if read is not None and (cells := table.fitted(read[0])):
        return cells, read[1]
    glued = _GLUED.search(lines[at])
    return table.fitted(cells_of(lines[at][glued.start() :], table.separator)) if glued else None, 1


def _not_a_row(found: Found, table: NcuTable, number: int, line: str) -> None:
    """Note a line below a header: a damaged row, or what an application wrote."""
    if table.begins.match(line) and line.count(table.separator) > 3 and not MESSAGE.match(line):
        found.capture.broken.append((number, table.why_not(line)))
    else:
        found.capture.add(number, line)


def _above_rows(found: Found, table: NcuTable, number: int, line: str) -> bool:
    """Take the row of units below a wide table's header; return whether the line is no launch."""
    width = len(table.columns)
    cells = cells_of(line, table.separator) or ()
    names = [i for i, name in enumerate(table.columns) if _names_launch(name)]
    blank = line.lstrip(' "').startswith(table.separator)
    if blank and len(cells) >= width and not any(cells[i].strip() for i in names) and not any(cells[width:]):
        table.set_keys([cell.strip() for cell in cells[:width]])
        table.has_units = True
    elif blank:
        found.units_lost = found.units_lost or number
    elif not table.begins.match(line):
        found.capture.add(number, line)
    else:
        table.set_keys([""] * width)
    return blank or not table.keys


@lru_cache(256)
def _keys_of(columns: tuple[str, ...], units: tuple[str, ...]) -> tuple[Mapping[int, str], tuple[int, ...], list[Key]]:
    """Return (identity columns by place, places of the metrics, metrics) of a wide table, whose files are many."""
    named = [_split(column, unit) for column, unit in zip(columns, units, strict=True)]
    names_at = {i: name for i, (name, _) in enumerate(named) if _names_launch(name)}
    keys_at = tuple(i for i in range(len(named)) if i not in names_at)
    seen: set[Key] = set()
    keys: list[Key] = []
    for i in keys_at:
        name, unit = named[i]
        base = (name, scale_of(unit)[0], "")
        keys.append((name, unit, f"column {i + 1}" if base in seen else ""))
        seen.add(base)
    return names_at, keys_at, keys


@lru_cache(1 << 14)
def _names_launch(column: str) -> bool:
    return column in _IDENTITY or _NVTX.search(column) is not None


def _split(column: str, unit: str) -> tuple[str, str]:
    found = None if unit else _BRACKETS.fullmatch(column)
    return (found.group(1), found.group(2)) if found else (column, unit)


def _take(found: Found, table: NcuTable, row: Row, by_identity: dict[tuple[str, ...], Launch]) -> None:
    found.capture.last = row.line
    if table.kind == WIDE:
        identity = {name: row.cells[i].strip() for i, name in table.names_at.items()}
        texts = [*itemgetter(*table.keys_at, -1)(row.cells)][:-1]
        found.launches.append(Launch(len(found.tables) - 1, row.line, identity, table.keys, texts))
    elif table.kind in (LONG, SUMMARY):
        _take_long(found, table, row, by_identity)


def _take_long(found: Found, table: NcuTable, row: Row, by_identity: dict[tuple[str, ...], Launch]) -> None:
    name_at, unit_at, value_at, section_at = table.reading_at
    if not (name := row.cells[name_at].strip()):
        found.rules.append((row.line, dict(zip(table.columns, row.cells, strict=False)).get("Rule Name", "")))
        return
    own = tuple([row.cells[place] for place in table.apart_at])
    if (launch := by_identity.get(own)) is None:
        cells = zip(table.columns, row.cells, strict=False)
        identity = {column: cell.strip() for column, cell in cells if column not in _NO_IDENTITY}
        launch = by_identity[own] = Launch(len(found.tables) - 1, row.line, identity, [], [])
        found.launches.append(launch)
    section = row.cells[section_at].strip() if section_at >= 0 else ""
    if before := launch.read((name, row.cells[unit_at].strip(), section), row.cells[value_at]):
        told = f"'{shown(name)}' a second time for this launch: {row.cells[value_at]}, after {before}"
        found.capture.broken.append((row.line, told))


_ROLE = roles_of("ncu")
_TIME = re.compile(r"(?:^|[\s(])gpu__time_duration(?:\.(sum|avg|max|min))?\)?$|^(Duration|time)$")
_RANK = {"sum": 0, "Duration": 1, "time": 1, None: 2, "avg": 3, "max": 4, "min": 5}
"""Of the times of a launch; other programs that write such tables call theirs `time`."""
_OUTCOME = re.compile(r"(?:^|[\s(])gpu__time_")
_TWOFOLD = frozenset({("Memory Throughput", "byte/s")})
"""The tool calls two metrics so; this one says its unit even where it is alone, so that files agree."""


class Plan(Frozen):
    """What becomes of a metric: its name among the trials', and its kind; None of an id.

    Attributes
    ----------
    rank : of a print of the launch's time, where it comes among the others; None of anything else
    """

    name: str
    unit: str
    kind: Kind | None
    rank: int | None = None


def plans(launches: Sequence[Launch]) -> dict[Key, Plan]:
    """Return what becomes of each metric.

    A name that two units share is two metrics, whatever their order: the percentage keeps the name.
    The same metric in two sections keeps one name if it is alike in all launches.
    """
    kinds = {id(launch.keys): launch.keys for launch in launches}
    if len(kinds) == 1 and (alone := _alone(tuple(*kinds.values()))):
        return alone
    read = dict.fromkeys(key for keys in kinds.values() for key in keys)
    found: dict[Key, Plan] = {}
    there = {key for launch in launches for key, text in launch.items() if not is_missing(text)}
    for name, named in by_key((key[0], key) for key in read).items():
        bases = by_key((scale_of(unit)[0], (name, unit, section)) for _, unit, section in named)
        told = bases if len(bases) == 1 else [base for base, keys in bases.items() if there & {*keys}]
        plain = next((base for base in sorted(told, key=lambda base: (base != "%", base == "", base))), "")
        for base, keys in bases.items():
            plainly = base == plain or base not in told
            own = _only_name(name, base) if plainly else f"{name} [{base or 'no unit'}]"
            differ = len(keys) > 1 and _differ(launches, set(keys))
            for _, unit, section in keys:
                called = f"{own} [{section}]" if differ and section != keys[0][2] else own
                found[name, unit, section] = _planned(name, called, unit)
    return found


@lru_cache(256)
def _alone(keys: tuple[Key, ...]) -> dict[Key, Plan]:
    """Return what becomes of metrics whose names say all; nothing if two of them share one."""
    if len({name for name, _, _ in keys}) < len(keys):
        return {}
    return {key: _planned(key[0], _only_name(key[0], scale_of(key[1])[0]), key[1]) for key in keys}


def _only_name(name: str, base: str) -> str:
    return name if (name, base) not in _TWOFOLD else f"{name} [{base or 'no unit'}]"


def _differ(launches: Sequence[Launch], keys: set[Key]) -> bool:
    """Whether a launch has different values under keys that are alike but for the section."""
    said = ({f"{t} {key[1]}" for key, t in own.items() if key in keys and not is_missing(t)} for own in launches)
    return any(len(texts) > 1 for texts in said)


@lru_cache(1 << 14)
def _planned(name: str, own: str, unit: str) -> Plan:
    """Return the plan of a metric that is called `own` among the trials' metrics."""
    if time := _TIME.search(name):
        return Plan(own, unit, Kind.RESPONSE, _RANK[time.group(1) or time.group(2)])
    (called, _, kind), base = _ROLE(name), scale_of(unit)[0]
    if kind is Kind.COUNTER and base.endswith("/s"):
        kind = Kind.DERIVED
    elif kind is Kind.COUNTER and base == "s" and _OUTCOME.search(name):
        kind = Kind.RESPONSE
    return Plan(own, unit, kind if called else None)


TOOL = "Nsight Compute"
_PRINTED_DEVICE = re.compile(
    r"\b(?:device|gpu)\b[^:=]{0,12}[:=]\s*\"?((?:NVIDIA|Tesla|Quadro|GeForce|TITAN) [\w .+-]*\w)", re.IGNORECASE
)


def printed_device(found: Found) -> tuple[str, int]:
    """Return (name, line) of the one GPU that the application's own output names; ("", 0) if none or several."""
    said = {m.group(1): line for line, text in found.capture.rest if (m := _PRINTED_DEVICE.search(text))}
    devices = {launch.identity.get("Device", "") for launch in found.launches}
    return next(iter(said.items())) if len(said) == len(devices) == 1 else ("", 0)


def tell_tables(builder: Builder, found: Found) -> None:
    """Say which rows and tables are no measurements."""
    if found.rules:
        names = ", ".join(dict.fromkeys(name for _, name in found.rules if name))
        what = f"{len(found.rules)} rows of the tool's advice ({shown(names, 120)}), no measurements"
        builder.skip(f"line {found.rules[0][0]}{' and more' if len(found.rules) > 1 else ''}", what)
    for table in found.tables:
        if table.kind == WIDE and not table.has_units and not any(unit for _, unit, _ in table.keys):
            builder.note("no row of units below the column names; none are known.", table.line)
        if table.kind == SUMMARY:
            builder.skip(f"line {table.line}", "columns 'Minimum', 'Maximum': the average over the launches is taken")
        elif table.kind in (DAMAGED, SOURCE):
            builder.skip(f"line {table.line}", f"not read: {_not_launches(table)}")


def _not_launches(table: NcuTable) -> str:
    if table.kind == SOURCE:
        return "the source page, one row per instruction and none per launch"
    wanted = ("ID", "Metric Name", "Metric Unit", "Metric Value")
    lacks = [f"'{name}'" for name in wanted if name not in table.columns]
    return f"a table of metrics without the column {', '.join(lacks)}"


def why_no_launch(found: Found) -> str:
    """Return why a file of rules or other pages alone is refused; "" of any other."""
    for table in found.tables:
        if table.kind in (SOURCE, DAMAGED):
            remedy = "Export it with --page details or --page raw."
            return f"line {table.line} begins {_not_launches(table)}. {remedy}"
    remedy = "Export it with --page details --print-details all, or with --page raw."
    return f"holds only {len(found.rules)} rows of {TOOL}'s rules and no metrics. {remedy}" if found.rules else ""


def joined(builder: Builder, found: Found) -> Iterator[Launch]:
    """Yield the launches; a later table of the same launches with other metrics is a further pass over them."""
    kept: list[list[Launch]] = []
    for place, launches in by_key((launch.table, launch) for launch in found.launches).items():
        if (before := next((group for group in kept if _same_launches(group, launches)), None)) is None:
            kept.append(launches)
            continue
        told = f"a second table of the same {len(launches)} launches with other metrics"
        builder.note(f"{told}: taken as a further pass over them.", found.tables[place].line)
        for old, new in zip(before, launches, strict=True):
            old.keys, old.texts = [*old.keys, *new.keys], [*old.texts, *new.texts]
    if len(kept) > 1:
        lines = ", ".join(str(found.tables[group[0].table].line) for group in kept)
        builder.tell(f"holds {len(kept)} captures (from lines {lines}): each gives trials of its own.")
    for group in kept:
        yield from group


def _same_launches(first: Sequence[Launch], second: Sequence[Launch]) -> bool:
    if len(first) != len(second) or not all(launch.identity.get("ID") for launch in first):
        return False
    pairs = zip(first, second, strict=True)
    return all(_who(a) == _who(b) and not {key[0] for key in a.keys} & {key[0] for key in b.keys} for a, b in pairs)


def _who(launch: Launch) -> tuple[str, ...]:
    return tuple(launch.identity.get(name, "") for name in ("ID", *KERNEL, "Grid Size", "Block Size"))
