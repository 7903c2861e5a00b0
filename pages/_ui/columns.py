"""How the columns of a table are shown: numbers and texts short enough to compare, whole in the download."""

from typing import Any

import pandas as pd
import streamlit as st

from pages._ui.text import short

LONGEST = 120


def short_numbers(values: pd.DataFrame, digits: int = 5) -> dict[str, Any]:
    """Return a column configuration that shows fractions with few digits; downloads keep all of them."""
    return {
        str(name): st.column_config.NumberColumn(format=f"%.{digits}g")
        for name, kind in zip(values.columns, values.dtypes, strict=True)
        if pd.api.types.is_float_dtype(kind)
    }


def short_texts(values: pd.DataFrame, limit: int = LONGEST) -> pd.DataFrame:
    """Return the table with long texts, such as names of kernels, shortened in the middle; for showing only."""
    texts = [name for name in values.columns if not pd.api.types.is_numeric_dtype(values[name])]
    return values.assign(**{
        str(name): [short(text, limit) if isinstance(text, str) else text for text in values[name]] for name in texts
    })  # fmt: skip
