"""Tables as lines of text."""

import pandas as pd


def table_lines(table: pd.DataFrame) -> list[str]:
    """Return a table as a person reads it in a terminal."""
    return str(table.to_string(index=False, float_format=lambda v: f"{v:.3f}", na_rep="")).splitlines()
