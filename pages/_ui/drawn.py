"""What pages draw: texts of files letter for letter, numbers, charts and tables, and files to take away."""

import math
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.errors import RidgelineError
from core.errors import count as count
from core.report.figures.draw import Picture
from core.report.figures.sketch import DARK, LIGHT, Ground, Sketch
from core.report.figures.surface import NARROW, WIDE, forbidden_note, surface_contours, surface_in_space, surface_map
from core.report.figures.theme import worn
from core.report.shared.csv_text import to_csv
from core.report.shared.naming import cut, file_name, short_number
from core.report.shared.scorecard import fold_label
from core.report.shared.scorecard import percent as percent
from core.report.space.whatif import Surface
from core.trial import notes_about
from pages._ui.choices import follow, switch
from pages._ui.theme import NARROW_WINDOW, height_of, theme_of, window

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


LONGEST = 120
_WHOLE = 1e7
_EXACT = 2.0**53
"""Beyond it the browser shows every digit of a number, whatever its column's format says."""


def short_numbers(values: pd.DataFrame, digits: int = 5) -> dict[str, Any]:
    """Return a column configuration that shows fractions with few digits; downloads keep all of them.

    Below ten million no digit before the point is rounded away; thousands are set apart.
    """
    found = {}
    for place, name in enumerate(values.columns):
        column = values.iloc[:, place]
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            there = column[column.abs() < math.inf].abs()
            whole = len(str(int(there.max()))) if there.max() < _WHOLE else 0
            shown = max(digits, whole + 1) if (there % 1 != 0).any() else 15
            found[str(name)] = st.column_config.NumberColumn(format=f"%,.{shown}g")
    return found


def short_texts(values: pd.DataFrame, limit: int = LONGEST) -> pd.DataFrame:
    """Return the table with long texts, such as names of kernels, shortened in the middle; for showing only."""
    texts = [name for name in values.columns if not pd.api.types.is_numeric_dtype(values[name])]
    return _told(values, texts, lambda text: short(text, limit) if isinstance(text, str) else text)


def large_as_texts(values: pd.DataFrame) -> pd.DataFrame:
    """Return the table with columns that hold numbers too large for a browser as short texts; for showing only."""
    floats = [name for name in values.columns if pd.api.types.is_float_dtype(values[name].dtype)]
    large = [name for name in floats if (values[name].abs() > _EXACT).any()]
    return _told(values, large, lambda v: None if math.isnan(v) else f"{v:.4g}")


def _told(values: pd.DataFrame, names: Iterable[Any], said: Callable[[Any], Any]) -> pd.DataFrame:
    return values.assign(**{str(name): [said(value) for value in values[name]] for name in names})


_CONFIG = {"displaylogo": False, "scrollZoom": False, "modeBarButtonsToRemove": ["lasso2d", "autoScale2d"]}
_SELECTING = {**_CONFIG, "modeBarButtonsToRemove": ["autoScale2d"]}
_MIMES = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".toml": "application/toml",
    ".html": "text/html",
    ".txt": "text/plain",
}
MOST_PLANNED = 550
"""Pixels of a drawing of what is still to be run: wider, its letters would be larger than the page's."""
Values = pd.DataFrame | Callable[[], pd.DataFrame]


class _Sent(go.Figure):
    """A figure as it goes to the browser: Plotly would check and copy data and layout each time."""

    def __init__(self, made: dict[str, Any]) -> None:
        self.__dict__["_made"] = made

    def to_dict(self) -> dict[str, Any]:
        """Return data and layout."""
        made: dict[str, Any] = self.__dict__["_made"]
        return made


def is_narrow() -> bool:
    """Whether the window is a phone's, on which drawings have fewer units across, so that their letters can be read."""
    return window()[1] < NARROW_WINDOW


