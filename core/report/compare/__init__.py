"""Models side by side: races, two models' differences, one target's model used for another.

`race_setup` (defaults) to `race_table` (standings), `race_detail` (one model), `race_document` (JSON) and `race_text`;
`auto_document`; `comparison` and `versus` of two models; `reuse` across targets; `speed_up` over a simulator.
"""
