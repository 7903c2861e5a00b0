"""Documents that stand alone: HTML without a script or a request, light and dark, to print.

`html` is the page and its parts, `axes` and `charts` draw pictures as SVG; `race`, `space` and `scaling` are reports.
"""