def table(
    shown: Any,
    key: str,
    alt: str = "",
    download: bool = True,
    values: Values | None = None,
    digits: int = 5,
    column_config: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Draw a table of any length, with its rows (or `values`, where it shows a part) as CSV.

    `shown` is a data frame, plain (its fractions with few `digits`, unless `column_config` says otherwise) or with
    colours. Further options are those of `st.dataframe`; the event of choosing rows is returned: what they are of
    stands in `key` after a space, else others would be chosen when the rows change.
    """
    plain = short_numbers(shown, digits) if isinstance(shown, pd.DataFrame) else {}
    look = {"hide_index": True, "placeholder": "–", "column_config": {**plain, **(column_config or {})}, **options}
    event = st.dataframe(shown, key=key, alt=alt or None, **look)
    if download:
        csv_button("Table as CSV", shown if values is None else values, key)
    return event


def short_table(shown: pd.DataFrame, digits: int = 4) -> None:
    """Draw a few rows as they stand: a table to scroll, sort and search is a program of its own, which comes last."""
    rows = [[number(c, digits) if isinstance(c, float) else literal(c) for c in row] for row in shown.values]
    lines = (map(literal, shown.columns), ["---"] * len(shown.columns), *rows)
    st.markdown("\n".join(" | ".join(("", *line, "")) for line in lines))


def csv_button(label: str, values: Values, key: str) -> None:
    """Offer values as a CSV, made when the button is clicked; its name is the key up to a space."""

    def made() -> bytes:
        return to_csv(values() if callable(values) else values).encode()

    download(label, made, f"{key.partition(' ')[0]}.csv", f"{key}_csv", type="tertiary")


def download(label: str, data: str | bytes | Callable[[], bytes], name: str, key: str, **shown: Any) -> None:
    """Offer a file, made when the button is clicked if it is a function; its suffix says what it is.

    Parameters
    ----------
    name : of the file, in which characters that are unsafe are replaced
    """
    stem, dot, suffix = name.rpartition(".")
    mime, name = _MIMES.get(dot + suffix, "application/octet-stream"), file_name(stem, dot + suffix)
    known: Any = {"on_click": "ignore", "icon": ":material/download:", **shown}
    st.download_button(label, data, name, mime, key=key, **known)


def show(picture: Picture, key: str, select: bool = False, download: bool = True) -> Any:
    """Draw a picture with its description for those who cannot see it, its numbers as CSV, and its note.

    Parameters
    ----------
    select : whether choosing points runs the page again; the event is returned (see `chosen_rows`)
    """
    shown: dict[str, Any] = {"config": _CONFIG}
    made = worn(picture.figure, theme_of("dark" if st.context.theme.type == "dark" else "light"))
    made["layout"]["height"] = height_of(made["layout"].get("height"))
    if select:
        shown = {"config": _SELECTING, "on_select": "rerun", "selection_mode": ("points", "box", "lasso")}
        tool = made["layout"].get("dragmode") or "pan"
        clicks = "event" if tool == "select" else "event+select"
        made["layout"] |= {"dragmode": tool, "clickmode": clicks, "hovermode": "closest"}
    # Streamlit's theme, and what it would add for selecting, draw a figure twice.
    event = st.plotly_chart(_Sent(made), key=key, alt=picture.alt, theme=None, **shown)
    if download:
        csv_button("Data as CSV", picture.values, key)
    if picture.note:
        st.caption(literal(picture.note))
    return event


def chosen_rows(event: Any) -> tuple[int, ...]:
    """Return the row numbers that the chosen points carry, each one or several, ascending, each once."""
    points: Sequence[Any] = event["selection"]["points"] if event else ()
    carried = (point["customdata"] for point in points if "customdata" in point)
    lists = (rows if isinstance(rows, list | tuple) else str(rows).split() for rows in carried)
    return tuple(sorted({int(row) for rows in lists for row in rows}))


MAP, CONTOURS, SURFACE = SURFACES = ("map", "contours", "surface")


def ground() -> Ground:
    """Return the ground of the theme that the reader sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def draw_sketch(sketch: Sketch, most: int = 0) -> None:
    """Draw a vector graphic as wide as there is room, or `most` pixels."""
    draw_svg(sketch.svg, sketch.alt, most)


def draw_svg(svg: str, alt: str, most: int = 0) -> None:
    """Draw a vector graphic as wide as there is room, or `most` pixels, in the page's letters."""
    head, end, rest = svg.partition(">")
    st.image(f"{head}{end}{_letters()}{rest}", width=most or "stretch", alt=alt)


@cache
def _letters() -> str:
    """Return a style with the page's letters, as an image sees none of the page.

    The file holds what drawings need of Source Sans (© Adobe, SIL Open Font License 1.1).
    """
    font = b64encode(Path(__file__).with_name("letters.woff2").read_bytes()).decode()
    face = f"@font-face {{font-family: letters; src: url(data:font/woff2;base64,{font})}}"
    return f"<style>{face} text {{font-family: letters, sans-serif}}</style>"


def choose_kind(prefix: str) -> str:
    """Let the user choose how a surface is drawn."""
    help = "The map follows a slider fastest; contours can be zoomed into, the surface can be turned."
    return switch("Drawn as", SURFACES, f"{prefix}_kind", help, usual=MAP)


def draw_surface(value: Surface, kind: str, key: str) -> None:
    """Draw a response over two axes."""
    if kind != MAP:
        show(surface_contours(value) if kind == CONTOURS else surface_in_space(value), key)
        return
    draw_sketch(surface_map(value, ground(), NARROW if is_narrow() else WIDE))
    if note := forbidden_note(value):
        st.caption(note)
    csv_button("Data as CSV", value.table, key)


def offer(usual: str, keys: tuple[str, str, str], keep: Callable[[str], object], content: Callable[[], bytes]) -> None:
    """Let the user name a model, save it or download it.

    Parameters
    ----------
    usual : what it is called unless the user says otherwise
    keys : of the name, of the button that saves, and of the one that downloads
    keep : saves it under a name
    """
    help = "What the model is called on the Models page."
    follow(keys[0], usual)
    name = st.text_input("Name", value=usual, key=keys[0], max_chars=120, width=420, help=help).strip() or usual
    if st.button("Save", key=keys[1], icon=":material/save:", type="primary"):
        keep(name)
        st.toast(literal(f"Saved as “{name}”. It is on the Models page."), icon=":material/check:")
    download("Download JSON", content, f"{name}.json", keys[2])
