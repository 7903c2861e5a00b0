"""Reports of a race, a decision and a scaling study: one whole page each that asks nobody for anything."""

import re
from pathlib import Path

import numpy as np
import pytest

from core.cli import main
from core.experiment.experiment import Scaling
from core.experiment.trials import KernelsSubject
from core.export import read_model, write_model
from core.export.card import write_card
from core.race.entry import entry_of
from core.race.race import race
from core.recipes import make_recipe, train
from core.report.document.race import race_page
from core.report.document.scaling import scaling_model_page, scaling_page
from core.report.scaling.race import race_table
from core.report.shared.scorecard import percent
from core.scaling.lesson import make_task
from core.scaling.model_file import write_scaling
from core.scaling.race import fit_scaling, predictor_named
from core.scaling.race import race as scaling_race
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.export.test_card import Page
from tests.scaling.made import made_study


def whole(raw: bytes) -> list[str]:
    page = Page(raw)
    assert "script" not in page.tags
    assert page.tags.count("svg") >= 1
    assert not re.search(rb"https?://|url\(|@import", raw)
    return page.texts


@pytest.mark.slow
def test_a_race_says_what_was_asked_found_and_left_out() -> None:
    frame = machine_frame(12, 5)
    entries = [entry_of(name, frame) for name in ("ols", "extra_trees")]
    found = race(frame, parse_folds("kfold:4"), 0, entries)
    texts = whole(race_page(frame, found, "sample", "old → new", ("Lasso",)))
    assert found.trials_sha256 in texts
    assert "old → new" in texts
    assert "Not tried: Lasso." in texts
    assert f"{found.nested.scores.mape:.4g}" in texts
    assert [texts.count(t) for t in ("What was asked", "How", "How good it is", "What is not known")] == [1] * 4
    again = race(frame, parse_folds("kfold:4"), 0, entries)
    assert race_page(frame, found, "sample") == race_page(frame, again, "sample")


def test_a_scaling_study_has_every_predictor_beside_the_references() -> None:
    study = made_study(14, levels=(1, 3, 3))
    name = study.responses[0].name
    found = scaling_race(study, make_task(study, name, 0), "kfold:3", names=("ridge", "median_surface"))
    texts = whole(scaling_page(study, [found], "<b>made</b>"))
    assert "<b>made</b>" in set(" ".join(texts).split()) | set(texts)
    assert KernelsSubject("", study, name, Scaling()).digest in texts
    for label, error in race_table(found)[["predictor", "mean error (%)"]].itertuples(index=False):
        assert label in texts
        assert f"{error:.4g}" in texts
    assert "The best possible clust…" in texts


def test_a_scaling_model_says_what_it_is_worth_and_how_a_typical_kernel_scales(tmp_path: Path) -> None:
    study = made_study(14, levels=(1, 3, 3))
    model = fit_scaling(study, predictor_named("ridge"), folds="kfold:3", dataset="made")
    texts = whole(scaling_model_page(model, "<b>mine</b>", note="for the lab", sha256="abc"))
    assert {"<b>mine</b>", "for the lab", "abc", "What it says of a typical kernel"} <= set(texts)
    for answer in model.answers:
        assert f"{answer.mape:.4g}" in texts
        assert f"{answer.mean_surface_mape:.4g}" in texts
    (tmp_path / "gpu.json").write_bytes(write_scaling(model))
    assert main(["report", "model", str(tmp_path / "gpu.json"), "--out", str(tmp_path / "gpu.html")]) == 0
    assert "gpu" in whole((tmp_path / "gpu.html").read_bytes())


def test_a_model_stands_beside_the_median_of_the_other_trials() -> None:
    frame = machine_frame(12, 5)
    found = train(make_recipe("ols"), frame, parse_folds("kfold:4"))
    fold = found.validation.fold_of_row
    errors = [abs(np.median(frame.y[fold != fold[i]]) / y - 1) for i, y in enumerate(frame.y)]
    texts = whole(write_card(read_model(write_model(found.model))))
    assert any(f"would be off by {percent(100 * float(np.mean(errors)))}" in text for text in texts)


@pytest.mark.slow
def test_the_verb_writes_a_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    rows = [f"a,{c},{w},{100 / c + 20 / w + 0.1 * c * w:.4f}" for c in range(1, 11) for w in range(1, 9)]
    Path("runs.csv").write_text("application,cores,width,time (s)\n" + "\n".join(rows) + "\n")
    Path("space.toml").write_text(
        "[parameters.cores]\nrange = [1, 10]\nstep = 1\n[parameters.width]\nrange = [1, 8]\nstep = 1\n"
    )
    assert main(["import", "runs.csv", "--dataset", "runs", "--parameter", "cores,width"]) == 0
    assert main(["fit", "stargazer", "--dataset", "runs", "--response", "time", "--out", "model.json"]) == 0
    capsys.readouterr()
    told = [
        "report",
        "space",
        "space.toml",
        "--model",
        "model.json",
        "--limit",
        "cores*width <= 40",
        "--dataset",
        "runs",
    ]
    assert main([*told, "--out", "design.html"]) == 0, capsys.readouterr().err
    said = capsys.readouterr().out.splitlines()[0]
    texts = whole(Path("design.html").read_bytes())
    assert said in texts
    assert "Limit: cores*width <= 40." in texts
    assert any(re.fullmatch(r"[0-9a-f]{64}", t) for t in texts)
    assert main([*told, "--out", "design.pdf"]) == 2
    assert "ending in .html" in capsys.readouterr().err


def test_a_report_of_a_model_is_its_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    rng = np.random.default_rng(0)
    Path("t.csv").write_text(
        "a,time (s)\n" + "\n".join(f"{x:.4f},{1 + 2 * x:.4f}" for x in rng.uniform(1, 9, 40)) + "\n"
    )
    assert main(["import", "t.csv", "--dataset", "t"]) == 0
    assert main(["fit", "ols", "--dataset", "t", "--response", "time", "--out", "model.json"]) == 0
    assert main(["report", "model", "model.json", "--out", "model.html"]) == 0
    assert Path("model.html").read_bytes() == write_card(read_model(Path("model.json").read_bytes()), "model")
    whole(Path("model.html").read_bytes())
