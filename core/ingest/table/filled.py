"""Names that stand in the first row of their group alone, as merged cells are written, in all rows of it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from core.ingest.table.cells import Cells
from core.ingest.table.dialect import is_number
from core.ingest.table.shape import MOST_ROWS, Shaped


def fill_down(name: str, shaped: Shaped) -> Shaped:
    """Fill empty cells from above where a column names groups of rows that are alike.

    Another column has to say the same in each group, from its first row on. Numbers name groups only left of it,
    texts left of any column without empty cells.
    """
    n = len(shaped.lines)
    gaps = [i for i, cells in enumerate(shaped.columns) if 0 < n <= MOST_ROWS and cells[0] and _has_empty(cells)]
    full = {i: cells.texts() for i, cells in enumerate(shaped.columns) if gaps and not _has_empty(cells)}
    columns, told = list(shaped.columns), [*shaped.warnings]
    for i in gaps:
        texts = columns[i].texts()
        starts = [row for row, text in enumerate(texts) if text]
        same = [j for j, own in full.items() if _same_in_each(own, starts)]
        numbers = all(is_number(texts[row]) for row in starts)
        if len({*texts}) > 2 and same and max(same if numbers else full) > i:
            groups = pairwise([*starts, n])
            columns[i] = Cells.of([texts[first] for first, end in groups for _ in range(first, end)])
            called = shaped.header[i].strip()
            told.append(f"{name}: {called} stands in the first row of each group: it was filled in below.")
    return replace(shaped, columns=tuple(columns), warnings=tuple(told))


def _has_empty(cells: Cells) -> bool:
    return cells.empties and bool(cells.equal("").any())


def _same_in_each(texts: Sequence[str], starts: Sequence[int]) -> bool:
    """Whether a column says the same in each group of two rows or more, or the first part of it."""
    groups = [texts[first:end] for first, end in pairwise([*starts, len(texts)])]
    longest = max(groups, key=len)
    alike = all(len(group) > 1 and group == longest[: len(group)] for group in groups)
    return alike and len(groups) > 1 and len({*longest}) > 1
