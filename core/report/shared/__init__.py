"""What several views show: names, scores, outcomes, numbers with units, tables as CSV, graphics as SVG.

`naming`, `grouping`, `quantity` and `preview` are texts; `scorecard` and `outcome` say how good predictions are;
`csv_text` and `csv_lines` write tables; `svg` draws for pages that stand by themselves.
"""
