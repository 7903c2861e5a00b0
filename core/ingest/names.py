"""Column names and other texts of a file: one form for each, nothing invisible, no two alike."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from core.errors import ReadError, first_few
from core.ingest._units import KNOWN, OF_TOKENS, PERCENTILE, split_unit, units_of_names
from core.ingest._vocabulary import vocabulary
from core.ingest.recognition.words import STATISTIC, WORDS

MAX_NAME = 500

_NUMBER = re.compile(r"[+-]?(\d[\d,]*(\.\d*)?|\.\d+)([eE][+-]?\d+)?%?|0x[0-9A-Fa-f]+")
_HIDDEN = ("Cf", "Cc", "Cs", "Zl", "Zp", "Co", "Cn")
_UNCOUNTED = {"not counted", "not supported", "<not counted>", "<not supported>"}
NONE_WORDS = vocabulary("n/a na nan -nan nan(ind) -nan(ind) null none nil - -- #n/a <na> missing — –") | _UNCOUNTED
"""Words for a number that was not measured, in lower case: such a cell is as an empty one."""
NO_RESULT = NONE_WORDS | WORDS["failing"] | vocabulary("x ✗ dnf dnr skipped unsupported (unknown) <unknown>")
"""What stands for a number where nothing came of a run as well; columns may be called so."""
MISSING_WORDS = NONE_WORDS | vocabulary(
    "? undefined inf -inf +inf infinity -infinity #div/0! #value! #num! #ref! #name? #null!"
)
"""Words that programs write where they have no number, in lower case."""


NOT_GIVEN = "none"
"""The level of a text that was set where its cell is empty."""


def invisible(text: str, allowed: str = "") -> str:
    """Return the first character that a reader could not see, as U+XXXX; "" if there is none."""
    if text.isascii() and text.isprintable():
        return ""
    hidden = (letter for letter in text if letter not in allowed and unicodedata.category(letter) in _HIDDEN)
    return next((f"U+{ord(letter):04X}" for letter in hidden), "")


def is_there(cell: str) -> bool:
    """Whether a cell holds anything but a word for no number."""
    return bool(cell) and cell.lower() not in MISSING_WORDS


def clean_name(text: str) -> str:
    """Return a name in Unicode's composed form, each run of white space one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def shown(text: str, size: int = 60) -> str:
    """Return a text short enough for a sentence."""
    return text if len(text) <= size else text[: size - 1] + "…"


def listed(names: Sequence[str], most: int = 5, quote: str = "'") -> str:
    """Return names as a sentence lists them, the first of many and how many more there are."""
    return first_few([f"{quote}{shown(name)}{quote}" for name in names], most)


def read_header(file: str, line: int, cells: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (names, units) of a header row; two names that only units tell apart keep them.

    Raises
    ------
    ReadError
        If a name is missing, a number, invisible in part, too long, or there twice.
    """
    headers = [clean_name(cell) for cell in cells]
    percentiles = _percentiles(headers)
    for column, (raw, header) in enumerate(zip(cells, headers, strict=True), start=1):
        if header not in percentiles:
            _check_name(f"{file} line {line}", column, raw, header)
    _refuse_twice(f"{file} line {line}", headers)
    of_models = any(map(OF_TOKENS.search, headers))
    split = [(h, "") if of_models and h.lower() == "t/s" else split_unit(h) for h in headers]
    split = [
        (name, "tokens/s" if of_models and {"t/s", "transactions/s"} & {name.lower(), unit} else unit)
        for name, unit in split
    ]
    folded = [name.casefold() for name, _ in split]
    alike = {name for name, n in Counter(folded).items() if n > 1}
    names = tuple(h if f in alike else s[0] for h, f, s in zip(headers, folded, split, strict=True))
    _refuse_twice(f"{file} line {line}", names)
    own = units_of_names([name for name, _ in split])
    # `time (CPU)` beside `time (GPU)` says what was timed, and `time (min)` beside `time (max)` is no time in minutes
    told = {f for f, (_, u) in zip(folded, split, strict=True) if u.lower() in STATISTIC - {"min"}}
    units = (
        "" if (f in alike and u not in KNOWN and "/" not in u) or (f in told and u.lower() in STATISTIC) else u
        for f, (_, u) in zip(folded, split, strict=True)
    )
    return names, tuple(unit or said for unit, said in zip(units, own, strict=True))


def _percentiles(headers: Sequence[str]) -> Sequence[str]:
    """Return names such as `50%`, `95%` where they rise behind at least as many words; else they are values."""
    found = [name for name in headers if name.endswith("%") and PERCENTILE.fullmatch(name)]
    words = [name for name in headers if not _NUMBER.fullmatch(name)]
    shares = [float(name[:-1]) for name in found]
    rising = len(found) > 1 and shares == sorted({*shares}) and shares[-1] <= 100
    return found if rising and len(words) >= len(found) == len(headers) - len(words) else ()


def _check_name(place: str, column: int, raw: str, name: str) -> None:
    if not name:
        raise ReadError(f"{place}: column {column} has no name. Give it one, or remove the column.")
    if hidden := invisible(raw, allowed="\t\r\n"):
        raise ReadError(f"{place}: name '{shown(name)}' holds the invisible character {hidden}. Remove it.")
    if len(name) > MAX_NAME:
        raise ReadError(f"{place}: column {column}'s name has {len(name)} characters; {MAX_NAME} are allowed.")
    if _NUMBER.fullmatch(name) or name.lower() in MISSING_WORDS:
        raise ReadError(
            f"{place}: '{shown(name)}' stands where a column's name is expected. "
            "Add a row of column names above the values."
        )


def _refuse_twice(place: str, names: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if name.casefold() in seen:
            other = seen[name.casefold()]
            both = f"'{shown(name)}'" if other == name else f"'{shown(other)}' and '{shown(name)}'"
            raise ReadError(f"{place}: two columns are called {both}. Rename or remove one of them.")
        seen[name.casefold()] = name


def stem(name: str) -> str:
    """Return a file's name without folders and endings, for formats that do not say what was measured."""
    own = re.split(r"[/\\]", name)[-1]
    own = own[:-3] if own.lower().endswith(".gz") else own
    return own.rpartition(".")[0] or own
