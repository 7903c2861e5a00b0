"""How the columns of a table are shown: numbers and texts short enough to compare, whole in the download."""

import math
from typing import Any

import pandas as pd
import streamlit as st

from pages._ui.text import short

LONGEST = 120
_WHOLE = 1e7
_EXACT = 2.0**53
"""Beyond it the browser shows every digit of a number, whatever its column's format says."""


def short_numbers(values: pd.DataFrame, digits: int = 5) -> dict[str, Any]:
    """Return a column configuration that shows fractions with few digits; downloads keep all of them.

    Below ten million no digit before the point is rounded away; thousands are set apart.
    """
    found = {}
    for place, name in enumerate(values.columns):
        column = values.iloc[:, place]
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            there = column[column.abs() < math.inf].abs()
            whole = len(str(int(there.max()))) if there.max() < _WHOLE else 0
            shown = max(digits, whole + 1) if (there % 1 != 0).any() else 15
            found[str(name)] = st.column_config.NumberColumn(format=f"%,.{shown}g")
    return found


def short_texts(values: pd.DataFrame, limit: int = LONGEST) -> pd.DataFrame:
    """Return the table with long texts, such as names of kernels, shortened in the middle; for showing only."""
    texts = [name for name in values.columns if not pd.api.types.is_numeric_dtype(values[name])]
    return values.assign(
        **{
            str(name): [short(text, limit) if isinstance(text, str) else text for text in values[name]]
            for name in texts
        }
    )


def large_as_texts(values: pd.DataFrame) -> pd.DataFrame:
    """Return the table with columns that hold numbers too large for a browser as short texts; for showing only."""
    large = [
        name
        for name in values.columns
        if pd.api.types.is_float_dtype(values[name].dtype) and (values[name].abs() > _EXACT).any()
    ]
    return values.assign(
        **{str(name): [f"{v:.4g}" if not math.isnan(v) else None for v in values[name]] for name in large}
    )
