"""The records of a Caliper profile: a tree of nodes, snapshots that refer to it, and what holds for the whole run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest._lookup import once

_TYPES = ("usr", "int", "uint", "string", "addr", "double", "bool", "type")
_NAME, _PROPERTIES = 8, 10
NESTED, HIDDEN, OF_RUN, COUNTED = 256, 128, 512, 2048
"""Properties: regions that enclose each other, Caliper's own, values of the whole run, and such as add up."""
_ID = re.compile(r"\d{1,18}")
_DEEPEST = 100_000


class Attribute(Frozen):
    """A named kind of value: where it came from says its type, its unit, and whether it makes up region paths."""

    name: str
    type: str
    properties: int
    about: Mapping[str, str] = field(default_factory=dict)

    def has(self, flag: int) -> bool:
        """Whether Caliper says one of these properties of the values."""
        return bool(self.properties & flag)


class Snapshot(Frozen):
    """One record of measurements: the regions it is of, other texts that hold there, and the values."""

    line: int
    path: tuple[str, ...]
    context: tuple[tuple[Attribute, str], ...]
    values: tuple[tuple[Attribute, str], ...]


class _Node(Frozen):
    attribute: int
    data: str
    parent: int


class Profile:
    """Takes the lines of a profile; `snapshots` are its measurements, `of_run` what holds for all of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: dict[int, _Node] = {}
        self._attributes: dict[int, Attribute] = {}
        self.of_run: dict[str, tuple[Attribute, str]] = {}

    def snapshots(self, lines: Iterable[tuple[int, str]]) -> Iterator[Snapshot]:
        """Yield the snapshots in the order they stand.

        Raises
        ------
        ReadError
            If a record is damaged, or two profiles are in one file.
        """
        for number, line in lines:
            record = _record(line) if line.startswith("__rec=") else {"__rec": []}
            kind = record["__rec"][0] if record["__rec"] else ""
            if kind == "node":
                self._take_node(number, record)
            elif kind == "ctx":
                yield self._snapshot(number, record)
            elif kind == "globals":
                found = self._snapshot(number, record)
                self.of_run |= {a.name: (a, text) for a, text in (*found.context, *found.values)}

    def _take_node(self, line: int, record: Mapping[str, list[str]]) -> None:
        own, attribute = self._ids(line, record, "id"), self._ids(line, record, "attr")
        parent = self._ids(line, record, "parent") or [-1]
        data = record.get("data", [])
        if len(own) != 1 or len(attribute) != 1 or len(parent) != 1:
            raise self._damaged(line, "a node needs one id and one attribute")
        node = _Node(attribute[0], data[0] if data else "", parent[0])
        if self._nodes.setdefault(own[0], node) != node:
            raise self._damaged(line, f"node {own[0]} is there twice; it may be two profiles in one")
        if parent[0] >= own[0] and parent[0] not in self._nodes:
            raise self._damaged(line, f"node {parent[0]} is not known yet")

    def _snapshot(self, line: int, record: Mapping[str, list[str]]) -> Snapshot:
        path: list[str] = []
        context: dict[str, tuple[Attribute, str]] = {}
        for reference in self._ids(line, record, "ref"):
            for node in self._upwards(line, reference)[::-1]:
                attribute = self._attribute(line, node.attribute)
                if attribute.has(NESTED):
                    path.append(node.data)
                elif not attribute.has(HIDDEN):
                    context[attribute.name] = (attribute, node.data)
        kinds, data = self._ids(line, record, "attr"), record.get("data", [])
        if len(kinds) != len(data):
            raise self._damaged(line, f"{len(data)} values for {len(kinds)} attributes")
        own = zip((self._attribute(line, kind) for kind in kinds), data, strict=True)
        values = {attribute.name: (attribute, text) for attribute, text in own}
        return Snapshot(line, tuple(path), tuple(context.values()), tuple(values.values()))

    def _upwards(self, line: int, start: int) -> list[_Node]:
        """Return a node and those above it."""
        found: list[_Node] = []
        while start >= len(_TYPES) or start in self._nodes:
            if (node := self._nodes.get(start)) is None:
                raise self._damaged(line, f"node {start} is not known")
            found.append(node)
            start = node.parent
            if len(found) > _DEEPEST:
                raise self._damaged(line, "its nodes go round in a circle")
        return found

    def _attribute(self, line: int, start: int) -> Attribute:
        return once(self._attributes, start, lambda: self._made(line, start))

    def _made(self, line: int, start: int) -> Attribute:
        if not (nodes := self._upwards(line, start)) or nodes[0].attribute != _NAME:
            raise self._damaged(line, f"node {start} is no attribute")
        flags = next((n.data for n in nodes if n.attribute == _PROPERTIES), "0")
        root = nodes[-1].parent
        about = {self._nodes[n.attribute].data: n.data for n in reversed(nodes[1:]) if n.attribute in self._nodes}
        kind = _TYPES[root] if 0 <= root < len(_TYPES) else ""
        return Attribute(nodes[0].data, kind, int(flags) if _ID.fullmatch(flags) else 0, about)

    def _ids(self, line: int, record: Mapping[str, list[str]], key: str) -> list[int]:
        texts = record.get(key, [])
        if not all(_ID.fullmatch(text) for text in texts):
            raise self._damaged(line, f"'{key}' is no number of a node")
        return [int(text) for text in texts]

    def _damaged(self, line: int, what: str) -> ReadError:
        return ReadError(f"{self._name} line {line}: {what}. The Caliper profile is damaged; write it again.")


def _record(line: str) -> dict[str, list[str]]:
    """Return the values of a record by key; a backslash takes the meaning of the character after it."""
    entries = ([*map(_unescaped, _split(entry, "="))] for entry in _split(line, ","))
    return {key: values for key, *values in entries}


def _split(text: str, at: str) -> list[str]:
    if "\\" not in text:
        return text.split(at)
    return re.findall(rf"(?:^|{at})((?:\\.?|[^{at}\\])*)", text, re.DOTALL)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found.group(1) == "n" else found.group(1), text, flags=re.DOTALL)
