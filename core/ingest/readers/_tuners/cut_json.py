"""JSON that a tool was still writing when it stopped: what is whole is taken, and where it broke off is said."""

import json
import re
from typing import Any

from core.errors import ReadError
from core.ingest.readers._json import load_json

_CLOSING = {"{": "}", "[": "]"}
_NEAR_END = 8
"""Characters of a word such as `false` that the end of a file may have cut."""


def load_cut(name: str, raw: bytes, container: str, opening: str) -> tuple[Any, str]:
    """Return a JSON object and, if it was cut off inside one of its members, where.

    Parameters
    ----------
    container : the key of the member that a tool adds to while it runs
    opening : `{` or `[`, with which that member begins

    Raises
    ------
    ReadError
        If it is no JSON for any other reason, or nothing in the member is whole.
    """
    try:
        return load_json(name, raw), ""
    except ReadError:
        text = raw.decode(errors="replace")
        end = _last_whole(text, container, opening)
        if end is None:
            raise
    whole = text[:end].rstrip().removesuffix(",") + _CLOSING[opening] + "}"
    return load_json(name, whole.encode()), f"after line {text.count(chr(10), 0, end) + 1}"


def _last_whole(text: str, container: str, opening: str) -> int | None:
    """Return where the last whole item of the member ends; None if the text was not cut off there."""
    found = re.search(rf'"{re.escape(container)}"\s*:\s*{re.escape(opening)}', text)
    if not found:
        return None
    decoder, size = json.JSONDecoder(), len(text.rstrip())
    end = at = found.end()
    while True:
        at = _blank(text, at, ", \t\r\n")
        if at >= size:
            return end if end > found.end() else None
        if text[at] == _CLOSING[opening]:  # the member is whole, and what follows it is not
            return end if text[at + 1 :].strip() == "" and end > found.end() else None
        try:
            at = end = _item(decoder, text, at, opening)
        except (ValueError, RecursionError) as error:
            cut = isinstance(error, json.JSONDecodeError) and _at_end(error, size)
            return end if cut and end > found.end() else None


def _item(decoder: json.JSONDecoder, text: str, at: int, opening: str) -> int:
    """Return where an item ends."""
    if opening == "{":
        _, at = decoder.raw_decode(text, at)
        at = _blank(text, at, " \t\r\n")
        if text[at : at + 1] != ":":
            raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
        at = _blank(text, at + 1, " \t\r\n")
    return decoder.raw_decode(text, at)[1]


def _blank(text: str, at: int, blanks: str) -> int:
    while at < len(text) and text[at] in blanks:
        at += 1
    return at


def _at_end(error: json.JSONDecodeError, size: int) -> bool:
    return error.pos >= size - _NEAR_END or error.msg.startswith("Unterminated string")
