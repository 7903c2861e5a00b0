"""A table read in blocks is the table read whole: the same trials, the same refusals, wherever the blocks are cut."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.cli import _deliver, import_, main
from core.cli._deliver import is_large
from core.errors import OptionError, ReadError
from core.ingest import Mapping, SourceFile, apply, opening, read_table
from core.ingest.recognition import dependence
from core.ingest.table import dialect, named, rows, spill
from core.ingest.table import split as lines_module
from core.ingest.table import texts as texts_module
from core.ingest.table.cells import Cells, Strings, pack
from core.ingest.table.numbers import Style
from core.ingest.table.spill import Room
from core.ingest.table.text import Text, as_text
from core.mapped import is_mapped
from core.store import Store
from core.texts import CodedTexts, coded, combined, constant, first_of_each
from core.trial import Facts, Import
from tests.ingest.test_hostile import ACCEPTED


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (named, texts_module, dependence):
        monkeypatch.setattr(module, "STEP", 7)
    monkeypatch.setattr(rows, "_CHUNK", 5)


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "BUDGET", 100)


def plain(imported: Import) -> dict[str, Any]:
    """Everything of an import as values that can be compared."""

    def of(facts: Facts | None) -> Any:
        if facts is None:
            return None
        return (
            tuple(facts.keys),
            facts.metrics,
            repr(facts.values.tolist()),
            {k: tuple(v) for k, v in facts.labels.items()},
        )

    t = imported.trials
    return {
        "roles": (tuple(t.application), tuple(t.input), tuple(t.machine)),
        "metrics": t.metrics,
        "values": repr(t.values.tolist()),
        "labels": {name: tuple(texts) for name, texts in t.labels.items()},
        "where": tuple(t.where),
        "parameters": t.parameters,
        "facts": (of(imported.machines), of(imported.inputs)),
        "skipped": imported.skipped,
        "warnings": imported.warnings,
        "of": (imported.source, imported.sha256, imported.format),
    }


def whole(raw: bytes, mapping: Mapping | None) -> Any:
    try:
        return plain(apply(read_table(SourceFile("run7.csv", raw)), mapping))
    except (ReadError, OptionError) as error:
        return str(error)


def in_blocks(folder: Path, raw: bytes, mapping: Mapping | None, block: int) -> Any:
    path = folder / "run7.csv"
    path.write_bytes(raw)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(spill, "BUDGET", 100)
            return plain(apply(read_table(path, folder=folder, block=block), mapping))
    except (ReadError, OptionError) as error:
        return str(error)


ROWS = "app,machine,note,m0,time (us)\n" + "".join(f"a{i % 3},k{i % 2},n{i},{i}.5,{i * i}\n" for i in range(40))
AWKWARD: dict[str, bytes] = {
    **{name: raw if isinstance(raw, bytes) else raw.encode() for name, (raw, _) in ACCEPTED.items() if len(raw) < 1000},
    "rows": ROWS.encode(),
    "windows line ends": ROWS.replace("\n", "\r\n").encode(),
    "carriage returns": ROWS.replace("\n", "\r").encode(),
    "no last line end": ROWS.rstrip().encode(),
    "mark": b"\xef\xbb\xbf" + ROWS.encode(),
    "utf-16": ROWS.encode("utf-16"),
    "gzip": gzip.compress(ROWS.encode(), mtime=0),
    "gzip of two members": gzip.compress(ROWS[:99].encode(), mtime=0)
    + gzip.compress(ROWS[99:].encode(), mtime=0)
    + b"\0\0",
    "gzip cut off": gzip.compress(ROWS.encode(), mtime=0)[:-9],
    "line ends in quotes": "".join(
        line.replace(",n", ',"two\nlines, ').replace(".5", '",2', 1) if i else line
        for i, line in enumerate(ROWS.splitlines(True))
    ).encode(),
    "a quote in one row only": ROWS.replace("n31", '"say ""31"", twice"').encode(),
    "a quote that never closes": ROWS.replace("n31", '"n31').encode(),
    "text behind a quote": ROWS.replace("n31", '"n3"1').encode(),
    "blanks in front, a quote later": ROWS.replace(",n", ", n").replace("n31", '"n31"').encode(),
    "all quoted": "\n".join(",".join(f'"{c}"' for c in line.split(",")) for line in ROWS.splitlines()).encode(),
    "word among numbers": ROWS.replace("31.5", "fast").encode(),
    "not counted": ROWS.replace("31.5", "<not counted>").replace("33.5", "").encode(),
    "leading zeros late": ROWS.replace("31.5", "0031").encode(),
    "too large late": ROWS.replace("31.5", "1e999").encode(),
    "too small late": ROWS.replace("31.5", "1e-999").encode(),
    "inexact late": ROWS.replace("31.5", "9007199254740993").encode(),
    "groups late": ROWS.replace("31.5", '"1,234,567.5"').encode(),
    "row too wide": ROWS.replace("n31", "n,31").encode(),
    "row too narrow": ROWS.replace("n31,", "").encode(),
    "blank line": ROWS.replace("a1,k1,n31", "\na1,k1,n31").encode(),
    "blank lines at the end": (ROWS + "\n\n  \n\n").encode(),
    "empty rows": ROWS.replace("a1,k1,n31,31.5,961", ",,,,").encode(),
    "comments": ("# made by hand\n\n==PROF== x\n" + ROWS).encode(),
    "units below": ROWS.replace("(us)\n", "(us)\n,,,%,ns\n").encode(),
    "sep line": ("sep=;\n" + ROWS.replace(",", ";")).encode(),
    "decimal comma": ROWS.replace(",", ";").replace(".5", ",5").encode(),
    "decimal comma shown late": ROWS.replace(",", ";")
    .replace(".5", "")
    .replace("a0;k1;n39;39", "a0;k1;n39;39,25")
    .encode(),
    "comma of two meanings": ROWS.replace(",", ";").replace("31.5", "1,234").replace(".5", "").encode(),
    "windows-1252": ROWS.replace("n31", "zäh").encode("cp1252"),
    "damaged utf-8": ROWS.replace("n31", "zäh").encode() + "ü,k1,x,1,2\n".encode("cp1252"),
    "neither": ROWS.encode() + b"\x81,k1,x,1,2\n",
    "control late": ROWS.replace("n31", "n\x07").encode(),
    "control behind a wide row": ROWS.replace("n5", "n,5").replace("n31", "n\x07").encode(),
    "invisible late": ROWS.replace("n31", "n\u200b1").encode(),
    "names that composing makes alike": ROWS.replace("a1", "\u00e9").replace("a2", "e\u0301").encode(),
    "row numbers": "\n".join(f"{i - 1 if i else ''},{line}" for i, line in enumerate(ROWS.splitlines())).encode(),
    "numbers of machines": "".join(
        line.replace("\n", f",{7 if 'k0' in line else 8}\n" if i else ",clock_mhz\n")
        for i, line in enumerate(ROWS.splitlines(True))
    ).encode(),
    "no rows": b"app,time\n",
    "names twice": ROWS.replace("m0", "note").encode(),
    "nothing": b"\n\n \n",
    "only comments": b"# x\n# y\n",
    "web page": b"<html>\n" + ROWS.encode(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tables(tmp_path: Path, name: str) -> None:
    expected = whole(AWKWARD[name], None)
    assert in_blocks(tmp_path, AWKWARD[name], None, 61) == expected
    assert in_blocks(tmp_path, AWKWARD[name], None, 1 << 20) == expected
    if "--missing drop" in expected:
        for mapping in (Mapping(missing="drop"), Mapping(missing="keep")):
            assert in_blocks(tmp_path, AWKWARD[name], mapping, 61) == whole(AWKWARD[name], mapping)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mapping",
    [
        Mapping(labels=("m0",)),
        Mapping(application=("app", "m0")),
        Mapping(parameters=("m0", "note")),
        Mapping(machine="m0"),
        Mapping(decimal="comma"),
        Mapping(decimal="point"),
        Mapping(responses=(("note", None),)),
        Mapping(ignore=("machine",)),
        Mapping(complete=True),
    ],
)
@pytest.mark.parametrize("name", ["rows", "not counted", "gzip"])
def test_roles(tmp_path: Path, name: str, mapping: Mapping) -> None:
    assert in_blocks(tmp_path, AWKWARD[name], mapping, 100) == whole(AWKWARD[name], mapping)


def cell(draw: random.Random, odd: float) -> str:
    if draw.random() < odd:
        return draw.choice(
            [
                "n/a",
                "",
                "007",
                "1e999",
                "inf",
                "1,234",
                "12,5",
                "x",
                "  4 ",
                "\t5",
                "é",
                'say "hi"',
                "two\nlines",
                "a;b",
                "-",
                "1.2.3",
            ]
        )
    return draw.choice(
        [f"{draw.lognormvariate(1, 3):.6g}", str(draw.randrange(10**6)), "0", "1.0", "1", "-5", "+3", "1e5"]
    )


def made_table(draw: random.Random) -> bytes:
    names = draw.sample(
        ["app", "machine", "run", "time (us)", "clock_mhz", "m0", "n", "note", "kernel_id"], draw.randrange(1, 6)
    )
    separator, end, odd = draw.choice(",,;\t|"), draw.choice(["\n", "\r\n", "\r"]), draw.choice([0, 0, 0.01, 0.2])
    levels = {name: [f"{name}{i}" for i in range(3)] for name in ("app", "machine")} | {"run": ["1", "2"]}
    rows = [
        [draw.choice(levels[n]) if n in levels else cell(draw, odd) for n in names]
        for _ in range(draw.choice([1, 4, 40]))
    ]
    every = draw.random() < 0.2

    def quoted(text: str) -> str:
        return (
            '"' + text.replace('"', '""') + '"'
            if every or any(mark in text for mark in (separator, '"', "\n"))
            else text
        )

    lines = [(separator + draw.choice(["", "", " "])).join(map(quoted, row)) for row in [names, *rows]]
    if draw.random() < 0.1:
        lines.insert(draw.randrange(1, len(lines) + 1), draw.choice(["", " ", f"1{separator}" * 9]))
    return (end.join(lines) + draw.choice(["", end, end * 3])).encode(
        draw.choice(["utf-8", "utf-8", "utf-8", "utf-16"])
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_made_tables(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(15):
        raw, block = made_table(draw), draw.choice([10, 50, 300])
        mapping = Mapping(missing=draw.choice(["refuse", "drop", "keep"]))
        assert in_blocks(tmp_path, raw, mapping, block) == whole(raw, mapping), (raw, mapping, block)


# --- text ---

BITS = [
    b"\n",
    b"\r\n",
    b"\r",
    b"a,b",
    b"1.5,2",
    b"\n\n",
    " ä€".encode(),
    b"\xe4",
    b"\x81",
    b"x" * 20,
    b"\x07",
    b"longer text,",
]
WEIGHTS = [8, 5, 3, 8, 8, 2, 3, 0.2, 0.1, 1, 0.1, 1]


@pytest.mark.parametrize("seed", range(4))
def test_text_in_blocks_is_the_text(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (opening, dialect, lines_module):
        monkeypatch.setattr(module, "MAX_LINE", 50)
    draw, path = random.Random(seed), tmp_path / "run7.csv"
    for _ in range(40):
        raw = b"a" + b"".join(draw.choices(BITS, WEIGHTS, k=draw.choice([5, 60, 150])))
        raw = gzip.compress(raw, mtime=0) if draw.random() < 0.2 else raw
        path.write_bytes(raw)
        try:
            text = opening.open_text(SourceFile("run7.csv", raw))
            dialect.refuse_long_lines(text.name, text.raw)
            expected: Any = (text.raw.rstrip(b"\r\n"), text.sha256, text.encoding, text.warnings)
        except ReadError as error:
            expected = str(error)
        for block in (1, 9, 70):
            found = read_blocks(path, block)
            assert (isinstance(found, str) and isinstance(expected, str)) or found == expected, raw


def read_blocks(path: Path, block: int) -> Any:
    def read(text: Text) -> Any:
        blocks = list(text.blocks())
        for before, after in pairwise(blocks):
            assert before.raw[-1:] in (b"\r", b"\n")
            assert not (before.raw.endswith(b"\r") and after.raw.startswith(b"\n"))
            assert after.line == before.line + lines_module.n_breaks(before.raw)
        return b"".join(b.raw for b in blocks).rstrip(b"\r\n"), text.sha256, text.encoding, text.warnings

    try:
        return as_text(Text(path, block=block), read)
    except ReadError as error:
        return str(error)


# --- what is kept where ---


@pytest.mark.usefixtures("no_memory")
def test_values_are_on_disk_and_nothing_is_left_there(tmp_path: Path) -> None:
    path = tmp_path / "run7.csv"
    path.write_text(ROWS)
    imported = apply(read_table(path, folder=tmp_path, block=100))
    assert is_mapped(imported.trials.values)
    assert imported.trials.values.shape == (40, 2)
    assert isinstance(imported.trials.application, CodedTexts)
    assert imported.trials.labels["note"][-1] == "n39"
    assert imported.trials.labels["note"][3:30:13] == ("n3", "n16", "n29")
    assert [p.name for p in tmp_path.iterdir()] == ["run7.csv"]


@pytest.mark.usefixtures("no_memory")
def test_a_table_does_not_change_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run7.csv"
    path.write_text(ROWS)
    table = read_table(path, folder=tmp_path, block=100)
    path.write_text(ROWS + "a,k,n,1,2\n")
    assert table.columns[3].texts() == [f"{i}.5" for i in range(40)]


@pytest.mark.parametrize("at_places", [True, False], ids=["pread", "no pread"])
def test_cells_on_disk_are_cells(at_places: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not at_places:  # as on Windows
        monkeypatch.delattr(os, "pread")
        monkeypatch.delattr(os, "pwrite")
    texts = [f"{i % 5}" if i < 40 else f"text {i}" for i in range(90)]
    room = Room(tmp_path, budget=200)
    pieces = tuple(pack(room, Strings.of(texts[i : i + 20]).array)[0] for i in range(0, 90, 20))
    cells, small = Cells(pieces, room), Cells.of(texts)
    assert any(isinstance(piece.held, spill.Place) for piece in pieces)
    assert len(cells) == 90
    assert cells.texts() == texts
    assert [cells[i] for i in (0, 19, 20, 89)] == [texts[i] for i in (0, 19, 20, 89)]
    for some in (np.array([3, 44, 89]), np.arange(5, 80), np.zeros(0, dtype=np.int64)):
        assert cells.take(some).texts() == small.take(some).texts()
        assert list(dict.fromkeys(cells.different(some))) == list(small.different(some))
    for start, stop in ((1, None), (0, 3), (17, 61), (20, 40), (88, 200)):
        assert cells.slice(start, stop).texts() == small.slice(start, stop).texts()
    assert cells.matches("^[0-4]$").tolist() == small.matches("^[0-4]$").tolist()
    assert cells.equal("text 50").tolist() == small.equal("text 50").tolist()
    codes, different = cells.encoded()
    assert (codes.tolist(), different) == (small.encoded()[0].tolist(), small.encoded()[1])


def test_names_that_are_too_many_are_refused_and_labels_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts_module, "MAX_NAMES", 20)
    path = tmp_path / "run7.csv"
    path.write_text(ROWS)
    with pytest.raises(
        ReadError, match=r"run7.csv: application 'note' has over 20 different texts. Make the column a label"
    ):
        apply(read_table(path), Mapping(application=("note",)))
    assert len(set(apply(read_table(path)).trials.labels["note"])) == 40


def test_columns_of_a_large_matrix_are_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "run7.csv"
    path.write_text(ROWS)
    table = read_table(path, folder=tmp_path)
    numbers = [table.numbers(place, Style()) for place in (3, 4)]
    together = table.matrix(numbers, np.arange(len(table)))
    assert np.shares_memory(together, numbers[0].values)
    assert together[-1].tolist() == [39.5, 1521]
    apart = table.matrix([numbers[1], numbers[0]], np.arange(1, 40))
    assert apart[0].tolist() == [1, 1.5]


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spill.os, "posix_fallocate", full)
    room = Room(tmp_path, budget=10)
    for fill in (lambda: room.empty((100,)), lambda: room.keep(Strings.of(["x" * 100]).array)):
        with pytest.raises(ReadError, match=r"cannot be kept in a temporary file in .*No space left"):
            fill()


def test_coded_texts() -> None:
    texts = coded(["b", "a", "b", "c"])
    assert (texts.codes.tolist(), texts.texts) == ([0, 1, 0, 2], ("b", "a", "c"))
    assert texts == ("b", "a", "b", "c")
    assert ("b", "a", "b", "c") == texts
    assert texts != ["b", "a", "b"]
    assert (texts[-1], texts[1:3], list(texts), "c" in texts, "d" in texts) == (
        "c",
        ("a", "b"),
        ["b", "a", "b", "c"],
        True,
        False,
    )
    assert tuple(constant("x", 3)) == ("x", "x", "x")
    assert constant("x", 0).texts == ()
    assert coded(texts) is texts


@pytest.mark.parametrize("n_codes", [3, 5000])
def test_combined_codes_are_those_of_the_sorted_pairs(n_codes: int) -> None:
    draw = np.random.default_rng(n_codes)
    first, second = draw.integers(n_codes, size=300), draw.integers(n_codes, size=300)
    expected = np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)[1].ravel()
    found = combined(first, second)
    assert found.tolist() == expected.tolist()
    assert first_of_each(found).tolist() == np.unique(found, return_index=True)[1].tolist()


# --- the command line ---


def test_a_large_file_is_known_by_what_it_unpacks_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_deliver, "LARGE", 1000)
    path = tmp_path / "run7.csv"
    for raw, expected in (
        (b"1,2\n" * 250, False),
        (b"1,2\n" * 251, True),
        (gzip.compress(b"1,2\n" * 250, mtime=0), False),
        (gzip.compress(b"1,2\n" * 251, mtime=0), True),
        (gzip.compress(b"1,2\n" * 251, mtime=0)[:-12], False),
        (b"\x1f\x8bno gzip", False),
        (gzip.compress(b"1,2\n" * 200, mtime=0) * 2, True),
    ):
        path.write_bytes(raw)
        assert is_large(path) is expected
    with pytest.raises(ReadError, match=r"none.csv cannot be read: No such file"):
        is_large(tmp_path / "none.csv")


def test_importing_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(_deliver, "LARGE", 100)
    path, few, machines, db = (
        tmp_path / "run7.csv",
        tmp_path / "few.csv",
        tmp_path / "machines.csv",
        str(tmp_path / "x.duckdb"),
    )
    path.write_text(ROWS)
    few.write_text("\n".join(ROWS.splitlines()[:2]) + "\n")
    machines.write_text("machine,cores\nk0,4\nk1,8\n")
    assert main(["--db", db, "import", str(path), str(few), "--dataset", "d", "--machines", str(machines)]) == 0
    assert capsys.readouterr().out.startswith("d: 41 trials, 3 metrics (csv)\n")
    assert main(["--db", db, "import", str(path), "--dataset", "d"]) == 0
    assert "was already imported" in capsys.readouterr().out
    assert (
        main(
            [
                "--db",
                db,
                "fit",
                "stepwise",
                "--dataset",
                "d",
                "--response",
                "time",
                "--metrics",
                "m0",
                "--where",
                "machine=k1",
                "--folds",
                "kfold:3",
            ]
        )
        == 0
    )
    path.write_text(ROWS.replace("31.5", "fast"))
    assert main(["--db", db, "import", str(path), "--dataset", "d"]) == 2
    assert "run7.csv line 33: metric 'm0' is 'fast', expected a number" in capsys.readouterr().err


@pytest.mark.slow
def test_large_tables_are_joined_and_several_very_large_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_deliver, "LARGE", 100)
    trials, more, facts = (tmp_path / name for name in ("trials.csv", "more.csv", "machines.csv"))
    for path, machines in ((trials, "bca"), (more, "de")):
        rows = (f"{machines[i % len(machines)]},{i},{i + 1}.5\n" for i in range(30))
        path.write_text("machine,n,time_s\n" + "".join(rows))
    facts.write_text("machine,cores\na,4\nb,8\nd,2\n")

    def imported(*files: Path) -> dict[str, Any]:
        db = str(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        assert main(["--db", db, "import", *map(str, files), "--dataset", "big", "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    whole = imported(trials, facts)
    assert whole["n_trials"] == 30
    assert [c["role"] for t in whole["tables"] for c in t["columns"] if c["name"] == "cores"] == ["machine_metric"]
    assert [imported(trials, more, facts)["n_trials"], imported(trials, trials)["n_trials"]] == [60, 30]
    monkeypatch.setattr(import_, "_MOST_TOGETHER", 50)
    assert any("nothing was joined" in told for told in imported(trials, more, facts)["warnings"])


def test_a_large_table_is_taken_for_what_a_small_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, said = tmp_path / "run7.csv", []
    path.write_text(ROWS)
    for most in (1 << 30, 100):
        monkeypatch.setattr(_deliver, "LARGE", most)
        assert main(["--db", str(tmp_path / f"{most}.duckdb"), "import", str(path), "--dataset", "d", "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    assert [own["why"] for own in said[1]["tables"][0]["columns"]].count("named like an application") == 1


def test_a_database_in_use_is_told_before_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:

    monkeypatch.setattr(_deliver, "LARGE", 100)
    monkeypatch.setattr("core.cli._deliver.read_table", lambda *_, **__: pytest.fail("it was read"))
    path = tmp_path / "run7.csv"
    path.write_text(ROWS)
    with Store.open(tmp_path / "x.duckdb"):
        assert main(["--db", str(tmp_path / "x.duckdb"), "import", str(path), "--dataset", "d"]) == 2
    assert "A table of this size cannot go through its inbox" in capsys.readouterr().err


KILLED = """
import os, signal
from core.cli import _deliver, import_, main

def watched(fraction, message):
    if fraction >= {at}:
        os.kill(os.getpid(), signal.SIGKILL)

_deliver.LARGE, import_.progress = 100, lambda _: watched
main(["--db", {db!r}, "import", {path!r}, "--dataset", "d"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("at", [0.2, 0.7, 0.95])
def test_kill_stores_nothing_and_leaves_no_file(tmp_path: Path, at: float) -> None:
    path, folder = tmp_path / "run7.csv", tmp_path / "own"
    folder.mkdir()
    path.write_text(ROWS)
    done = subprocess.run(
        [sys.executable, "-c", KILLED.format(at=at, db=str(folder / "x.duckdb"), path=str(path))], check=False
    )
    assert done.returncode == -signal.SIGKILL
    with Store.open(folder / "x.duckdb") as store:
        assert store.datasets.all() == ()
    assert all(left.name.startswith("x.duckdb") for left in folder.iterdir())
