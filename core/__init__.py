"""Ridgeline's core: measurements in, validated performance models out; no Streamlit in here."""

__version__ = "0.1.0"
