"""Tables whose rows are metrics and whose columns are runs: `threads,1,2,4` above `time,10.1,5.2,2.7`."""

from collections.abc import Sequence

from core.ingest._units import split_unit, unit_of_name
from core.ingest.names import is_there
from core.ingest.recognition import words
from core.ingest.table.dialect import is_number

MOST_ROWS, _LEAST_RUNS = 60, 3
_CORNERS = frozenset(("", "metric", "metrics", "name", "parameter", "property", "quantity", "measure", "counter"))
"""What stands above names of metrics, beside names of runs."""


def turned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows and columns exchanged where the first column names what was set and what came out; else none.

    Of its texts three in four have to be called like a setting, an outcome or the like, both among them unless runs
    have names; a column of the rows' numbers before them is left out. Cells beside each have to be
    all numbers or all texts, and those of the first row must not be called so.
    """
    widths = {len(row) for row in rows}
    if not 2 <= len(rows) <= MOST_ROWS or len(widths) > 1 or min(widths) <= _LEAST_RUNS:
        return []
    numbers = {tuple(row[0] for row in rows[1:])} & {tuple(map(str, range(i, i + len(rows) - 1))) for i in (0, 1)}
    (corner, *runs), *below = ([cell.strip() for cell in row[bool(numbers) :]] for row in rows)
    named = words.key(corner) in _CORNERS and not any(map(is_number, runs))
    names = [row[0] for row in below] + ([] if named else [corner])
    outcomes = [name for name in names if _is_outcome(name)]
    others = [name for name in names if name not in outcomes]
    spoken = (named or others) and 4 * sum(map(_is_spoken, others)) >= 3 * len(others) and len({*names}) == len(names)
    of_runs = not any(_is_outcome(cell) or _is_spoken(cell) or cell.lower() in words.STATISTIC for cell in runs)
    alike = all(len({*map(is_number, filter(is_there, cells))}) < 2 for _, *cells in below)
    if not (outcomes and spoken and of_runs and alike):
        return []
    return [*map(list, zip(["name" if named else corner, *runs], *below, strict=True))]


def _is_outcome(name: str) -> bool:
    own, unit = split_unit(name)
    return words.is_outcome(own, unit or unit_of_name(own)) and not own[-1:].isdigit()


def _is_spoken(name: str) -> bool:
    """Whether a name is one of a column that is no outcome."""
    own = split_unit(name)[0]
    named = words.key(own) in {*words.APPLICATION, *words.MACHINE} or words.tells_of_failure(own)
    kinds = (words.is_setting, words.is_input, words.is_counter, words.is_machine_fact, words.is_comparison)
    return named or any(kind(own) for kind in kinds)
