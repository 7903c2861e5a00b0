"""What several views show: names, scores, outcomes, numbers with units, tables.

`naming` and `grouping` are texts and colours; `scorecard` and `outcome` say how good predictions are; `columns` makes
tables of like values by the names of their attributes, `csv_text` writes tables.
"""
