"""The words of an SQL dump, and the values that stand in it, in SQLite's and in MySQL's way of writing."""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

Literal = int | float | str | bytes | None

_TEXTS = {True: r"'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'", False: r"'[^']*+(?:''[^']*+)*+'"}
"""A text, where a backslash begins an escape, and where it is a letter like any other."""
_TOKENS = {
    backslashes: re.compile(
        rf"""
          (?P<space> \s++ | --[^\n]*+ | \#[^\n]*+ | /\*(?:.*?\*/|.*+) )
        | (?P<blob>   [xX]'[0-9A-Fa-f]*+' | 0[xX][0-9A-Fa-f]++ )
        | (?P<text>   {text} )
        | (?P<name>   `[^`]*+` | "[^"]*+(?:""[^"]*+)*+" | \[[^\]\n]{{1,200}}+\] )
        | (?P<number> [-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)? )
        | (?P<word>   [A-Za-z_][\w$]*+ )
        | (?P<mark>   . )
        """,
        re.DOTALL | re.VERBOSE,
    )
    for backslashes, text in _TEXTS.items()
}
_LIST = r"\(\s*+((?:NULL|[-+0-9.eE]++)(?:\s*+,\s*+(?:NULL|[-+0-9.eE]++))*+)\s*+\)"
_NUMBERS = re.compile(_LIST)
_INSERT = re.compile(rf"\s*+INSERT INTO (?:`(\w+)`|\"(\w+)\"|(\w+)) VALUES ?{_LIST};")
_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_DEEPEST = 16


class Unreadable(Exception):
    """A row with something else than constants; the exception's text is the row."""


@dataclass(frozen=True)
class Token:
    """One word: its kind (blob, text, name, number, word, mark or end), how it is written, where it begins."""

    kind: str
    text: str
    start: int

    def says(self, *words: str) -> bool:
        """Whether it is one of some words or marks, in upper or lower case."""
        return self.kind in ("word", "mark") and self.text.upper() in words


