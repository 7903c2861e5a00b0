"""Models side by side: races, two models' differences, one target's model used for another.

`side_by_side` (defaults of a race, and several models) to `race_table` (standings), `race_document` (JSON and text, the
automatic model's too); `versus` of two models; `machines` ranked for workloads.
"""
