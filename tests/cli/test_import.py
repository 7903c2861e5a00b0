"""`ridgeline import` of many files: what is alike is said once to people, and one by one in JSON."""

import json
from pathlib import Path

import pytest

from core.cli import main
from tests.pages.captures import perf


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    home = tmp_path / "many"
    home.mkdir()
    for i in range(5):
        (home / f"run{i}.csv").write_bytes(perf(i))
    for name in ("notes.txt", "todo.txt"):
        (home / name).write_text("words, and\nmore words\n")
    return home


def test_alike_is_said_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(folder), "--dataset", "d"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("d: 5 trials")
    assert lines[1].startswith("skipped many/notes.txt and 1 more: not a file of a known profiler")
    assert (
        "note: many/run0.csv and 4 more: <not supported>, and so without a value: 'stalled-cycles-frontend'." in lines
    )
    assert lines[5].startswith("many/run0.csv, many/run1.csv")
    assert sum("response:" in line for line in lines) == 1


def test_json_has_each(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(folder), "--dataset", "d", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [place["where"] for place in found["skipped"]] == ["many/notes.txt", "many/todo.txt"]
    assert len(found["warnings"]) == 15


def test_what_was_not_read_of_files_is_told_before_they_are_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs.csv").write_text("N = 5\nthreads,time_s\n1,2\n2,1\n\nN = 6\nthreads,time_s\n1,3\n2,1.5\n")
    (tmp_path / "mm.c").write_text("int main() { return 0; }\n")
    assert main(["inspect", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "note: " in said
    assert "mm.c" in said.split("skipped ")[1]


def test_questions_are_settled_with_answers_that_are_remembered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = folder / "own.csv"
    table.write_text("app,ranks,runtime\n" + "".join(f"{a},{n},{9 / n}\n" for a in "xyz" for n in (1, 2, 4)))
    assert main(["inspect", str(table), "--answer", "runtime=ms", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(c["name"], c["unit"]) for c in found["tables"][0]["columns"]][-1] == ("runtime", "ms")
    assert found["questions"] == []
    assert main(["import", str(table), "--dataset", "own", "--answer", "runtime=ms"]) == 0
    capsys.readouterr()
    assert main(["inspect", str(table)]) == 0
    assert "response: runtime (ms)" in capsys.readouterr().out
    assert main(["import", str(table), "--dataset", "own", "--answer", "runtime=ms"]) == 0
    capsys.readouterr()
    assert main(["import", str(table), "--dataset", "own", "--answer", "speed=ms"]) == 2
    assert "Nothing is asked about 'speed'" in capsys.readouterr().err


def test_a_list_may_be_given_name_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "own.csv"
    table.write_text(
        "app,ranks,a,b,time_s\n" + "".join(f"{p},{n},{n % 3},{n % 2},{9 / n}\n" for p in "xyz" for n in (1, 2))
    )
    for ignored in (["--ignore", "a,b"], ["--ignore", "a", "--ignore", "b"]):
        assert main(["inspect", str(table), *ignored]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert "  ignored: a, b" in lines
        assert not [line for line in lines if line.startswith("  label")]
        assert main(["inspect", str(table), "--json", *ignored]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [c["name"] for c in found["tables"][0]["columns"] if c["role"] != "label"] == ["app", "ranks", "time_s"]
