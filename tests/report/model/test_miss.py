"""Why a group is predicted wrong, against loops by hand, and what is said of groups whose trouble is known."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, OptionError
from core.models import FAMILIES
from core.recipes import Treated, make_recipe, validate
from core.report.figures.effects import miss_bars
from core.report.model.miss import Miss, miss
from core.report.model.miss_parts import ABSOLUTE, FACTOR, RELATIVE, on_scale
from core.report.model.miss_words import (
    lines,
    near_table,
    parts_table,
    runs_table,
    untrained_table,
    verdict,
)
from core.report.model.untrained import ABOVE, BETWEEN, CONSTANT, axes_of, movement, untrained
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import FoldPlan
from tests.report.model.test_why import brute

APPS, SIZES = 7, 6
BY = FoldPlan("by", column="application")


def frame(trouble: str = "", *, shift: float = 0.0, log: bool = True) -> Frame:
    """Applications of which app3 is slower than its metrics tell, or has more of a metric than any other."""
    rng = np.random.default_rng(5)
    X = rng.lognormal(1.0, 0.6, (APPS * SIZES, 4))
    X[:, 3] = 2.0
    X = X if trouble == "constant" else X[:, :3]
    app = np.repeat(np.arange(APPS), SIZES)
    if trouble == "beyond":
        X[app == 3, 0] *= 30
    if trouble == "constant":
        X[app == 3, 3] = 5.0
    y = X[:, 0] ** 1.5 * (1 + X[:, 1]) * rng.lognormal(0, 0.02, len(X))
    y = np.where((app == 3) & (trouble in ("hidden", "constant")), 8 * y, y)
    y = (y if log else np.clip(y, 8, 60)) - shift
    metrics = [Metric(f"m{j}", Kind.PARAMETER) for j in range(X.shape[1])]
    labels = {"application": [f"app{i}" for i in app], "input": [f"i{i}" for i in range(len(X))]}
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s"), labels)


def found(trials: Frame, family: str, group: str = "", runs: int = 0, **options: str) -> Miss:
    return miss(make_recipe(family, options), trials, BY, group, runs=runs)


def without(trials: Frame, group: str) -> tuple[np.ndarray, np.ndarray]:
    own = np.array(trials.labels["application"]) == group
    return np.flatnonzero(own), np.flatnonzero(~own)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ridge", "stepwise", "extra_trees", "eiger"])
@pytest.mark.parametrize("measure", [FACTOR, RELATIVE, ABSOLUTE])
def test_parts_add_up_to_the_error(family: str, measure: str) -> None:
    trials = frame("hidden", log=measure == FACTOR, shift=30.0 if measure == ABSOLUTE else 0.0)
    told = found(trials, family, "app3")
    parts = told.split
    assert told.measure == (FACTOR if family == "eiger" and measure == RELATIVE else measure)
    assert parts is not None
    assert parts.error == pytest.approx(told.error)
    for drivers in (parts.metrics, parts.terms or parts.metrics):
        pushes = sum(d.push for d in drivers)
        assert parts.near + pushes + parts.held + parts.measured == pytest.approx(told.error, abs=1e-9)
    assert bool(parts.terms) == (family != "extra_trees")
    assert sum(parts_table(told, parts)["share of the error (%)"]) == pytest.approx(100)


@pytest.mark.parametrize("family", ["ridge", "extra_trees"])
def test_parts_are_those_of_a_loop_by_hand(family: str) -> None:
    trials = frame("beyond")
    told = found(trials, family, "app3")
    own, rest = without(trials, "app3")
    model = make_recipe(family).fit(trials.take(rest))
    T, weights = trials.X[rest], movement(model, trials.X[rest])
    near = moved = 0.0
    pushes, z = np.zeros(3), np.log(trials.y)
    for i in own:
        x = trials.X[i]
        square = np.zeros(len(rest))
        for j in range(3):
            a, b = T[:, j], x[j]
            if max(a) / min(min(a), min(trials.X[own, j])) > 10:
                a, b = np.log(a), np.log(b)
            if np.std(a) > 0:
                square += (weights[j] * (a - b) / np.std(a)) ** 2
        places = np.argsort(square, kind="stable")[:5]
        sign = np.sign(model.predict_plain(x[None])[0] - z[i])
        near += sign * (model.unheld().predict_plain(T[places]).mean() - z[rest][places].mean()) / len(own)
        moved -= sign * (z[i] - z[rest][places].mean()) / len(own)
        pushes += sign * brute(model, x, T[places]) / len(own)
    assert told.split is not None
    assert (told.split.near, told.split.measured) == (pytest.approx(near), pytest.approx(moved))
    by_name = {d.name: d.push for d in told.split.metrics}
    assert [by_name.get(f"m{j}", 0.0) for j in range(3)] == pytest.approx(pushes.tolist(), abs=1e-9)


def test_errors_are_those_of_the_validation_and_the_worst_group_is_taken() -> None:
    trials = frame("hidden")
    told = found(trials, "ridge")
    known = validate(make_recipe("ridge"), trials, BY)
    for name, error in told.errors:
        own, _ = without(trials, name)
        expected = [abs(np.log(known.predicted[i] / trials.y[i])) for i in own]
        assert error == pytest.approx(np.mean(expected))
    assert (told.group, told.n, told.n_refused) == ("app3", SIZES, 0)
    assert told.bias == pytest.approx(-told.error)
    assert miss(make_recipe("ridge"), trials, BY, validation=known, runs=0) == told


def test_a_further_run_is_learnt_and_the_others_are_scored() -> None:
    trials = frame("hidden")
    told = found(trials, "ridge", "app3", runs=3)
    own, rest = without(trials, "app3")
    before = make_recipe("ridge").fit(trials.take(rest))
    assert len(told.runs) == 3
    for run in told.runs:
        taken = next(i for i in own if trials.what_ran[i] == run.name)
        others = [i for i in own if i != taken]
        after = make_recipe("ridge").fit(trials.take(np.sort([*rest, taken])))
        for model, error in ((before, run.before), (after, run.after)):
            each = [abs(np.log(model.predict(trials.X[i : i + 1]).value[0] / trials.y[i])) for i in others]
            assert error == pytest.approx(np.mean(each))
        assert run.n_rest == SIZES - 1
    axes = axes_of(before, trials.X[rest], trials.X[own])
    places = axes.places(trials.X[own])
    sums = [sum(np.linalg.norm(a - b) for b in places) for a in places]
    assert told.runs[0].name == trials.what_ran[own[int(np.argmin(sums))]]
    assert len({run.name for run in told.runs}) == 3


def test_what_was_never_trained_is_found_and_ranked() -> None:
    trials = frame("beyond")
    own, rest = without(trials, "app3")
    model = make_recipe("ridge").fit(trials.take(rest))
    T, G = trials.X[rest].copy(), trials.X[own].copy()
    T[:, 2] = np.where(T[:, 2] < 2, 1.0, 9.0)
    T[:, 1] = G[:, 1] = 2.0
    G[:, 2], G[0, 1] = 5.0, 4.0
    told = untrained(model, axes_of(model, T, G), T, G)
    places = {u.metric.name: u for u in told}
    assert (places["m0"].where, places["m2"].where, places["m1"].where) == (ABOVE, BETWEEN, CONSTANT)
    assert places["m0"].share == pytest.approx(np.mean(G[:, 0] > T[:, 0].max()))
    assert (places["m2"].low, places["m2"].high) == (1.0, 9.0)
    assert (places["m1"].share, places["m1"].weight, places["m1"].rank) == (1 / SIZES, 0.0, 0.0)
    assert told[0].metric.name == "m0"
    assert [u.rank for u in told] == sorted((u.rank for u in told), reverse=True)
    out = G[G[:, 0] > T[:, 0].max(), 0]
    low, high = T[:, 0].min(), T[:, 0].max()
    assert high / low < 10
    assert places["m0"].far == pytest.approx(np.mean([(v - high) / (high - low) for v in out]))
    within = untrained(model, axes_of(model, T, T), T, T)
    assert within == ()


def test_the_nearest_groups_are_those_of_a_loop() -> None:
    trials = frame()
    told = found(trials, "ridge", "app2")
    own, rest = without(trials, "app2")
    model = make_recipe("ridge").fit(trials.take(rest))
    places = axes_of(model, trials.X[rest], trials.X[own]).places(trials.X)
    texts = np.array(trials.labels["application"])
    far = {
        name: np.median([min(np.linalg.norm(places[i] - places[j]) for j in rest if texts[j] == name) for i in own])
        for name in set(texts[rest])
    }
    nearest = sorted(far, key=lambda name: far[name])[:3]
    assert [n.name for n in told.near] == nearest
    assert [n.distance for n in told.near] == pytest.approx([far[name] for name in nearest])
    usual = [min(np.linalg.norm(places[i] - places[j]) for j in rest if texts[j] != texts[i]) for i in rest]
    assert told.usual == pytest.approx(np.median(usual))
    assert [n.error for n in told.near] == [dict(told.errors)[name] for name in nearest]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (
            "hidden",
            (
                "too low, by a factor of 6",
                "was measured, and the prediction does not follow",
                "where others were trained",
            ),
        ),
        ("beyond", ("too high", "the prediction moves", "was measured", "m0 (", "lies above everything trained")),
        ("constant", ("too low", "does not follow", "m3 never varied in training, so the model knows nothing of it")),
    ],
)
def test_the_verdict_names_the_trouble(trouble: str, words: tuple[str, ...]) -> None:
    running_on = Treated(family=FAMILIES["ridge"](), extrapolation="flag")
    said = verdict(miss(running_on, frame(trouble), BY, "app3", runs=2))
    assert said.startswith("app3 is predicted ")
    assert "one run of its own" in said
    for word in words:
        assert word in said
    assert said.count("\n") == 0


def test_a_group_like_others_is_said_to_be_one_and_a_refused_one_is_none() -> None:
    assert "about as well as others" in verdict(found(frame(), "ridge", "app1"))
    treated = Treated(make_recipe("ridge").family, extrapolation="refuse")
    gone = miss(treated, frame("beyond"), BY, "app3", runs=2)
    assert gone.n_refused + gone.n == SIZES
    assert gone.n_refused > 0
    assert any("refused: no prediction" in line for line in lines(gone, 3))
    if gone.n == 0:
        assert verdict(gone).startswith("app3 has no prediction: m0 = ")


def test_where_every_group_is_refused_the_first_one_is_told_of() -> None:
    trials = frame()
    app = np.array([int(text[3:]) for text in trials.labels["application"]])
    far = replace(trials, X=trials.X * np.where(np.arange(3) == app[:, None] % 3, 1 + 100.0 * (app[:, None] // 3), 1.0))
    own = far.take(np.flatnonzero(app >= 4))
    refusing = Treated(make_recipe("ridge").family, extrapolation="refuse")
    told = miss(refusing, own, BY, runs=0)
    assert (told.group, told.n, told.errors) == ("app4", 0, ())
    said = lines(told, 3)
    assert said[0].startswith("app4 has no prediction: ")
    assert said[1].startswith(f"  {SIZES} trials, leaving out each application; {SIZES} of them outside")


@pytest.mark.parametrize("kind", [Kind.PARAMETER, Kind.COUNTER])
def test_runs_of_one_name_are_told_apart(kind: Kind) -> None:
    trials = frame("beyond")
    same = replace(
        trials,
        metrics=tuple(replace(metric, kind=kind) for metric in trials.metrics),
        labels={**trials.labels, "input": ("",) * len(trials)},
    )
    names = [run.name for run in found(same, "ridge", "app3", runs=4).runs]
    assert len(set(names)) == 4
    assert all(name.startswith("app3 · ") for name in names)
    assert all(("m0 " in name) == (kind is Kind.PARAMETER) for name in names)


def test_lines_tables_and_the_picture_say_the_same() -> None:
    told = found(frame("beyond"), "ridge", "app3", runs=2)
    said = lines(told, 2)
    assert said[0] == verdict(told)
    assert sum("near:" in line for line in said) == len(near_table(told)) == 3
    assert sum("one run more" in line for line in said) == len(runs_table(told)) == 2
    assert untrained_table(told)["metric"][0] == "m0"
    assert told.split is not None
    picture = miss_bars(told, told.split)
    bars = [x for trace in picture.figure.data for x in trace.x]
    assert sum(bars) == pytest.approx(100)
    assert verdict(told) in picture.alt


def test_groups_and_folds_that_cannot_be_are_a_sentence() -> None:
    with pytest.raises(OptionError, match="by:application"):
        miss(make_recipe("ridge"), frame(), FoldPlan("kfold", 5))
    with pytest.raises(OptionError, match="app9"):
        found(frame(), "ridge", "app9")
    with pytest.raises(FitError, match="no column 'planet'"):
        miss(make_recipe("ridge"), frame(), FoldPlan("by", column="planet"), "mars")


def test_several_groups_held_out_together_are_no_part_of_the_training() -> None:
    trials, plan = frame("hidden"), FoldPlan("by", 3, "application")
    told = miss(make_recipe("ridge"), trials, plan, "app3", runs=0)
    own = np.flatnonzero(np.array(trials.labels["application"]) == "app3")
    fold = next(f for f in plan.split(trials) if own[0] in f.test)
    model = make_recipe("ridge").fit(trials.take(np.setdiff1d(np.arange(len(trials)), fold.test)))
    assert told.error == pytest.approx(
        np.abs(on_scale(model, trials.y[own], trials.X[own]) - model.predict_plain(trials.X[own])).mean()
    )
    held = {trials.labels["application"][i] for i in fold.test}
    assert not held & {n.name for n in told.near}
