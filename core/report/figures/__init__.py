"""Figures, each drawn from one value of `core.report` and described in words; `draw` holds what all of them share."""
