"""Held-out kernels: no leak, honest intervals, what clusters and classifier cost, every base at once."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from core.errors import FitError, OptionError
from core.scaling.base_map import base_map, errors_by_clusters
from core.scaling.gather import study_from_measured
from core.scaling.lesson import make_task
from core.scaling.predictors.network import Network
from core.scaling.race import Choose, able, predictor_named, race
from core.scaling.study import groups_for, kernel_folds, usual_folds
from core.scaling.validation import validate_scaling
from core.trial import Kind, Measured, Metric
from tests.scaling.made import made_study

STUDY = made_study(60)
BASE = STUDY.n_configurations - 1
TREES = predictor_named("extra_trees", {"trees": "30"})


def test_scores_are_those_of_the_cells() -> None:
    found = validate_scaling(STUDY, make_task(STUDY, "time_s", BASE), TREES, "kfold:5")
    assert np.isnan(found.error[:, BASE]).all()
    cells = np.isfinite(found.error)
    assert cells.sum() == 60 * (STUDY.n_configurations - 1) == found.scores.n
    truth = STUDY.surface("time_s")
    np.testing.assert_allclose(found.error[cells], (100 * np.abs(found.predicted / truth - 1))[cells])
    assert found.mape == pytest.approx(found.scores.mape)
    assert max(found.mape, found.best_cluster_mape) < 0.5 * found.mean_surface_mape
    assert 85 <= found.scores.coverage_90 <= 96
    assert np.nanmean(found.by_kernel) == pytest.approx(found.mape)
    assert np.isnan(found.by_configuration[BASE])


def test_nothing_of_a_held_out_kernel_but_its_base_is_seen() -> None:
    task = make_task(STUDY, "time_s", BASE)
    folds = kernel_folds(STUDY, "kfold:5")
    before = validate_scaling(STUDY, task, Network(n_clusters=6), "kfold:5")
    values = STUDY.values.copy()
    values[:, folds[0].test, :BASE] *= 3.0
    after = validate_scaling(replace(STUDY, values=values), task, Network(n_clusters=6), "kfold:5")
    np.testing.assert_array_equal(before.predicted[folds[0].test], after.predicted[folds[0].test])


def test_holes_are_never_scored() -> None:
    values = STUDY.values.copy()
    holes = np.random.default_rng(0).random(values.shape[1:]) < 0.2
    holes[:, BASE] = False
    holes[5, BASE] = True
    values[:, holes] = np.nan
    found = validate_scaling(replace(STUDY, values=values), make_task(STUDY, "time_s", BASE), TREES, "kfold:5")
    assert np.isnan(found.error[holes]).all()
    assert np.isnan(found.error[5]).all()  # it was not measured at the base
    assert found.scores.n == 59 * (STUDY.n_configurations - 1) - holes[np.arange(60) != 5].sum()
    assert found.mape < found.mean_surface_mape


@pytest.mark.parametrize(
    ("text", "n"), [("kfold:4", 4), ("loo", 60), ("holdout:20%", 1), ("holdout:7", 1), ("by:family", 3)]
)
def test_folds_part_the_kernels(text: str, n: int) -> None:
    folds = kernel_folds(STUDY, text)
    assert len(folds) == n
    held = np.concatenate([f.test for f in folds])
    assert len(set(held.tolist())) == len(held) == {"holdout:20%": 12, "holdout:7": 7}.get(text, 60)


def test_whole_applications_are_held_out_where_they_have_several_kernels() -> None:
    def of(n: int) -> str:
        apart = tuple(str(i % n) for i in range(60))
        return usual_folds(replace(STUDY, labels={**STUDY.labels, "application": apart}), 0)

    assert [of(n) for n in (9, 10, 59, 60)] == ["kfold:10", "kfold:10:application", "kfold:10:application", "kfold:10"]


def test_each_of_few_kernels_is_held_out_once() -> None:
    values = STUDY.values.copy()
    values[0, 9:, 0] = np.nan
    few = replace(STUDY, values=values)
    assert [usual_folds(few, base) for base in (0, 1)] == ["loo", "kfold:10"]


def test_folds_follow_names_not_order() -> None:
    turned = STUDY.take(np.arange(59, -1, -1))
    one, other = kernel_folds(STUDY, "kfold:5", 3), kernel_folds(turned, "kfold:5", 3)
    assert [sorted(STUDY.kernels[i] for i in f.test) for f in one] == [
        sorted(turned.kernels[i] for i in f.test) for f in other
    ]


def test_a_family_is_held_out_whole() -> None:
    for fold in kernel_folds(STUDY, "by:family"):
        assert len({STUDY.kernels[i].split("_")[0] for i in fold.test}) == 1
    assert len(set(groups_for(STUDY, "by:family").tolist())) == 3


def test_impossible_folds() -> None:
    with pytest.raises(OptionError, match="write kfold:10"):
        kernel_folds(STUDY, "sometimes")
    with pytest.raises(FitError, match="at least 61 kernels"):
        kernel_folds(STUDY, "kfold:61")


@pytest.mark.slow
def test_every_base_at_once_is_each_base_alone() -> None:
    method = Network(n_clusters=6, iterations=60)
    found = base_map(STUDY, "time_s", method, "kfold:5", seeds=1)
    for base in (0, 13, BASE):
        alone = validate_scaling(STUDY, make_task(STUDY, "time_s", base), method, "kfold:5", clustering=method)
        assert found.error[base] == pytest.approx(alone.mape, rel=1e-6)
        assert found.mean_surface[base] == pytest.approx(alone.mean_surface_mape)
        assert found.best_cluster[base] == pytest.approx(alone.best_cluster_mape)
    m = STUDY.n_configurations
    assert found.n_predictions == found.counts.sum() == 60 * m * (m - 1)
    assert found.error[found.best_base] == found.error.min()
    assert [len(v) for v in found.along(1).values()] == [9, 9, 9]


def test_bases_are_averaged_over_seeds_and_none_wins_within_noise() -> None:
    method = Network(n_clusters=4, iterations=30)
    each = [base_map(STUDY, "time_s", replace(method, seed=k), "kfold:3", k, seeds=1) for k in range(2)]
    found = base_map(STUDY, "time_s", method, "kfold:3", seeds=2)
    np.testing.assert_allclose(found.error, np.mean([one.error for one in each], axis=0))
    assert found.n_predictions == sum(one.n_predictions for one in each)
    assert (found.spread > 0).all()
    good, best = found.as_good.tolist(), found.best_base
    assert good[0] == best
    for base in range(STUDY.n_configurations):
        apart = found.by_kernel[base] - found.by_kernel[best]
        same = base == best or ttest_1samp(apart, 0).pvalue > 0.05
        assert (base in good) == same
    assert 1 <= len(good) < STUDY.n_configurations


def test_more_clusters_can_be_chosen_among() -> None:
    found = errors_by_clusters(STUDY, "time_s", BASE, (1, 3, 10), Network(iterations=40), "kfold:3")
    assert [c.n_clusters for c in found] == [1, 3, 10]
    assert found[0].error == pytest.approx(found[0].best_cluster)
    assert found[0].best_cluster > found[1].best_cluster > found[2].best_cluster


@pytest.mark.slow
def test_race_is_sorted_and_the_choice_is_made_inside() -> None:
    found = race(
        STUDY,
        make_task(STUDY, "time_s", BASE),
        "kfold:3",
        names=("mean_surface", "ridge", "measure_next", "nearest_kernels"),
    )
    errors = [e.validation.mape for e in found.entries]
    assert errors == sorted(errors)
    assert found.best.n_measurements == 0
    assert entry_of(found, "measure_next").n_measurements == 1
    choice = Choose(candidates=("mean_surface", "nearest_kernels"))
    result = validate_scaling(STUDY, make_task(STUDY, "time_s", BASE), choice, "kfold:3")
    assert result.mape == pytest.approx(entry_of(found, "nearest_kernels").validation.mape)


def test_the_real_study(real_data: Path) -> None:
    grid = pd.read_csv(real_data / "data/titanx_dvfs/time_power_grid.csv.gz")
    static = (
        pd.read_csv(real_data / "data/titanx_dvfs/ptx_static.csv.gz")
        .groupby(["set", "benchmark"])
        .sum(numeric_only=True)
    )
    static = static.drop(columns="kernel_idx").copy()
    whole = grid.merge(static.reset_index(), on=["set", "benchmark"])
    counters = [c for c in whole.columns if c.startswith("ptx")]
    n = len(whole)
    metrics = (
        Metric("mem_mhz", Kind.PARAMETER),
        Metric("core_mhz", Kind.PARAMETER),
        Metric("time_ms", Kind.RESPONSE, "ms"),
        Metric("power_w", Kind.RESPONSE, "W"),
        *(Metric(c) for c in counters),
    )
    names = tuple(whole["set"] + "/" + whole["benchmark"])
    trials = Measured(
        tuple(map(str, range(n))),
        names,
        ("",) * n,
        ("Titan X",) * n,
        np.arange(n),
        np.ones(n, dtype=np.int64),
        metrics,
        whole[[m.name for m in metrics]].to_numpy(dtype=float),
    )
    study = study_from_measured(trials, ("time_ms", "power_w"))
    base = study.configuration("mem_mhz=3505,core_mhz=1164")
    assert study.n_kernels == 164
    for response, paper, best in (("time_ms", 9.2, 6.0), ("power_w", 3.5, 3.5)):
        task = make_task(study, response, base)
        network = validate_scaling(study, task, Network())
        trees = validate_scaling(study, task, predictor_named("extra_trees"))
        assert network.mape <= paper
        assert trees.mape <= best
        assert 88 <= trees.scores.coverage_90 <= 92
    alike = predictor_named("shared_leaves")
    times = validate_scaling(study, make_task(study, "time_ms", base), alike, "kfold:10")
    assert (
        times.mape
        < 0.8 * validate_scaling(study, make_task(study, "time_ms", base), predictor_named("extra_trees")).mape
    )
    assert validate_scaling(study, make_task(study, "power_w", base), alike).mape <= 1.9


def test_a_predictor_leaves_something_to_predict() -> None:
    small = made_study(12, (2, 1, 1))
    with pytest.raises(
        FitError, match="asks for 2 measurements besides the base, and of 2 configurations none would be left"
    ):
        validate_scaling(small, make_task(small, "time_s", 1), predictor_named("roofline"), "kfold:3")
    assert {"roofline", "measure_next"}.isdisjoint(able(small))
    assert set(able(STUDY)) >= {"roofline", "measure_next", "network", "chosen"}


def entry_of(found, name: str):
    return next(entry for entry in found.entries if entry.name == name)


def test_references_are_those_of_a_predictor_that_needs_one_run() -> None:
    found = race(STUDY, make_task(STUDY, "time_s", BASE), "kfold:3", names=("measure_next", "mean_surface"))
    assert found.entries[0].name == "measure_next"
    assert found.reference is entry_of(found, "mean_surface").validation
