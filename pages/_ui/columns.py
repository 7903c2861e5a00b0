"""How the columns of a table are shown: numbers short enough to compare, texts as they are."""

from typing import Any

import pandas as pd
import streamlit as st


def short_numbers(values: pd.DataFrame, digits: int = 5) -> dict[str, Any]:
    """Return a column configuration that shows fractions with few digits; downloads keep all of them."""
    return {
        str(name): st.column_config.NumberColumn(format=f"%.{digits}g")
        for name, kind in zip(values.columns, values.dtypes, strict=True)
        if pd.api.types.is_float_dtype(kind)
    }
