"""Predicting tables of any size: the same numbers however they are cut, and a file whole or not at all."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.cli import main
from core.errors import ReadError
from core.export import read_model, write_model
from core.ingest import SourceFile
from core.ingest.table.table import stream_table
from core.recipes import make_recipe, train
from core.report.model.check_rows import predicted_parts
from core.report.model.predictions import predict_file
from core.report.shared.csv_text import csv_lines, header_line, to_csv
from core.trial import Kind
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.json"
    path.write_bytes(write_model(train(make_recipe("ols"), machine_frame(), parse_folds("kfold:4")).model))
    return path


def rows(n: int = 400, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = machine_frame()
    X = rng.uniform(frame.X.min(axis=0), frame.X.max(axis=0), (n, 4))
    X[::7, 2] *= 50
    table = pd.DataFrame(X, columns=list(frame.names))
    table.insert(0, "run", [f"r{i}" for i in range(n)])
    table.insert(3, "note", ["plain", "a, b", 'say "hi"', "4096x1x1", "=1+1", "", "-3", "ü"] * (n // 8))
    return table


def predicted(model: Path, *arguments: object) -> str:
    assert main(["predict", str(model), *map(str, arguments)]) == 0
    return ""


def test_cut_anywhere_rows_are_the_rows_of_the_whole(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows().to_csv(path, index=False)
    own = read_model(model.read_bytes())
    whole = predict_file(own, SourceFile("rows.csv", path.read_bytes()))
    for block in (700, 5_000, 1 << 20):
        parts = [part for part, _ in predicted_parts(own, stream_table(path, block=block), lambda part: None)]
        assert (len(parts) > 2) == (block < 1 << 20)
        assert np.concatenate([p.predictions.value for p in parts]) == pytest.approx(whole.predictions.value, rel=1e-14)
        assert [w for p in parts for w in p.predictions.why] == list(whole.predictions.why)
        assert [r for p in parts for r in p.table.head(len(p.table))] == list(whole.table.head(len(whole)))


@pytest.mark.parametrize("block", [700, 1 << 20])
def test_own_columns_stay_letter_for_letter(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("core.cli.predict.stream_table", partial(stream_table, block=block))
    table = rows().assign(launch="16x8", page=["64K", "1M"] * 200, took=["1.2ms", "340us"] * 200, jobs=["-", "4"] * 200)
    table.to_csv(tmp_path / "rows.csv", index=False)
    predicted(model, tmp_path / "rows.csv", "--out", tmp_path / "out.csv")
    given = pd.read_csv(tmp_path / "rows.csv", dtype=str, keep_default_na=False)
    found = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    assert list(found.columns) == [*given.columns, "prediction", "low", "high", "in_domain", "why"]
    safe = given.assign(note=given["note"].replace("=1+1", "'=1+1"))
    pd.testing.assert_frame_equal(found[list(given.columns)], safe)
    right = predict_file(read_model(model.read_bytes()), SourceFile("rows.csv", (tmp_path / "rows.csv").read_bytes()))
    assert found["prediction"].astype(float).to_numpy() == pytest.approx(right.predictions.value, rel=1e-13)
    assert (found["in_domain"] == "True").tolist() == right.predictions.in_domain.tolist()
    assert "outside" in found["why"][0]


@pytest.mark.slow
def test_parquet_in_and_out_gzip_and_a_pipe(model: Path, tmp_path: Path) -> None:
    table = rows()
    table.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress((tmp_path / "rows.csv").read_bytes(), mtime=0))
    own = pa.Table.from_pandas(table, preserve_index=False).append_column(
        "when", pa.array(range(400), pa.timestamp("ms"))
    )
    parquet.write_table(own, tmp_path / "rows.parquet", row_group_size=90)
    predicted(model, tmp_path / "rows.csv", "--out", tmp_path / "a.csv")
    predicted(model, tmp_path / "rows.csv.gz", "--out", tmp_path / "b.csv.gz")
    assert gzip.decompress((tmp_path / "b.csv.gz").read_bytes()) == (tmp_path / "a.csv").read_bytes()
    predicted(model, tmp_path / "rows.parquet", "--out", tmp_path / "c.parquet")
    found = parquet.read_table(tmp_path / "c.parquet")
    assert found.select(own.column_names).equals(own)
    right = pd.read_csv(tmp_path / "a.csv")
    assert np.array_equal(found["prediction"].to_numpy(), right["prediction"])
    assert found.schema.field("in_domain").type == pa.bool_()
    command = [sys.executable, "-m", "core.cli", "predict", str(model), "-"]
    with (tmp_path / "rows.csv").open("rb") as file:
        piped = subprocess.run(command, stdin=file, capture_output=True, cwd=ROOT, check=True)
    assert piped.stdout == (tmp_path / "a.csv").read_bytes()


def test_a_metric_called_like_a_prediction_has_to_be_renamed_in_the_model_too(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = model.read_text().replace('"clock"', '"low"')
    (tmp_path / "low.json").write_text(document)
    rows(8, 1).rename(columns={"clock": "low"}).to_csv(tmp_path / "rows.csv", index=False)
    assert main(["predict", str(tmp_path / "low.json"), str(tmp_path / "rows.csv")]) == 2
    assert "Rename it and train the model again, which needs it." in capsys.readouterr().err


def test_a_folder_is_one_table(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    rows(8, 1).to_csv(folder / "b.csv", index=False)
    rows(8, 2).to_csv(folder / "a.csv.gz", index=False)
    (folder / "README.md").write_text("not a table")
    predicted(model, folder, "--out", tmp_path / "out.csv")
    found = pd.read_csv(tmp_path / "out.csv")
    assert np.array_equal(found["instructions"], pd.concat([rows(8, 2), rows(8, 1)])["instructions"])
    rows(8, 3).drop(columns="note").to_csv(folder / "c.csv", index=False)
    assert main(["predict", str(model), str(folder), "--out", str(tmp_path / "other.csv")]) == 2
    assert "a.csv.gz and c.csv have different columns" in capsys.readouterr().err
    assert not (tmp_path / "other.csv").exists()


WRONG: list[tuple[str, str]] = [
    ("instructions,bytes,clock\n1,2,3\n", "does not have 'bandwidth'"),
    ("instructions,bytes,clock,bandwidth,prediction\n1,2,3,4,5\n", "has a column 'prediction' already"),
    ("instructions,bytes,clock,clock,bandwidth\n1,2,3,3,4\n", "two columns are called 'clock'"),
    ("instructions,bytes,clock,bandwidth\n1,2,3,4\n1,2,3\n", "line 3 has 3 cells and the header 4"),
    ("a,b\n", "no rows of values"),
    ("instructions,bytes,clock,bandwidth,time (s)\n1,2,3,4,fast\n2,3,4,5,slow\n", "response 'time' holds words"),
    ("instructions;bytes;clock;bandwidth\n1;2;1,234;4\n2;2;5,678;4\n", "whose comma may be a decimal mark"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=range(len(WRONG)))
def test_wrong_tables_are_said_in_a_sentence(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (tmp_path / "rows.csv").write_text(text)
    (tmp_path / "out.csv").write_text("before")
    assert main(["predict", str(model), str(tmp_path / "rows.csv"), "--out", str(tmp_path / "out.csv")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert (tmp_path / "out.csv").read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.csv", "rows.csv"]


def test_counters_that_only_a_run_gives_are_named_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody can add the cache misses of what has not run, which was the only remedy named."""
    frame = machine_frame()
    kinds = (Kind.DETERMINISTIC, Kind.COUNTER, Kind.MACHINE, Kind.MACHINE)
    metrics = [replace(metric, kind=kind) for metric, kind in zip(frame.metrics, kinds, strict=True)]
    trained = train(make_recipe("ols"), replace(frame, metrics=tuple(metrics)), parse_folds("kfold:4")).model
    path, asked = tmp_path / "m.json", tmp_path / "rows.csv"
    path.write_bytes(write_model(trained))
    asked.write_text("instructions,clock,bandwidth\n1,2,3\n")
    assert main(["predict", str(path), str(asked)]) == 2
    assert capsys.readouterr().err.endswith(
        "does not have 'bytes', which the model needs. It is measured with each run: add the column, or for what has "
        "not run train a model without (--no-counters).\n"
    )
    asked.write_text("bytes,clock\n1,2\n")
    assert main(["predict", str(path), str(asked)]) == 2
    assert "or give a CSV of machine metrics" in capsys.readouterr().err


