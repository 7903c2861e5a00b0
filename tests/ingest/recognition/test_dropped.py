"""What is asked and remembered of profilers' files, and further files about machines."""

from pathlib import Path

from core.ingest import Mapping, Remembered, SourceFile, drop, parts_of, with_facts

EXTRAP = b"PARAMETER x\nPOINTS ( 20 ) ( 30 ) ( 40 )\nREGION reg\nMETRIC metr\nDATA 1 2\nDATA 3 4\nDATA 5 6\n"
RUNS = b"app,gpu,time_s\n" + b"".join(
    f"{a},{g},{t}\n".encode() for t, (a, g) in enumerate((a, g) for a in "xyz" for g in ("K40", "T4"))
)


def test_the_unit_of_a_profilers_response_is_asked_for_and_remembered(tmp_path: Path) -> None:
    known = Remembered.beside(tmp_path / "own.duckdb")
    first = drop(parts_of([SourceFile("a.txt", EXTRAP)]), remembered=known)
    assert [(q.column, q.about) for q in first.recognition.questions] == [("metr", "unit")]
    wanted = first.recognition.answered({"metr": "ms"})
    (imported,) = first.gathered(wanted).imports
    assert [m.unit for m in imported.trials.metrics if m.name == "metr"] == ["ms"]
    first.remember(wanted, known)
    again = drop(parts_of([SourceFile("b.txt", EXTRAP.replace(b"1 2", b"7 8"))]), remembered=known)
    assert again.recognition.questions == ()
    assert again.recognition.tables[0].column("metr").unit == "ms"
    assert [m.unit for m in again.gathered().imports[0].trials.metrics if m.name == "metr"] == ["ms"]


def test_further_columns_may_be_about_machines_alone() -> None:
    (imported,) = drop(parts_of([SourceFile("runs.csv", RUNS)])).gathered().imports
    found = with_facts(imported, None, SourceFile("more.csv", b"name,cores,vendor\nK40,2880,n\nT4,2560,n\n"))
    assert found.machines is not None
    assert found.machines.values.tolist() == [[2880.0], [2560.0]]
    assert "more.csv: joined by machine." in found.warnings
    inputs = with_facts(imported, None, SourceFile("in.csv", b"app,flops\nx,1\ny,2\nz,4\n")).inputs
    assert inputs is not None
    assert [m.name for m in inputs.metrics] == ["flops"]


def test_what_is_said_of_ignored_columns_comes_back(tmp_path: Path) -> None:
    known = Remembered.beside(tmp_path / "own.duckdb")
    dropped = drop(parts_of([SourceFile("runs.csv", RUNS)], Mapping(ignore=("gpu",))), remembered=known)
    dropped.remember(dropped.recognition, known)
    again = drop(parts_of([SourceFile("other.csv", RUNS)]), remembered=known).recognition
    assert again.tables[0].given.ignore == ("gpu",)
    assert again.mapping().machine is None
