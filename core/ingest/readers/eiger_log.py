"""Eiger's offline log, which programs linked with its fake backend leave as `fakeeiger.log.XXXXXX`.

A line is a keyword and its fields, parted by semicolons: `A;name;description;id` commits an application,
`N;trial;metric;value` a counter. An id is written at the end of its line, or is the number of lines of that
kind before it. Version 4 of Eiger counts from 0 and writes the log when the program disconnects; version 2
counts from 1, writes as the program runs, says things again, and has executions (`E;machine;trial;id`).
Several logs may stand in one file, one after another. See `_eiger/trials.py` for what becomes of all this.
"""

import re
from dataclasses import dataclass, field

from core.ingest._vocabulary import vocabulary
from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._eiger.trials import Cell, Row, Tables, identifier, trials_of
from core.ingest.readers._text import TextReader
from core.trial import Import

_BEGINS = re.compile(rb"\A\s*VERSION;\s*\d+(?:\s*\n\s*(?:FORMAT;|CONNECT;|[ACSHTEvRDN];)|\s*\n?\Z)")
_VERSION = "2"
_KEYWORDS = DECLARED["eiger_log"]["keywords"]
_LONG = {f"{long}_commit": word for word, long, _, _ in _KEYWORDS}
_TABLES = {word: table for word, _, table, _ in _KEYWORDS}
_FIELDS = {word: forms for word, _, _, forms in _KEYWORDS}
_SAYS_NOTHING = vocabulary("CONNECT DISCONNECT P c a s h t e r d n V FORMAT") | {long for _, long, _, _ in _KEYWORDS}
"""Keywords of lines that commit nothing; a program's own login stands behind the first."""
_APART = 10**12
"""Between the ids of two logs in one file."""


class EigerLog(TextReader):
    """Reads the log line by line."""

    label = "Eiger's offline log"
    signs = (_BEGINS,)
    tells = (b"version;",)

    def fill(self, builder: Builder, raw: bytes) -> Import:
        """Return the trials of a log."""
        log = _Log(builder)
        log.read(raw.decode())
        if not log.rows["trials"]:
            raise builder.refused("holds no trials: the program stopped before it committed one. Run it again.")
        return trials_of(log.tables())


@dataclass
class _Log:
    """A log under way: rows as Eiger's tables have them, where trials stand, and what the log's id 0 is in the file."""

    builder: Builder
    rows: dict[str, list[Row]] = field(default_factory=lambda: {table: [] for table in _TABLES.values()})
    where: dict[str, dict[int, str]] = field(default_factory=lambda: {word: {} for word in _TABLES})
    counts: dict[str, int] = field(default_factory=dict)
    first: int = 0

    def read(self, raw: str) -> None:
        """Read every line."""
        lines = raw.splitlines()
        broken = len(lines) if raw and raw[-1] not in "\r\n" and lines[-1].strip() != "DISCONNECT" else 0
        for number, line in enumerate(lines, start=1):
            if number == broken:
                self.skip(number, "the log breaks off in this line")
            elif line.strip():
                self.line(number, line)

    def tables(self) -> Tables:
        """Return what was read as tables."""
        by_execution = bool(self.rows["executions"])
        return Tables(self.builder, self.rows, self.where["E" if by_execution else "T"], by_execution)

    def skip(self, number: int, why: str) -> None:
        """Say that a line was left out."""
        self.builder.skip(f"line {number}", why)

    def line(self, number: int, line: str) -> None:
        """Read one line."""
        word, *fields = line.split(";")
        word = _LONG.get(word.strip(), word.strip())
        if word == "VERSION":
            self.begin(number, fields)
        elif word in _TABLES:
            self.commit(number, word, fields)
        elif word not in _SAYS_NOTHING:
            self.skip(number, f"'{shown(word)}' is no keyword of the log")

    def begin(self, number: int, fields: list[str]) -> None:
        """Begin a log, with ids of its own."""
        version = fields[0].strip() if fields else ""
        if version != _VERSION:
            raise self.builder.refused(
                f"line {number}: version '{shown(version)}' of Eiger's log, expected {_VERSION}. "
                "Load it into a database with the Eiger that wrote it, and import that."
            )
        self.first += _APART if any(self.rows.values()) else 0
        self.counts.clear()

    def commit(self, number: int, word: str, fields: list[str]) -> None:
        """Keep what a line commits."""
        forms = _FIELDS[word]
        n = len(forms)
        if len(fields) < n:
            self.skip(number, f"'{word}' has {len(fields)} fields, expected {n}")
        elif word in "RDN":
            self.value(number, word, [text.strip() for text in fields])
        else:
            if len(fields) > n + 1 and "." in forms:
                cut = f"'{shown(fields[1 if word in 'Sv' else 0])}' may be cut short"
                told = f"more fields than Eiger writes, as of a name or description with a semicolon; {cut}."
                self.builder.note(told, number)
            key = self.key(word, fields[-1] if len(fields) > n else "")
            self.where[word].setdefault(key, f"line {number}")
            named = ((form, text) for form, text in zip(forms, fields, strict=False) if form != ".")
            cells = (self.reference(text) if form == "r" else text for form, text in named)
            self.rows[_TABLES[word]].append((key, *cells))

    def value(self, number: int, word: str, fields: list[str]) -> None:
        """Keep a value with its owner and its metric."""
        owner, metric = self.reference(fields[0]), self.reference(fields[1])
        try:
            value = float(fields[2])
        except ValueError:
            self.skip(number, f"the value '{shown(fields[2])}' is no number")
            return
        self.rows[_TABLES[word]].append((*((owner, owner) if word == "N" else (owner,)), metric, value))

    def key(self, word: str, text: str) -> int:
        """Return the id of a new row: as written, else the number of such lines before it."""
        count = self.counts.get(word, 0)
        self.counts[word] = count + 1
        written = identifier(text)
        return (count if written < 0 else written) + self.first

    def reference(self, text: str) -> Cell:
        """Return the id that a field refers to; a text that is no id refers to nothing."""
        found = identifier(text)
        return text if found < 0 else found + self.first