def test_a_unit_that_is_not_the_model_s_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from dataclasses import replace

    frame = machine_frame()
    frame = replace(frame, metrics=(*frame.metrics[:2], replace(frame.metrics[2], unit="GHz"), frame.metrics[3]))
    (tmp_path / "m.json").write_bytes(write_model(make_recipe("ols").fit(frame)))
    for name in ("rows.csv", "rows.parquet"):
        table = rows(8).rename(columns={"clock": "clock (V)"})
        table.to_csv(tmp_path / name, index=False) if name.endswith("csv") else table.to_parquet(tmp_path / name)
        assert main(["predict", str(tmp_path / "m.json"), str(tmp_path / name)]) == 2
        assert f"{name} has 'clock' in V, but the model was trained with GHz" in capsys.readouterr().err


def _launches() -> str:
    """Return what Nsight Compute would write, a row a launch."""
    sizes = [(grid, block) for grid in (64, 256, 1024, 4096) for block in (64, 128, 256)]
    head = '"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","dram__bytes.sum"\n"","","","","us","Mbyte"\n'
    return head + "".join(
        f'"{i}","copy(float*, int)","({block}, 1, 1)","({grid}, 1, 1)","{grid * block / 900:.3f}","{grid * block / 1e3:.3f}"\n'
        for i, (grid, block) in enumerate(sizes)
    )


