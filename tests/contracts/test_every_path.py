"""Every way to ask a model says the same of the same point: value, interval, flag and reason.

The ways: the fitted value, its file read back, the file read by `json` and `math` alone, the command line and the
page's file view (one function), the sweep by halves and row by row, its file of points, what-if with its curves, and
the next designs to measure. The points: inside, outside the range of a metric, inside every range but too far in all
together, and refused at a pole.
"""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import main
from core.cli._space import points_file
from core.export import read_model, write_model
from core.models import FAMILIES
from core.pipeline import CLAMP, EXTRAPOLATION, FLAG, REFUSE, FittedPipeline
from core.recipes import make_recipe, train
from core.recipes.base import Treated
from core.report.space.whatif import what_if
from core.space.columns import columns_of
from core.space.design_space import Parameter, make_space
from core.space.plans import Evidence
from core.space.plans.next import Next
from core.space.sums import sum_of, surrogate
from core.space.sweep import over, sweep
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds
from tests.export.by_hand import predict_whole

SPACE = make_space(
    [
        Parameter("lanes", (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)),
        Parameter("depth", (1.0, 2.0, 4.0, 8.0)),
        Parameter("ports", (1.0, 2.0, 3.0)),
    ],
    ["lanes * ports <= 32"],
)
CODES = SPACE.codes(np.arange(SPACE.n_combinations, dtype=np.int64))
CODES = CODES[SPACE.allowed(CODES)]
RANKS = SPACE.ranks(CODES)
X = SPACE.numbers(CODES)
FAMILIES_ASKED = ("splines", "anova", "ols", "extra_trees", "eiger")
INTERVALS = {"splines": "leverage", "anova": "prediction", "ols": "leverage", "extra_trees": "auto", "eiger": "cluster"}
CASES = [(family, policy) for family in FAMILIES_ASKED for policy in EXTRAPOLATION]


@cache
def frame() -> Frame:
    """Trials with lanes from 1 to 8, deep only where wide; each several times, the deeper the noisier."""
    known = (X[:, 0] >= 1) & (X[:, 0] <= 8) & (np.abs(np.log2(np.maximum(X[:, 0], 1) / X[:, 1])) <= 1)
    rows = np.repeat(X[known], 5, axis=0)
    rng = np.random.default_rng(2)
    y = 100 / rows[:, 0] + 8 * rows[:, 1] + 2 * rows[:, 2]
    y *= np.exp(0.02 * rows[:, 1] * rng.standard_normal(len(rows)))
    metrics = [Metric(p.name, Kind.PARAMETER) for p in SPACE.parameters]
    texts = [f"{i}" for i in range(len(rows))]
    return make_frame(rows, y, metrics, Metric("time", Kind.RESPONSE, "s"), parameters=texts)


def model_of(family: str, policy: str) -> FittedPipeline:
    """The model of a family: what it does outside is decided when it is asked."""
    return replace(_trained(family), extrapolation=policy)


@cache
def _trained(family: str) -> FittedPipeline:
    if family == "eiger":
        options = {"clusters": "2", "components": "none", "metric_scale": "log", "least_cluster_trials": "5"}
        recipe = make_recipe("eiger", options)
    else:
        own = {"trees": 20} if family == "extra_trees" else {}
        scale = "raw" if family in ("splines", "anova") else "log"
        recipe = Treated(family=FAMILIES[family](**own), response_scale="log", metric_scale=scale)
    return train(recipe, frame(), parse_folds("kfold:3"), interval=INTERVALS[family]).model


def same(found: object, wanted: object) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), np.asarray(wanted, dtype=float), rtol=1e-9)


def test_the_points_are_of_all_kinds() -> None:
    domain = model_of("ols", FLAG).domain
    beyond = domain.beyond(X).any(axis=1)
    far = domain.too_far(domain.leverage(X))
    assert (beyond & far).any()
    assert (far & ~beyond).any()
    assert (~far & ~beyond).any()
    said = model_of("ols", FLAG).predict(X)  # the logarithm of 0 lanes is a pole
    assert np.isnan(said.value[X[:, 0] == 0]).all()
    assert not said.in_domain[X[:, 0] == 0].any()
    assert model_of("splines", FLAG).interval.by == model_of("ols", FLAG).interval.by == "leverage"
    assert model_of("anova", FLAG).interval.by == "prediction"
    assert len(model_of("eiger", FLAG).clusters) == 2


@pytest.mark.parametrize(("family", "policy"), CASES)
def test_the_policy_holds(family: str, policy: str) -> None:
    model = model_of(family, policy)
    said, outside = model.predict(X), model.leaves(X)
    assert outside[model.domain.leaves(X)].all()
    assert not said.in_domain[outside].any()
    assert all(why for why, out in zip(said.why, outside, strict=True) if out)
    assert (np.isnan(said.value[outside]).all()) == (policy == REFUSE)
    if policy == CLAMP:
        assert np.isfinite(said.value).all()  # held at 1 lane, nothing is at a pole
    np.testing.assert_array_equal(np.isnan(said.value), np.isnan(model.predict_scaled(X)))


