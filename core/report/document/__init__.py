"""Documents that stand alone: HTML without a script or a request, light and dark, to print.

`html` is the page and its parts, `charts` draws pictures as SVG; `race` (and decisions) and `scaling` are reports.
"""