def _cached() -> str:
    """Return a cache as Kernel Tuner writes it."""
    shapes = [(x, y) for x in (16, 32, 64, 128) for y in (1, 2, 4)]
    cells = {f"{x},{y}": {"block_size_x": x, "block_size_y": y, "time": 900 / x + y} for x, y in shapes}
    about = {"device_name": "A100", "kernel_name": "add", "problem_size": "1000", "objective": "time"}
    return json.dumps({**about, "tune_params_keys": ["block_size_x", "block_size_y"], "cache": cells})


def _side_by_side() -> str:
    """Return times of each variant in a column of its own."""
    return "n,naive_ms,tiled_ms,fused_ms\n" + "".join(
        f"{n},{n / 7:.4f},{n / 19:.4f},{n / 31:.4f}\n" for n in range(10, 90, 9)
    )


@pytest.mark.parametrize(
    ("name", "text", "n"),
    [("k.csv", _launches(), 12), ("cache.json", _cached(), 12), ("wide.csv", _side_by_side(), 9)],
)
def test_what_an_import_reads_can_be_predicted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, n: int
) -> None:
    (tmp_path / name).write_text(text)
    database, own, out = (str(tmp_path / file) for file in ("d.duckdb", "m.json", "out.csv"))
    assert main(["--db", database, "import", str(tmp_path / name), "--dataset", "d"]) == 0
    assert main(["--db", database, "fit", "extra_trees", "--dataset", "d", "--out", own, "--folds", "kfold:3"]) == 0
    assert main(["predict", own, str(tmp_path / name), "--out", out]) == 0
    found = pd.read_csv(out)
    assert len(found) == n
    assert found["prediction"].notna().all()
    capsys.readouterr()


