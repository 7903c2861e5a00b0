"""What several views show: names, scores, outcomes, numbers with units, tables as CSV.

`naming`, `grouping`, `quantity` and `preview` are texts; `scorecard` and `outcome` say how good predictions are;
`csv_text` and `csv_lines` write tables.
"""
