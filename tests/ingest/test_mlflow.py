"""A store of MLflow's as a table with a row for each run."""

from pathlib import Path

from core.ingest import drop, parts_of
from core.ingest.files import sources


def store(folder: Path) -> None:
    """Write runs of one experiment as MLflow does, a file for each number."""
    for k, (block, unroll) in enumerate((b, u) for b in (16, 32, 64) for u in (1, 2)):
        run = f"mlruns/7/{k:032x}"
        files = {
            f"{run}/meta.yaml": f"run_id: {k:032x}\nlifecycle_stage: active\n",
            f"{run}/params/block": str(block),
            f"{run}/params/unroll": str(unroll),
            f"{run}/metrics/runtime_s": "".join(f"17053123{s} {640 // block // unroll + s}.5 {s}\n" for s in (2, 0)),
            f"{run}/tags/mlflow.runName": f"ant-{k}",
            f"{run}/tags/mlflow.user": "me",
        }
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    (folder / "mlruns/7/meta.yaml").write_text("experiment_id: '7'\nname: tiles\n")


def test_each_run_is_a_row_with_the_last_value_of_each_metric(tmp_path: Path) -> None:
    store(tmp_path)
    files, folder = sources([str(tmp_path / "mlruns")])
    assert [file.name for file in files] == ["mlruns/7/runs.csv"]
    found = drop(parts_of(files), folder=folder)
    assert [(table.rows, table.columns[0].role) for table in found.recognition.tables] == [(6, "identifier")]
    (trials,) = (own.trials for own in found.gathered().imports)
    named = {m.name: trials.values[:, i].tolist() for i, m in enumerate(trials.metrics)}
    assert named["params.block"] == [16, 16, 32, 32, 64, 64]
    assert named["metrics.runtime_s"] == [40.5, 20.5, 20.5, 10.5, 10.5, 5.5]


def test_a_folder_that_is_called_alike_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 32) / "params"
    folder.mkdir(parents=True)
    (folder / "n.csv").write_text("n,time_s\n1,2\n2,4\n")
    assert [file.name.rpartition("/")[2] for file in sources([str(tmp_path)])[0]] == ["n.csv"]
