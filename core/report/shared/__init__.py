"""What several views show: names, scores, outcomes, numbers with units, tables.

`naming` is texts and colours, and makes tables of like values by the names of their attributes; `scorecard` and
`outcome` say how good predictions are, `svg` draws, `csv_text` writes tables.
"""
