"""Tables that HTML and LaTeX mark up, as rows of cells."""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from core.ingest.table.pairs import CODE

Grid = list[tuple[int, list[str]]]
"""The line and the cells of each row, the names first."""

Spanning = tuple[str, int, int]
"""The text of a cell, and the columns and rows that it takes."""

_TAG = re.compile(r"(?i)<(table|tr|t[hd])\b([^<>]*)>((?:[^<]|<(?!/?(?:table|tr|t[hd])\b))*)")
MARKED = re.compile(rb"(?im)<table\b|&[^\r\n&]*\\\\")
"""What a text holds that may have such a table."""

_GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_BODY = re.compile(
    rf"\\begin\{{(tabular([x*])?|longtable)\}}\s*(?:\[.*?\])?{_GROUP}(?(2){_GROUP})(.*?)\\end\{{\1\}}", re.DOTALL
)
_SPANS = re.compile(rf"\s*\\multicolumn\{{(\d{{1,2}})\}}\s*{_GROUP}")
_PLAIN = {
    rf"\\multirow\s*{_GROUP}\s*{_GROUP}|\\(cline|cmidrule)(\(.*?\))?{_GROUP}|^\s*\[[^\]&]*\]|\{{,\}}": "",
    r"\\pm\b": "±",
    r"\\times\b": "x",
    r"\\mu\b": "µ",
    r"\\(?=[_%&#$])|\\[A-Za-z]+\*?|[{}]|(?<!\\)\$": "",
    r"\\[,;: ]|~|\s+": " ",
}
"""What stands in a cell of LaTeX, and the text that it means."""


def grids_of(text: str) -> list[Grid]:
    """Return the tables of the first way in which a text marks up any; source code has none."""
    if CODE.search(text):
        return []
    if "<table" in text.lower():
        return _of_page(text)
    bodies = [(found.start(3), found[3]) for found in _BODY.finditer(text)]
    whole = [(0, text)] if re.search(r"&[^\n&]*\\\\", text) else []
    return [[*_of_latex(text.count("\n", 0, start) + 1, body)] for start, body in bodies or whole]


def _of_page(text: str) -> list[Grid]:
    """Return the tables of a web page."""
    tables: list[list[tuple[int, list[Spanning]]]] = []
    line, at = 1, 0
    for found in _TAG.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        if (tag := found[1].lower()) == "table":
            tables.append([])
        elif tables and (tag == "tr" or not tables[-1]):  # browsers make a row of cells that stand in none
            tables[-1].append((line, []))
        if tag in ("th", "td") and tables:
            spans = dict(re.findall(r"(?i)(col|row)span=\W?([1-9]\d?)\b", found[2]))
            own = " ".join(unescape(re.sub("<[^<>]*>", "", found[3])).split())
            tables[-1][-1][1].append((own, int(spans.get("col", 1)), int(spans.get("row", 1))))
    return [[*_without_spans(rows)] for rows in tables]


def _without_spans(rows: Sequence[tuple[int, Sequence[Spanning]]]) -> Iterator[tuple[int, list[str]]]:
    """Yield rows in which a cell of several columns is followed by empty ones, and one of several rows comes again."""
    below: dict[int, list[str]] = {}
    for line, cells in rows:
        own: list[str] = []
        for text, columns, n_rows in (*cells, ("", 0, 0)):
            while below.get(len(own)):
                own.append(below[len(own)].pop())
            below |= {place: [text] * (n_rows - 1) for place in range(len(own), len(own) + columns)}
            own += [text, *[""] * (columns - 1)][:columns]
        if own:
            yield line, own


def _of_latex(line: int, body: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of what stands between the beginning and the end of a table, each with the line where it ends."""
    for row in re.sub(r"(?<!\\)%.*", "", body).split("\\\\"):
        line += row.count("\n")
        cells = re.split(r"(?<!\\)&", row)
        if len(cells) > 1:
            yield line, [text for cell in cells for text in _of_cell(cell)]


def _of_cell(cell: str) -> list[str]:
    """Return the text of a cell of LaTeX, with an empty one for each further column that it takes."""
    spans = _SPANS.search(cell)
    cell = cell.replace(spans[0], "") if spans else cell
    for form, text in _PLAIN.items():
        cell = re.sub(form, text, cell)
    return [cell.strip(), *[""] * (int(spans[1]) - 1 if spans else 0)]