def test_cells_without_a_number_have_no_prediction(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rows.csv").write_text(
        "instructions,bytes,clock,bandwidth\n1e5,1e5,2,100\n1e5,,2,100\n1e5,1e5,n/a,100\n"
    )
    table = pd.DataFrame(
        {"instructions": [1e5] * 3, "bytes": [1e5, None, 1e5], "clock": [2, 2, np.inf], "bandwidth": [100, 100, 100]}
    )
    table.to_parquet(tmp_path / "rows.parquet")
    for name in ("rows.csv", "rows.parquet"):
        assert main(["predict", str(model), str(tmp_path / name), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["n_rows"], found["n_refused"]) == (3, 2)
        assert [p["why"] for p in found["predictions"][1:]] == [
            "no prediction: metric 'bytes' is missing",
            "no prediction: metric 'clock' is missing",
        ]
        assert [p["prediction"] is None for p in found["predictions"]] == [False, True, True]


def test_a_cell_that_is_no_number_is_told_of_and_a_long_count_is_rounded(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = ("0x20", "0032", "32 KB")
    (tmp_path / "rows.csv").write_text(
        "instructions,bytes,clock,bandwidth\n" + "".join(f"9007199254740993,1e5,{own},100\n" for own in ("2", *cells))
    )
    assert main(["predict", str(model), str(tmp_path / "rows.csv"), "--json"]) == 0
    first, *others = json.loads(capsys.readouterr().out)["predictions"]
    assert first["prediction"] is not None
    numberless = ("expected a number", "which has leading zeros like an identifier, expected a number")
    assert [p["why"] for p in others] == [
        f"no prediction: metric 'clock' is '{own}', {numberless[own == '0032']}" for own in cells
    ]


def test_numbers_written_otherwise_further_down_are_refused(model: Path, tmp_path: Path) -> None:
    own = read_model(model.read_bytes())
    lines = ["instructions;bytes;clock;bandwidth", *["1e5;1e5;2.5;100"] * 200, "1e5;1e5;2,5;100"]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(
        ReadError, match=r"line 202: '2,5' is not written like the numbers above it, whose decimal mark is a point"
    ):
        list(predicted_parts(own, stream_table(tmp_path / "rows.csv", block=500), lambda part: None))
    comma = [line.replace(".", ",") for line in lines]
    (tmp_path / "rows.csv").write_text("\n".join(comma) + "\n")
    parts = list(predicted_parts(own, stream_table(tmp_path / "rows.csv", block=500), lambda part: None))
    assert len({v for part, _ in parts for v in part.predictions.value.round(12).tolist()}) == 1


def test_rows_with_a_measured_response_are_scored(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = machine_frame()
    pd.DataFrame(frame.X, columns=list(frame.names)).assign(time=frame.y).to_csv(tmp_path / "rows.csv", index=False)
    assert main(["predict", str(model), str(tmp_path / "rows.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    right = predict_file(
        read_model(model.read_bytes()), SourceFile("rows.csv", (tmp_path / "rows.csv").read_bytes())
    ).scores
    assert right is not None
    assert found["scores"]["mape"] == pytest.approx(right.mape)
    monkeypatch.setattr("core.report.model.check_rows.MOST_SCORED", 10)
    monkeypatch.setattr("core.cli.predict.MOST_SCORED", 10)
    assert main(["predict", str(model), str(tmp_path / "rows.csv"), "--out", str(tmp_path / "o.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["scores"], found["not_scored"]) == (None, "more than 10 rows have a measured response")
    monkeypatch.setattr("core.cli.predict.MOST_PRINTED", 5)
    assert main(["predict", str(model), str(tmp_path / "rows.csv"), "--json"]) == 2
    assert "at most 5 predictions" in capsys.readouterr().err


def test_columns_in_other_units_are_converted(tmp_path: Path) -> None:
    frame = machine_frame()
    metrics = tuple(replace(m, unit="s") if m.name == "clock" else m for m in frame.metrics)
    frame = replace(frame, metrics=metrics, response=replace(frame.response, unit="s"))
    own = train(make_recipe("ols"), frame, parse_folds("kfold:4")).model
    table = pd.DataFrame(frame.X, columns=list(frame.names)).assign(time=frame.y)
    right = predict_file(own, SourceFile("rows.csv", table.to_csv(index=False).encode()))
    table["clock_ms"], table["time (us)"] = table.pop("clock") * 1e3, table.pop("time") * 1e6
    (tmp_path / "rows.csv").write_text(table.to_csv(index=False))
    whole = predict_file(own, SourceFile("rows.csv", (tmp_path / "rows.csv").read_bytes()))
    parts = [part for part, _ in predicted_parts(own, stream_table(tmp_path / "rows.csv"), lambda part: None)]
    for found in (whole, *parts):
        assert found.predictions.value == pytest.approx(right.predictions.value)
        assert found.observed == pytest.approx(right.observed)
        assert found.names[:5] == ("instructions", "bytes", "bandwidth", "clock_ms", "time (us)")


def test_text_that_is_not_utf8_is_read_from_a_file(model: Path, tmp_path: Path) -> None:
    table = "run,instructions,bytes,clock,bandwidth\n" + "a,1e5,1e5,2,100\n" * 300
    (tmp_path / "rows.csv").write_bytes(table.encode() + "é,1e5,1e5,2,100\n".encode("cp1252"))
    tables = list(stream_table(tmp_path / "rows.csv", block=500))
    texts = [text for one in tables for text in one.columns[0].texts()]
    assert texts == ["a"] * 300 + ["é"]


@pytest.mark.slow
def test_killed_it_leaves_nothing_under_the_name(model: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "core.cli", "predict", str(model), "-", "--out", str(tmp_path / "out.csv")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=ROOT)
    assert process.stdin is not None
    process.stdin.write(rows(4000).to_csv(index=False).encode())
    process.stdin.flush()
    deadline = time.monotonic() + 300
    while not list(tmp_path.glob(".out.csv.*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.glob(".out.csv.*.tmp"))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_a_closed_pipe_is_no_error(model: Path, tmp_path: Path) -> None:
    rows(4000).to_csv(tmp_path / "rows.csv", index=False)
    command = f"{sys.executable} -m core.cli predict {model} {tmp_path / 'rows.csv'} | head -1"
    found = subprocess.run(["bash", "-c", command], capture_output=True, cwd=ROOT, check=True, env={**os.environ})
    assert found.stdout.startswith(b"run,instructions,")
    assert found.stderr == b""


def test_lines_are_what_pandas_writes() -> None:
    texts = ["a", "a,b", 'x"y', "line\nbreak", "=1", "-1", "-x", "＝1", "", "2026-11-21"]
    numbers = [0.1 + 0.2, 1e-17, -0.5, 1e300, np.nan, 3.25, 1.5, 2.5, -7.125, 5e-324]
    columns: list[Any] = [pa.array(texts), pa.array(numbers, from_pandas=True), pa.array([True, False] * 5)]
    frame = pd.DataFrame({"=t": texts, "x": numbers, "b": [True, False] * 5})
    own = (header_line(list(frame.columns)) + csv_lines(columns)).decode()
    found, right = (pd.read_csv(io.StringIO(text), keep_default_na=False, dtype=str) for text in (own, to_csv(frame)))
    assert found.drop(columns="x").equals(right.drop(columns="x"))
    as_numbers = [pd.to_numeric(one["x"]).to_numpy() for one in (found, right)]
    assert np.array_equal(*as_numbers, equal_nan=True)
