"""Tables as CSV that a spreadsheet shows and never runs."""

from core.report.csv_text import safe_cell, to_csv

__all__ = ["safe_cell", "to_csv"]
