"""Tables as CSV that a spreadsheet shows and never runs."""

import re
from typing import TYPE_CHECKING

from core.report.shared.csv_lines import FORMULA, NUMBER

if TYPE_CHECKING:
    import pandas as pd

_FORMULA, _NUMBER = re.compile(FORMULA), re.compile(NUMBER)


def safe_cell(value: object) -> object:
    """Return a text with an apostrophe before it if a spreadsheet would take it for a formula."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def to_csv(values: "pd.DataFrame") -> str:
    """Return a table as CSV with a header and no index; numbers keep every digit."""
    from pandas.api.types import is_numeric_dtype

    safe = values.copy()
    safe.columns = [safe_cell(str(name)) for name in values.columns]
    for i, kind in enumerate(values.dtypes):
        if not is_numeric_dtype(kind):
            safe.isetitem(i, values.iloc[:, i].map(safe_cell).to_numpy())
    return safe.to_csv(index=False, lineterminator="\n")