@pytest.mark.slow
@pytest.mark.parametrize(("family", "policy"), CASES)
def test_the_file_read_back_and_read_by_hand(family: str, policy: str) -> None:
    model = model_of(family, policy)
    raw = write_model(model)
    ours, again, document = model.predict(X), read_model(raw).predict(X), json.loads(raw)
    assert again.why == ours.why
    for name in ("value", "low", "high", "in_domain"):
        np.testing.assert_array_equal(getattr(again, name), getattr(ours, name))
    for i, row in enumerate(X.tolist()):
        if np.isnan(ours.value[i]) and policy != REFUSE:
            with pytest.raises(ValueError, match=r"domain|positive"):
                predict_whole(document, row)
        elif np.isfinite(ours.value[i]):
            value, low, high, inside = predict_whole(document, row)
            same([value, low, high], [ours.value[i], ours.low[i], ours.high[i]])
            assert inside == ours.in_domain[i]


@pytest.mark.parametrize(("family", "policy"), CASES)
def test_the_command_line_and_the_pages_file_view(family: str, policy: str, tmp_path: Path) -> None:
    model = model_of(family, policy)
    (tmp_path / "model.json").write_bytes(write_model(model))
    pd.DataFrame(X, columns=list(SPACE.names)).to_csv(tmp_path / "rows.csv", index=False)
    names = [str(tmp_path / name) for name in ("model.json", "rows.csv", "said.csv")]
    assert main(["predict", *names[:2], "--out", names[2], "--nearest", "2"]) == 0
    found, ours = (
        pd.read_csv(names[2], keep_default_na=False, na_values={"prediction": "", "low": "", "high": ""}),
        model.predict(X),
    )
    same(found["prediction"], ours.value)
    same(found["low"], ours.low)
    same(found["high"], ours.high)
    assert found["in_domain"].tolist() == ours.in_domain.tolist()
    assert found["why"].tolist() == list(ours.why)
    assert all(text.count("; ") == 1 for text in found["nearest"])


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("family", "policy"), CASES)
def test_the_sweep_by_halves_and_row_by_row(family: str, policy: str, exact: bool) -> None:
    model = model_of(family, policy)
    said: dict[int, float] = {}
    found = sweep(
        *over(SPACE, [model]),
        top=len(X),
        exact=exact,
        watch=lambda values, ranks: said.update(
            zip(ranks(np.arange(len(values))).tolist(), values.tolist(), strict=True)
        ),
    )
    ours = model.predict(X)
    same(model.scale.inverse(np.array([said[r] for r in RANKS.tolist()])), ours.value)
    assert (found.n_points, found.n_inside) == (len(X), int(ours.in_domain.sum()))
    assert found.n_refused == int(np.isnan(ours.value).sum())
    at = {int(r): i for i, r in enumerate(RANKS)}
    for design in found.best:
        i = at[design.rank]
        same([design.value, design.low, design.high], [ours.value[i], ours.low[i], ours.high[i]])
        assert design.why == ours.why[i]


def test_factored_models_are_factored_and_refusing_ones_are_not() -> None:
    for family in ("splines", "anova"):
        assert sum_of(model_of(family, FLAG), SPACE) is not None
        assert sum_of(model_of(family, REFUSE), SPACE) is None


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("family", FAMILIES_ASKED)
def test_the_file_of_points(family: str, suffix: str, tmp_path: Path) -> None:
    model, path = model_of(family, FLAG), str(tmp_path / f"points{suffix}")
    with points_file(path, model, SPACE) as write:
        sweep(*over(SPACE, [model]), watch=write)
    found = pd.read_parquet(path) if suffix == ".parquet" else pd.read_csv(path)
    assert len(found) == len(X)
    ours = model.predict(found[list(SPACE.names)].to_numpy(float))
    for name, values in (("prediction", ours.value), ("low", ours.low), ("high", ours.high)):
        same(found[name], values)
    assert found["in_domain"].tolist() == ours.in_domain.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("family", "policy"), CASES)
def test_what_if_and_its_curves(family: str, policy: str) -> None:
    model = model_of(family, policy)
    of = surrogate(model, SPACE)
    ours = model.predict(X)
    for i in range(0, len(X), 5):
        point = tuple(int(c) for c in CODES[i])
        found = what_if(of, point)
        same([found.answer.value, found.answer.low, found.answer.high], [ours.value[i], ours.low[i], ours.high[i]])
        assert found.answer.why == ours.why[i]
        for one in found.curves:
            number = SPACE.parameters.index(one.parameter)
            codes = np.tile(CODES[i], (SPACE.shape[number], 1))
            codes[:, number] = np.arange(len(codes))
            rows = columns_of(model, SPACE).rows(codes)
            same(one.values, model.predict(rows).value)
            assert one.outside.tolist() == model.leaves(rows).tolist()
            np.testing.assert_array_equal(one.outside, ~model.predict(rows).in_domain)


def test_the_next_designs_are_expected_to_be_what_the_model_says() -> None:
    model = model_of("anova", FLAG)
    found = Next(criterion="variance").propose(SPACE, 4, Evidence(model))
    same(found.expected, model.predict(SPACE.numbers(found.codes)).value)