class Tokens:
    """A dump, word by word.

    Parameters
    ----------
    backslashes : whether a backslash in a text begins an escape, as in MySQL
    """

    def __init__(self, text: str, backslashes: bool) -> None:
        self.text, self.backslashes = text, backslashes
        self._pattern = _TOKENS[backslashes]
        self._real: Callable[[str], float] = float if backslashes else _sqlite_real()
        self.place = 0
        self._line, self._counted = 1, 0

    def line(self, start: int) -> int:
        """Return the number of the line of a place; places must ascend."""
        self._line += self.text.count("\n", self._counted, start)
        self._counted = max(start, self._counted)
        return self._line

    def next(self) -> Token:
        """Return the next word and step over it; of the kind "end" at the end."""
        while found := self._pattern.match(self.text, self.place):
            self.place = found.end()
            if found.lastgroup != "space":
                return Token(str(found.lastgroup), found.group(), found.start())
        return Token("end", "", len(self.text))

    def peek(self) -> Token:
        """Return the next word without stepping over it."""
        before = self.place
        token = self.next()
        self.place = before
        return token

    def row(self) -> tuple[Literal, ...] | None:
        """Return the values in brackets that begin here; None where the dump breaks off.

        Raises
        ------
        Unreadable
            If a value is no constant; the rest of the row was stepped over.
        """
        quick = _NUMBERS.match(self.text, self.place)
        if quick:
            self.place = quick.end()
            return self._numbers(quick.group(1))
        start = self.place
        try:
            return self._cells()
        except EOFError:
            return None
        except Unreadable:
            self.place = start
            if not self._leave():
                return None
            raise Unreadable(self.text[start : self.place].strip()) from None

    def insert(self) -> tuple[str, tuple[Literal, ...]] | None:
        """Return table and row of a statement that inserts one row of numbers; None if another begins here."""
        quick = _INSERT.match(self.text, self.place)
        if quick is None:
            return None
        row = self._numbers(quick.group(4))
        self.place = quick.end()
        return (quick.group(1) or quick.group(2) or quick.group(3)), row

    def skip_statement(self) -> bool:
        """Step over the rest of a statement; False if the dump ends before its semicolon."""
        while True:
            token = self.next()
            if token.says(";"):
                return True
            if token.kind == "end":
                return False

    def _numbers(self, cells: str) -> tuple[Literal, ...]:
        return tuple(self._number(cell.strip()) for cell in cells.split(","))

    def _number(self, text: str) -> Literal:
        if text == "NULL":
            return None
        try:
            return self._real(text) if any(sign in text for sign in ".eE") else int(text)
        except ValueError:
            raise Unreadable(text) from None

    def _cells(self) -> tuple[Literal, ...]:
        self.next()
        cells = [self._value(_DEEPEST)]
        while not (mark := self.next()).says(")"):
            if mark.kind == "end":
                raise EOFError
            if not mark.says(","):
                raise Unreadable(mark.text)
            cells.append(self._value(_DEEPEST))
        return tuple(cells)

    def _leave(self) -> bool:
        """Step over brackets with all that they hold; False if they are not closed."""
        depth = 0
        while (token := self.next()).kind != "end":
            depth += token.says("(") - token.says(")")
            if not depth:
                return True
        return False

    def _value(self, depth: int) -> Literal:
        token = self.next()
        if token.kind == "end":
            raise EOFError
        if token.kind == "number":
            return self._number(token.text)
        if token.kind == "blob":
            return _blob(token.text[2:].rstrip("'"))
        if token.kind == "text" or (token.kind == "name" and token.text[0] == '"'):
            return self._texts(token)
        if token.kind == "word" and depth:
            return self._word(token, depth - 1)
        raise Unreadable(token.text)

    def _texts(self, token: Token) -> str:
        """Return a text; texts side by side are one."""
        parts = [self._unescaped(token.text)]
        while self.peek().kind == "text":
            parts.append(self._unescaped(self.next().text))
        return "".join(parts)

    def _unescaped(self, text: str) -> str:
        inner = text[1:-1]
        if not self.backslashes or "\\" not in inner:
            return inner.replace(text[0] * 2, text[0])
        return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]) if found[1] else "'", inner)

    def _word(self, token: Token, depth: int) -> Literal:
        constants: dict[str, Literal] = {"NULL": None, "TRUE": 1, "FALSE": 0, "DEFAULT": None}
        word = token.text.upper()
        if word in constants:
            return constants[word]
        if self.peek().kind in ("text", "blob") and (word.startswith("_") or word == "N"):
            return self._value(depth)  # a text with its character set before it
        if self.peek().says("("):
            self.next()
            return self._call(word, depth)
        raise Unreadable(token.text)

    def _call(self, word: str, depth: int) -> Literal:
        """Return what a function gives that sqlite3 writes for line ends and other special letters."""
        given = [self._value(depth)]
        while not (mark := self.next()).says(")"):
            if mark.kind == "end":
                raise EOFError
            if mark.says("AS"):
                self.next()
            elif mark.says(","):
                given.append(self._value(depth))
            else:
                raise Unreadable(word)
        return _called(word, given)


def _called(word: str, given: list[Literal]) -> Literal:
    match word, given:
        case "REPLACE", [str(text), str(old), str(new)] if old:
            return text.replace(old, new)
        case "CHAR", [int(code)] if 0 < code < 0x110000:
            return chr(code)
        case "UNISTR", [str(text)]:
            escape = r"\\(?:\\|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|\+([0-9A-Fa-f]{6}))"
            return re.sub(escape, lambda found: _letter(found[1] or found[2] or found[3]), text)
        case "CAST", [bytes(raw)]:
            return raw.decode("utf-8", "replace")
        case "CAST", [value]:
            return value
    raise Unreadable(word)


def _letter(code: str | None) -> str:
    number = int(code or "5C", 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def _blob(digits: str) -> bytes:
    return bytes.fromhex("0" * (len(digits) % 2) + digits)


def _sqlite_real() -> Callable[[str], float]:
    """Return how SQLite reads a real number.

    It prints the shorter of two texts that it reads as the same number itself, although they may differ
    in the last bit; far from 1 its reading is less exact than its printing.
    """
    database = sqlite3.connect(":memory:")

    def real(text: str) -> float:
        value = float(text)
        if len(text) > 17 and not 1e-15 < abs(value) < 1e15:
            return value
        return float(database.execute("SELECT CAST(? AS REAL)", (text,)).fetchone()[0])

    return real
