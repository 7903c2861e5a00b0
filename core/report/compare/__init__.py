"""Models side by side: races, two models' differences, one target's model used for another.

`race_setup` (defaults) to `race_table` (standings), `race_document` (JSON and text, the automatic model's too);
`comparison`, `versus` of two models, `side_by_side` of several; `machines` ranked for workloads.
"""
