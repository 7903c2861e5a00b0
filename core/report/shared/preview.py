"""The beginning of a long text, for a look at it."""

from dataclasses import dataclass

MOST_LINES, LONGEST_LINE = 400, 240


@dataclass(frozen=True)
class Preview:
    """What is shown of a file's bytes.

    Attributes
    ----------
    text : its first lines, long ones cut; "" if it is no text
    language : for colours, such as "c"; None where there are none
    n_lines, n_bytes : of the whole file; no lines if it is no text
    shortened : whether something was left out
    """

    text: str
    language: str | None
    n_lines: int
    n_bytes: int
    shortened: bool


_LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".hpp": "cpp",
    ".cpp": "cpp",
    ".py": "python",
    ".sql": "sql",
    ".json": "json",
    ".tex": "latex",
    ".html": "html",
}


def preview(raw: bytes, suffix: str) -> Preview:
    """Return the first 400 lines of a text, cut after 240 letters each."""
    try:
        lines = raw.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        return Preview("", None, 0, len(raw), shortened=True)
    if "\0" in raw[:1000].decode("utf-8", "replace"):
        return Preview("", None, 0, len(raw), shortened=True)
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …" for line in lines[:MOST_LINES]]
    cut = len(lines) > MOST_LINES or any(len(line) > LONGEST_LINE for line in lines[:MOST_LINES])
    return Preview("\n".join(shown), _LANGUAGES.get(suffix), len(lines), len(raw), cut)
