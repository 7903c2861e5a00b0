"""Tables that are drawn with lines, as rich, tabulate, DuckDB and Polars do, as those of bars and dashes."""

import re

BOXED = re.compile("│|┃|║|┆".encode())
_DRAWN = str.maketrans(
    dict.fromkeys("│┃║┆", "|")
    | dict.fromkeys("─━═╌", "-")
    | dict.fromkeys("┌┬┐├┼┤└┴┘┏┳┓┡╇┩┣╋┫┗┻┛╒╤╕╞╪╡╘╧╛╔╦╗╠╬╣╚╩╝╟╫╢╭╮╰╯┠╂┨┝┿┥╓╥╖╙╨╜", "+")
)
_TYPE = (
    r"varchar|u?(?:big|small|tiny|huge)?int(?:eger)?\d*|double|float|bool(?:ean)?|date|time(?:stamp)?|decimal\(.*\)|"
)
_TYPES = re.compile(rf"\|(?:\s*(?:{_TYPE}str|[iu]\d+|f\d\d|cat|-+)\s*\|)+")
_TOLD = re.compile(r"\|\s*(?:\d+ rows?\b|[·…][\s·…|]*\|$).*")
"""How many rows there are, and what stands in place of those that are left out."""


def plain(text: str) -> str:
    """Return a text with bars and dashes for drawn lines; types below names, and rows that tell of rows, are rules."""
    lines = text.translate(_DRAWN).split("\n")
    for i, line in enumerate(map(str.strip, lines)):
        typed = i and lines[i - 1].strip().startswith("|") and _TYPES.fullmatch(line)
        lines[i] = "|" + "---|" * (line.count("|") - 1) if typed or _TOLD.fullmatch(line) else lines[i]
    return "\n".join(lines)
