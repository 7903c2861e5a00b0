"""What users said of tables, by their headers: the next file with the same header gets the same answers."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.frozen import Frozen
from core.ingest.base import Mapping, SideBySide

MOST = 500
"""So many headers are remembered, the last ones."""


class Remembered(Frozen):
    """A small file beside the database with what was said of each header."""

    path: Path

    @classmethod
    def beside(cls, database: Path) -> "Remembered":
        """Return what is remembered beside a database."""
        return cls(database.with_name(f"{database.name}.roles.json"))

    def of(self, names: Sequence[str]) -> Mapping | None:
        """Return what was said of a table with these columns; None if nothing, or nothing that can be read."""
        found = self._read().get(fingerprint(names))
        try:
            return None if found is None else _mapping(found)
        except (TypeError, ValueError, KeyError, AttributeError):
            return None

    def keep(self, names: Sequence[str], mapping: Mapping) -> None:
        """Remember what was said of a table with these columns; a mapping that says nothing is forgotten."""
        known, key = self._read(), fingerprint(names)
        if key not in known and not says_roles(mapping):
            return
        known.pop(key, None)
        if says_roles(mapping):
            known[key] = {name: value for name, value in asdict(mapping).items() if name != "form"}
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        beside.write_text(json.dumps(dict(list(known.items())[-MOST:])), "utf-8")
        beside.replace(self.path)

    def said(self, names: Sequence[str], given: Mapping | None) -> Mapping | None:
        """Return what a user says now, or where that is nothing about roles, what was said the last time."""
        last = None if given is not None and says_roles(given) else self.of(names)
        if last is None or given is None:
            return last or given
        machine = last.machine_name if last.machine else given.machine_name or last.machine_name
        decimal = given.decimal or last.decimal
        return replace(last, missing=given.missing, decimal=decimal, form=given.form, machine_name=machine)

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def says_roles(mapping: Mapping) -> bool:
    """Whether a mapping says what some column is."""
    return bool(mapping.roles() or mapping.beside)


def fingerprint(names: Sequence[str]) -> str:
    """Return what tables with the same columns in the same order have in common."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:24]


def _mapping(document: dict[str, Any]) -> Mapping:
    beside = tuple(
        SideBySide(str(b["response"]), tuple(b["columns"]), tuple(b["levels"]), str(b.get("setting", "")))
        for b in document.get("beside", ())
    )
    responses = tuple((str(name), unit if unit is None else str(unit)) for name, unit in document.get("responses", ()))
    return Mapping(**{**document, "beside": beside, "responses": responses})
