"""The words of an SQL dump, and the values that stand in it, in SQLite's and in MySQL's way of writing."""

import re
import sqlite3
from typing import NamedTuple

Literal = int | float | str | bytes | None

SQLITE = re.compile(r"^[ \t]*(PRAGMA\b|BEGIN TRANSACTION\b)", re.IGNORECASE | re.MULTILINE)
_MYSQL = re.compile(
    r"^[ \t]*/\*!\d{5}|^-- (?:MySQL|MariaDB|phpMyAdmin)|`|\bENGINE\s*=|\bAUTO_INCREMENT\b|^LOCK TABLES",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST_INSERT = re.compile(r"^[ \t]*(?:INSERT|REPLACE)\b[^(]{0,200}\(", re.IGNORECASE | re.MULTILINE)
_WORDS = r"""
      (?P<space> \s++ | --[^\n]*+ | \#[^\n]*+ | /\*(?:.*?\*/|.*+) )
    | (?P<blob>   [xX]'[0-9A-Fa-f]*+' | 0[xX][0-9A-Fa-f]++ )
    | (?P<text>   %s )
    | (?P<name>   `[^`]*+` | "[^"]*+(?:""[^"]*+)*+" | \[[^\]\n]{1,200}+\] )
    | (?P<number> [-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)? )
    | (?P<word>   [A-Za-z_][\w$]*+ )
    | (?P<mark>   . )
"""
_TEXTS = {True: r"'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'", False: r"'[^']*+(?:''[^']*+)*+'"}
"""A text, where a backslash begins an escape, and where it is a letter like any other."""
_LEXERS = {backslashes: re.compile(_WORDS % text, re.DOTALL | re.VERBOSE) for backslashes, text in _TEXTS.items()}
_NUMBERS = re.compile(r"\s*+\(\s*+((?:NULL|[-+0-9.eE]++)(?:\s*+,\s*+(?:NULL|[-+0-9.eE]++))*+)\s*+\)")
_CONSTANTS: dict[str, Literal] = {"NULL": None, "TRUE": 1, "FALSE": 0, "DEFAULT": None}
_FUNCTIONS = ("REPLACE", "CHAR", "UNISTR", "CAST")
"""What sqlite3 writes for line ends and other special letters."""
_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_CODED = re.compile(r"\\(?:\\|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|\+([0-9A-Fa-f]{6}))")


class Token(NamedTuple):
    """One word: its kind (blob, text, name, number, word, mark or end), how it is written, where it begins."""

    kind: str
    text: str
    start: int

    @property
    def said(self) -> str:
        """A word or mark in upper case; "" of any other."""
        return self.text.upper() if self.kind in ("word", "mark") else ""

    def says(self, *words: str) -> bool:
        """Whether it is one of some words or marks, in upper or lower case."""
        return self.said in words

    @property
    def plain(self) -> str:
        """A name in lower case without its quotes."""
        quoted = self.kind in ("name", "text")
        return (self.text[1:-1].replace(self.text[0] * 2, self.text[0]) if quoted else self.text).lower()


class Words:
    """A dump, word by word; what the functions in a row give says SQLite, of constants alone."""

    def __init__(self, text: str) -> None:
        self.text, self.backslashes = text, _has_backslashes(text)
        self._lexer = _LEXERS[self.backslashes]
        self._sqlite = sqlite3.connect(":memory:")
        self._sqlite.text_factory = lambda raw: raw.decode("utf-8", "replace")
        self._sqlite.create_function("unistr", 1, lambda coded: _CODED.sub(_letter, coded))
        self.place = 0
        self._line, self._counted = 1, 0

    def line(self, start: int) -> int:
        """Return the number of the line of a place; places must ascend."""
        self._line += self.text.count("\n", self._counted, start)
        self._counted = max(start, self._counted)
        return self._line

    def next(self) -> Token:
        """Return the next word and step over it; of the kind "end" at the end."""
        while found := self._lexer.match(self.text, self.place):
            self.place = found.end()
            if found.lastgroup != "space":
                return Token(str(found.lastgroup), found.group(), found.start())
        return Token("end", "", len(self.text))

    def peek(self) -> Token:
        """Return the next word without stepping over it."""
        before, token = self.place, self.next()
        self.place = before
        return token

    def leave(self, end: str) -> bool:
        """Step over all before a mark outside of brackets, and the mark; False if the dump ends first."""
        depth = 0
        while (token := self.next()).kind != "end":
            if token.says(end) and (depth <= 0 or end == ";"):
                return True
            depth += token.says("(") - token.says(")")
        return False

    def row(self) -> tuple[Literal, ...] | None:
        """Return the values in brackets that begin here; None where the dump breaks off.

        Raises
        ------
        ValueError
            If a value is no constant, with the row, which was stepped over.
        """
        start = self.place
        if quick := _NUMBERS.match(self.text, start):
            self.place = quick.end()
        try:
            return tuple(map(self._number, quick[1].split(","))) if quick else self._cells()
        except (sqlite3.Error, ValueError, OverflowError):
            if not quick:
                self.place = start
                self.next()
                if not self.leave(")"):
                    return None
            raise ValueError(self.text[start : self.place].strip()) from None

    def _cells(self) -> tuple[Literal, ...] | None:
        """Return the values of a row of any constants, and of what SQLite's own functions make of them."""
        said, values = [self.next().text], list[Literal]()
        depth = 1
        while depth:
            token = self.next()
            word = token.text.upper()
            if token.kind == "end":
                return None
            depth += token.says("(") - token.says(")")
            if word in ("(", ")", ",") or word in _FUNCTIONS or "AS" in (word, said[-1]):
                said.append(word)
            elif token.kind == "text" and said[-1] == "?" and isinstance(values[-1], str):
                values[-1] += self._text(token)  # texts side by side are one
            elif token.kind != "word" or word in _CONSTANTS:
                values.append(self._constant(token))
                said.append("?")
            elif not (word.startswith("_") or word == "N") or self.peek().kind not in ("text", "blob"):
                raise ValueError(word)  # no character set before a text
        plain = said == ["(", *",".join("?" * len(values)), ")"]
        return tuple(values) if plain else self._sqlite.execute(f"VALUES {' '.join(said)}", values).fetchone()

    def _constant(self, token: Token) -> Literal:
        if token.kind == "blob":
            digits = token.text[2:].rstrip("'")
            return bytes.fromhex("0" * (len(digits) % 2) + digits)
        if token.kind == "text" or token.text.startswith('"'):
            return self._text(token)
        return _CONSTANTS[token.text.upper()] if token.kind == "word" else self._number(token.text)

    def _text(self, token: Token) -> str:
        inner = token.text[1:-1]
        if not self.backslashes or "\\" not in inner:
            return inner.replace(token.text[0] * 2, token.text[0])
        return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]) if found[1] else "'", inner)

    def _number(self, text: str) -> Literal:
        """Return a number, or NULL; a real as SQLite reads it, where SQLite wrote it.

        It prints the shorter of two texts that it reads as the same number itself, although they may differ
        in the last bit; far from 1 its reading is less exact than its printing.
        """
        text = text.strip()
        if text == "NULL":
            return None
        if not any(sign in text for sign in ".eE"):
            return int(text)
        value = float(text)
        if self.backslashes or (len(text) > 17 and not 1e-15 < abs(value) < 1e15):
            return value
        return float(self._sqlite.execute("SELECT CAST(? AS REAL)", (text,)).fetchone()[0])


def _letter(found: re.Match[str]) -> str:
    number = int(found[1] or found[2] or found[3] or "5C", 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def _has_backslashes(text: str) -> bool:
    """Whether texts are written in MySQL's way, as the statements before the first row show."""
    first = _FIRST_INSERT.search(text)
    head = text[: first.end() if first else len(text)]
    return not SQLITE.search(head) and bool(_MYSQL.search(head))
