"""Judge recognition on published files: every column, unit and machine against what their READMEs state.

    RIDGELINE_REAL_DATA=FOLDER python tests/bench/judge_recognition.py [--wrong] [EXPECTATIONS.toml]

Each file below the folder that the expectations name is recognised alone and without a hint.
"""

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from core.errors import RidgelineError
from core.ingest import Dropped, Recognition, SourceFile, drop, parts_of

EXPECTED = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Judged:
    """What was found right in a file, as (right, all), and what is wrong."""

    path: str
    columns: tuple[int, int] = (0, 0)
    responses: tuple[int, int] = (0, 0)
    units: tuple[int, int] = (0, 0)
    machines: tuple[int, int] = (0, 0)
    questions: int = 0
    wrong: tuple[str, ...] = ()


def judged(root: Path, expected: Mapping[str, Any]) -> Iterator[Judged]:
    """Yield the verdict on every file below a folder."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_dir() or path.name.startswith(".") or _matches(name, expected.get("skip", [])):
            continue
        wanted = next((own for own in expected["files"] if fnmatchcase(name, own["path"])), None)
        if _matches(name, expected.get("refused", [])):
            yield _refusal(path, name)
        elif wanted is not None:
            yield _file(path, name, wanted)


def _matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _refusal(path: Path, name: str) -> Judged:
    try:
        drop(parts_of([SourceFile(path.name, path.read_bytes())]))
    except RidgelineError:
        return Judged(name, (1, 1))
    return Judged(name, (0, 1), wrong=("was read, though it holds no measurements",))


def _file(path: Path, name: str, wanted: Mapping[str, Any]) -> Judged:
    try:
        dropped = drop(parts_of([SourceFile(path.name, path.read_bytes())]))
        found = dropped.recognition
        machines = _machines(dropped)
    except RidgelineError as error:
        return Judged(name, (0, 1), (0, 1), (0, 1), (0, 1), wrong=(str(error),))
    there = wanted.get("machines", len(machines))
    right = machines == set(there) if isinstance(there, list) else len(machines) == there
    wrong = [] if right else [f"machines: {sorted(machines)[:4]} of {len(machines)}"]
    return _columns(Judged(name, machines=(int(right), 1), questions=len(found.questions)), found, wanted, wrong)


def _machines(dropped: Dropped) -> set[str]:
    """Return the machines of the trials, or those that a file describes."""
    alone = [i for alike in dropped.imports for i in alike if not len(i.trials)]
    imports = alone or dropped.gathered(missing="keep").imports
    return {m for i in imports for m in i.trials.machine} or {
        key[0] for i in alone if i.machines for key in i.machines.keys
    }


def _columns(start: Judged, found: Recognition, wanted: Mapping[str, Any], wrong: list[str]) -> Judged:
    asked = {q.column for q in found.questions if q.about == "unit"}
    counts = {"columns": [0, 0], "responses": [0, 0], "units": [0, 0]}
    for column in (c for table in found.tables for c in table.columns):
        roles, _, unit = _expected(column.name, wanted).partition(":")
        right = column.role in roles.split("|")
        _count(counts["columns"], right)
        if roles == "response":
            _count(counts["responses"], right)
        if unit:
            right_unit = column.unit is None and column.name in asked if unit == "?" else column.unit == unit
            _count(counts["units"], right_unit)
            wrong += [] if right_unit else [f"{column.name}: unit {column.unit or 'not asked for'}, expected {unit}"]
        wrong += [] if right else [f"{column.name}: {column.role} ({column.why}), expected {roles}"]
    return Judged(start.path, *((n[0], n[1]) for n in counts.values()), start.machines, start.questions, tuple(wrong))


def _expected(name: str, wanted: Mapping[str, Any]) -> str:
    return next((own for pattern, own in wanted["columns"] if fnmatchcase(name, pattern)), "no such column")


def _count(counts: list[int], right: bool) -> None:
    counts[0] += right
    counts[1] += 1


def lines(found: list[Judged], *, wrong: bool = False) -> Iterator[str]:
    """Yield the table, and with `wrong` what is wrong below each file."""
    yield f"{'file':58} {'columns':>12} {'responses':>9} {'units':>7} {'machines':>8} questions"
    for own in found:
        pairs = [f"{a} / {b}" for a, b in (own.columns, own.responses, own.units, own.machines)]
        yield f"{own.path[-58:]:58} {pairs[0]:>12} {pairs[1]:>9} {pairs[2]:>7} {pairs[3]:>8} {own.questions:>9}"
        if wrong:
            yield from (f"    {text}" for text in own.wrong)
    for noun in ("columns", "responses", "units", "machines"):
        right, all_ = (sum(getattr(own, noun)[i] for own in found) for i in (0, 1))
        yield f"{noun}: {right:,} of {all_:,} right ({100 * right / max(all_, 1):.1f} %)"


def main() -> None:
    """Print the verdict; exit 1 if a response or a machine is wrong."""
    named = [text for text in sys.argv[1:] if not text.startswith("-")]
    expected = tomllib.loads((Path(named[0]) if named else EXPECTED).read_text("utf-8"))
    root = Path(expected["root"]) if "root" in expected else Path(os.environ["RIDGELINE_REAL_DATA"])
    found = list(judged(root, expected))
    print("\n".join(lines(found, wrong="--wrong" in sys.argv)))
    sys.exit(any(a < b for own in found for a, b in (own.responses, own.machines)))


if __name__ == "__main__":
    main()
