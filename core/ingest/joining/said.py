"""What lines above the rows of plain tables say of all of them, as columns."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from core.ingest._units import KNOWN
from core.ingest.joining.links import with_column
from core.ingest.names import listed
from core.ingest.recognition import words as lexicon
from core.ingest.table.dialect import BEFORE
from core.ingest.table.pairs import said_above
from core.ingest.table.table import Table
from core.trial import Skipped

_NUMBER = re.compile(rf"([+-]?\d+(?:\.\d+)?) ?({'|'.join(map(re.escape, sorted(KNOWN, key=len, reverse=True)))})?")
"""A number, and maybe its unit."""


def with_said(tables: Sequence[Table]) -> list[Table]:
    """Return tables with what lines above their rows say of the hardware, or of what was set or differs, as columns."""
    said = [{name: own for name, own in table.said.items() if name not in table.names} for table in tables]
    columns = {name: tuple(own.get(name, "") for own in said) for name in dict.fromkeys(chain(*said))}
    taken = {lexicon.key(name) for table in tables for name in table.names}
    found = {name: texts for name, texts in columns.items() if lexicon.key(name) not in taken and _is_told(name, texts)}
    files = list(tables)
    for name, texts in found.items():
        parts = [_NUMBER.fullmatch(text) for text in texts]
        units = {part[2] or "" for part in parts if part}
        unit = next(iter(units)) if all(parts) and len(units) == 1 else ""
        values = [part[1] if part and unit else text for part, text in zip(parts, texts, strict=True)]
        files = [with_column(t, name, text, unit) for t, text in zip(files, values, strict=True)]
    if not found:
        return files
    told = f"{tables[0].source}: {listed([*found])} {'is' if len(found) == 1 else 'are'} said above the rows."
    left = (tuple(own for own in t.skipped if not _is_taken(own, found)) for t in files)
    first, *others = (replace(t, skipped=own) for t, own in zip(files, left, strict=True))
    return [replace(first, warnings=(*first.warnings, told)), *others]


def _is_told(name: str, texts: tuple[str, ...]) -> bool:
    """Whether files say of the hardware that they ran on, in numbers what was set, or what differs between them."""
    if lexicon.machine_word(name) in lexicon.MACHINE and all(map(lexicon.HARDWARE.search, texts)):
        return True
    numbers = [_NUMBER.fullmatch(text) for text in texts]
    measured = lexicon.is_outcome(name, (numbers[0] and numbers[0][2]) or "")
    if measured or lexicon.is_run(name) or lexicon.is_identifier(name) or lexicon.are_all(lexicon.STAMP, texts):
        return False
    set_before = (lexicon.is_setting(name) or lexicon.is_input(name)) and all(numbers)
    return set_before or (len({*texts}) > 1 and all(texts))


def _is_taken(line: Skipped, names: Collection[str]) -> bool:
    """Whether a line above the rows says nothing but what is in columns with some names."""
    said = {*said_above([line.why.removeprefix(BEFORE)])} if line.why.startswith(BEFORE) else set()
    return bool(said) and said <= {*names}
