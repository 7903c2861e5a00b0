"""Texts from files, shown letter for letter: escaped for Markdown, shortened, counted; what folds are called."""

import math
import re
from collections.abc import Callable, Iterable

from core.errors import RidgelineError
from core.errors import count as count
from core.report.shared.naming import cut, short_number
from core.report.shared.scorecard import fold_label
from core.report.shared.scorecard import percent as percent
from core.trial import notes_about

_MARKDOWN = re.compile(r"([\\`*{}\[\]<>#+\-.!|~$:^=&\"'@/]|(?<![^\W_])_|_(?![^\W_])|(?<=\d)\))")
"""What Markdown may take for a sign; screen readers read the strokes before them, so brackets and words are spared."""
_REPLACED = re.compile(
    r"((?<!\S)[<>~-](?=(?:->|-|>|=)(?!\S))|:(?=streamlit:|material_)|https?:(?=//)|www(?=\.)|(?=@))", re.IGNORECASE
)
"""What Streamlit turns into arrows, icons and links even where it is escaped."""
_BETWEEN, _LEAST = " · ", 12
_SPACE = re.compile(r"^ | $|(?<= ) |(?<=\d) (?=%)")
_FLAG = re.compile(r" \(--(?:no-)?(\w+)[^)]*\)")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def literal(text: object) -> str:
    """Return Markdown that shows `text` letter for letter: no links, images, formulas or colours.

    An invisible word joiner keeps Streamlit from making arrows, icons and links of what is left, and no line breaks
    between a number and its percent sign.
    Characters that cannot be seen or that turn the direction of writing are shown as their code.
    """
    seen = _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", str(text))
    return _MARKDOWN.sub(r"\\\1", _SPACE.sub("\u00a0", _REPLACED.sub("\\1\u2060", seen)))


def short(text: object, limit: int = 48) -> str:
    """Return a text of at most `limit` characters, its middle replaced by an ellipsis (not escaped).

    Of names such as "application · input · machine" the longest part is cut, so that the others stay.
    """
    whole = str(text)
    if len(whole) <= limit:
        return whole
    parts = whole.split(_BETWEEN)
    longest = max(range(len(parts)), key=lambda i: len(parts[i]))
    room = limit - (len(whole) - len(parts[longest]))
    if len(parts) > 1 and room >= _LEAST:
        return _BETWEEN.join([*parts[:longest], cut(parts[longest], room), *parts[longest + 1 :]])
    return cut(whole, limit)


def short_distinct(texts: Iterable[str], limit: int = 48) -> dict[str, str]:
    """Return each text with a short form of its own: where two would be cut alike, they are numbered."""
    found: dict[str, str] = {}
    seen: dict[str, int] = {}
    for text in dict.fromkeys(texts):
        cut = short(text, limit)
        seen[cut] = seen.get(cut, 0) + 1
        found[text] = cut if seen[cut] == 1 else f"{cut} ({seen[cut]})"
    return found


def shortened(names: Iterable[str], limit: int = 60) -> Callable[[str], str]:
    """Return what long names are called in a list to choose from, each by a form of its own."""
    said = short_distinct(names, limit)
    return lambda name: said.get(name, name)


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as people read it, or a dash where there is none."""
    return "–" if value is None or not math.isfinite(value) else short_number(value, digits)


def listed(names: Iterable[object], limit: int = 6) -> str:
    """Return names with commas, the rest counted (not escaped)."""
    texts = [str(name) for name in names]
    more = len(texts) - limit
    return ", ".join(texts[:limit]) + (f" and {more} more" if more > 0 else "")


def noted(notes: Iterable[str], **places: str) -> list[str]:
    """Return a frame's notes as sentences, with what stands on the page for a flag of the command line, if anything.

    That counters can be left out is told where they can be.
    """
    told = (note for note in notes if "counters" in places or not notes_about([note], "counters"))
    plain = (_FLAG.sub(lambda own: f" ({places[own[1]]})" if own[1] in places else "", note) for note in told)
    return [f"{note[:1].upper()}{note[1:]}." for note in plain]


def folds_said(text: str) -> str:
    """Return what folds leave out in words; what was typed and cannot be understood stays as it is."""
    try:
        said = fold_label(text)
    except RidgelineError:
        return text
    return f"{said[:1].upper()}{said[1:]}"


def by_label(text: str) -> bool:
    """Whether folds are those of a column, which other trials may not have."""
    return text.startswith("by:")
