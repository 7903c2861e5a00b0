"""Experiments: the numbers of `validate` and of learning curves, each fit once, the same whatever interrupts it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from core.cli.experiment import Journal
from core.errors import Cancelled, OptionError, RidgelineError
from core.experiment import grid as grid_module
from core.experiment import run as run_module
from core.experiment.experiment import Result, Value, result_from_plain, result_to_plain
from core.experiment.grid import recipe_of
from core.experiment.run import batched, estimate, run
from core.experiment.toml_text import read_experiment
from core.experiment.trials import TrialsSubject, trials_subjects
from core.recipes import Treated, make_recipe
from core.report.experiment.results import fits_table, points
from core.report.shared.csv_text import to_csv
from core.validate.crossval import cross_validate
from core.validate.folds import parse_folds
from core.validate.learning_curve import UNSEEN, learning_curve
from tests.experiment.made import TEXT, made_frame, made_grid


def nothing(results: Sequence[tuple[str, Result]]) -> None:
    """Keep nothing."""


def test_errors_are_those_of_validate() -> None:
    frame, grid, by = made_frame(), made_grid(), parse_folds("by:application")
    found = points(grid, run(grid, {}, nothing))
    for point in found:
        if point.folds == "by:application":
            recipe = make_recipe("ridge", {"penalty": str(point.setting.values["penalty"])}).asking(by)
            said = cross_validate(recipe.fit, frame, by)
            assert point.error == pytest.approx(said.scores.mape, rel=1e-12)
            assert sorted(point.by_fold) == pytest.approx(sorted(s.mape for s in said.groups.values()))
    assert {p.folds for p in found} == {"kfold:3", "by:application"}


def test_a_recipe_that_asks_what_is_held_out_is_fitted_for_each_question() -> None:
    """Also where the same trials are held out: the question chooses the model."""
    text = TEXT.split("recipe")[0] + 'recipe = "auto"\nfolds = ["by:application", "kfold:5:application"]\n'
    fits = made_grid(text).fits
    assert all(fit.procedure.folds == fit.split.folds for fit in fits)
    assert len({fit.key for fit in fits}) == len(fits) == 10


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("ridge", "penalty", 2.5), ("forest", "trees", 7), ("eiger", "clusters", 3)],
)
def test_recipes_are_those_of_fit_with_the_same_options_and_seed(name: str, option: str, value: Value) -> None:
    assert recipe_of(name, {option: value}, 3) == make_recipe(name, {option: str(value)}, 3)
    assert recipe_of(name, {}, 3) == make_recipe(name, seed=3)


def test_families_of_experiments_take_what_prepares_metrics_too() -> None:
    plain = make_recipe("ridge", {"penalty": "2.5"})
    assert isinstance(plain, Treated)
    assert recipe_of("ridge", {"penalty": 2.5, "hold": True}, 0) == replace(plain, hold=True)


def test_sizes_are_those_of_a_learning_curve() -> None:
    frame = made_frame()
    text = TEXT.replace('["kfold:3", "by:application"]', '"holdout:20"').replace("seeds = 2", "seeds = [0, 1000]")
    grid = made_grid(text.partition("[vary]")[0] + "sizes = [10, 20]\n")
    found = points(grid, run(grid, {}, nothing))
    curve = learning_curve(make_recipe("ridge").asking(UNSEEN).fit, frame, (10, 20), 20, 2, 0)
    assert [p.error for p in found] == pytest.approx(curve.mean.tolist())
    assert [p.largest for p in found] == pytest.approx(curve.largest.tolist())


def test_what_comes_to_the_same_is_made_once() -> None:
    grid = made_grid()  # whole applications left out are the same with every seed, as ridge draws nothing
    assert (len(grid.fits), grid.n_fits) == (3 * (3 * 2 + 5 * 2), 3 * (3 * 2 + 5))
    kept: list[str] = []
    run(grid, {}, lambda results: kept.extend(key for key, _ in results))
    assert len(kept) == len(set(kept)) == grid.n_fits


def test_too_many_fits_are_refused_before_any_setting_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_module, "_settings", lambda *_: pytest.fail("settings were made"))
    vary = 'penalty = { from = 1, to = 100000 }\nmetric_scale = ["raw", "log"]\n'
    with pytest.raises(OptionError, match=r"This experiment has 3,200,000 fits; at most 1,000,000 are made"):
        made_grid(TEXT.partition("[vary]")[0] + f"[vary]\n{vary}")
    monkeypatch.setattr(TrialsSubject, "split_digest", lambda *_: pytest.fail("splits were made"))
    with pytest.raises(OptionError, match=r"has 2,400,000 fits"):
        made_grid(TEXT.replace("seeds = 2", "seeds = 100000"))


def test_how_long_it_takes_is_told_by_who_listens() -> None:
    said, grid = list[str](), made_grid()
    run(grid, {}, nothing, lambda _, message: said.append(message), workers=1)
    assert len(said) > 3
    assert not any("left" in message for message in said)


def test_another_experiment_finds_the_fits_that_it_shares() -> None:
    grid = made_grid()
    results = run(grid, {}, nothing)
    other = made_grid(TEXT.replace("count = 3", "count = 5").replace("seeds = 2", "seeds = 1"))
    asked: list[str] = []
    run(other, results, lambda new: asked.extend(key for key, _ in new))
    assert len(asked) == 2 * (3 + 5)
    assert not {f.key for f in other.fits} & {f.key for f in made_grid(frame=made_frame(scale=2.0)).fits}


def test_stopped_at_any_time_and_gone_on_with_it_ends_with_the_same_table(tmp_path: Path) -> None:
    grid = made_grid()
    whole = to_csv(fits_table(grid, run(grid, {}, nothing)))
    path, goes = tmp_path / "j" / "x.jsonl", 0

    while True:
        with Journal(path) as journal:
            before = len(journal.known)

            def stop(fraction: float, message: str, journal: Journal = journal, before: int = before) -> None:
                if len(journal.known) > before + 8:
                    raise Cancelled("stopped")

            try:
                results = run(grid, journal.known.copy(), journal.keep, stop)
            except Cancelled:
                goes += 1
                with path.open("ab") as file:
                    file.write(b'{"fit": "cut off in the mid')
                continue
            break
    assert goes >= 2
    assert to_csv(fits_table(grid, results)) == whole
    assert len(path.read_bytes().splitlines()) == grid.n_fits


def test_a_journal_is_written_by_one_program_at_a_time(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "x.jsonl"),
        pytest.raises(RidgelineError, match="runs already"),
        Journal(tmp_path / "x.jsonl"),
    ):
        pass
    (tmp_path / "other.txt").write_text("a,b\n")
    with pytest.raises(OptionError, match="holds no results"), Journal(tmp_path / "other.txt"):
        pass


def test_results_are_the_same_as_plain_values() -> None:
    result = run(made_grid(TEXT.replace("seeds = 2", "predictions = true")), {}, nothing)
    one = next(iter(result.values()))
    again = result_from_plain(result_to_plain(one))
    assert (again.held, again.training) == (one.held, one.training)
    assert np.array_equal(again.predicted, one.predicted)


def test_a_setting_that_cannot_be_fitted_says_why() -> None:
    frame = made_frame(8)
    text = TEXT.replace('recipe = "ridge"', 'recipe = "eiger"').replace('["kfold:3", "by:application"]', '"kfold:8"')
    text = text.partition("[vary]")[0].replace("seeds = 2", "seeds = 1")
    grid = made_grid(text + "\n[vary]\nresponse_scale = ['raw', 'ratio']", frame)
    found = {p.setting.values["response_scale"]: p for p in points(grid, run(grid, {}, nothing))}
    assert found["raw"].error is not None
    assert found["ratio"].error is None
    assert "ratio" in found["ratio"].why


def test_sizes_that_are_not_there() -> None:
    with pytest.raises(OptionError, match="fewer than the size 50"):
        made_grid(TEXT.replace("seeds = 2", "sizes = [50]"))


def test_an_experiment_per_application() -> None:
    e = read_experiment(TEXT.replace('["kfold:3", "by:application"]', '"kfold:3"'))
    subjects = trials_subjects(made_frame(), "application")
    assert [s.name for s in subjects] == [f"a{i}" for i in range(5)]
    grid = made_grid(TEXT.replace(', "by:application"', ""), each="application")
    assert len({p.subject for p in points(grid, run(grid, {}, nothing))}) == 5
    assert e.folds == ("kfold:3",)


def test_batches_hold_every_fit_once_and_one_split_each() -> None:
    grid = made_grid()
    found = list(batched(grid.fits, 1e-4, 2))
    assert sum(map(len, found)) == len(grid.fits)
    assert all(len({(f.subject, f.split) for f in b}) == 1 for b in found)
    assert all(len(b) == 1 for b in batched(grid.fits, run_module.BATCH_S, 1))


def test_the_first_fit_which_loads_what_fits_need_does_not_count_in_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter([0.0, 9.0, 10.0, 11.0]).__next__
    monkeypatch.setattr(run_module, "time", SimpleNamespace(process_time=said, perf_counter=said))
    assert estimate(made_grid(), {}, nothing).seconds_per_fit == 1.0


def test_a_plan_keeps_what_it_timed() -> None:
    grid, kept = made_grid(), {}
    found = estimate(grid, {}, kept.update)
    assert (found.n_fits, found.n_known, len(kept)) == (grid.n_fits, 3, 3)
    assert found.seconds(2) == pytest.approx((grid.n_fits - 3) * found.seconds_per_fit / 2)
    assert estimate(grid, run(grid, kept, nothing), nothing).seconds() == 0
