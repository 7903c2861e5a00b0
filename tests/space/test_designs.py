"""Designs recommended under limits: nothing better exists, no limit is broken, probabilities and gains are what they say."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, validate
from core.report.space.decision import decision_table, plain, runs_sentence, sentence, told_of
from core.space._reductions import front
from core.space.believed import Believed, believe_in
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.designs import decide, one_more
from core.space.distinct import ALIKE, expected_best, unbeaten
from core.space.offered import Question, neighbours, offered
from core.space.plans import Evidence
from core.space.sums import surrogate
from core.space.sweep import over, sweep
from core.space.wishes import read_wishes
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds
from core.workspace import ROOT
from tests.space.made import every, grid, measured, pipeline, spline_model

SAMPLE = Path(ROOT) / "data" / "samples" / "design_space" / "trials.csv.gz"


def ask(
    space: DesignSpace,
    models: dict[str, FittedPipeline],
    goals: dict[str, str],
    limits: list[str],
    *,
    outside: bool = False,
) -> Question:
    wishes = read_wishes(goals, limits, tuple(models), space)
    named = {name: believe_in(Evidence(model), wishes.space) for name, model in models.items() if name in wishes.names}
    return Question(wishes, named, outside)


def made(
    *sizes: int, shrink: int = 0, constraints: tuple[str, ...] = ()
) -> tuple[DesignSpace, dict[str, FittedPipeline]]:
    space = grid(*sizes, constraints=constraints)
    terms = [(0,), (1,), (0, 1), (2,)]
    models = {n: pipeline(space, spline_model(space, terms, i), shrink=shrink) for i, n in enumerate(("time", "power"))}
    return space, models


def sample() -> tuple[DesignSpace, Frame]:
    """A loop of the shipped sample: every combination of its parameters was measured."""
    rows = pd.read_csv(SAMPLE).rename(columns=lambda c: c.split(" (")[0])
    rows = rows[(rows.kernel == rows.kernel[0]) & (rows.variant == rows.variant[0])]
    names = [n for n in rows.columns if n not in ("kernel", "variant", "cycles")]
    space = make_space([Parameter(n, tuple(sorted(float(v) for v in rows[n].unique()))) for n in names])
    metrics = [Metric(n, Kind.PARAMETER) for n in names]
    return space, make_frame(
        rows[names].to_numpy(float), rows.cycles.to_numpy(float), metrics, Metric("cycles", Kind.RESPONSE)
    )


@pytest.mark.parametrize("limits", [[], ["area = 3*register_file + 20*dispatch_width <= 250", "cycles > 2000"]])
def test_on_the_sample_the_answer_is_that_of_full_enumeration(limits: list[str]) -> None:
    space, frame = sample()
    some = np.sort(np.random.default_rng(0).permutation(len(frame))[:300])
    model = make_recipe("splines").fit(frame.take(some))
    question = ask(space, {"cycles": model}, {"cycles": "low"}, limits)
    points = space.numbers(every(space))
    said = model.predict(points[:, [space.names.index(n) for n in model.names]])
    area = 3 * points[:, space.names.index("register_file")] + 20 * points[:, space.names.index("dispatch_width")]
    good = said.in_domain & (said.value >= 0) & ((area <= 250) & (said.value > 2000) if limits else True)
    found = decide(question)
    best = np.where(good, said.value, np.inf).argmin()
    assert found.alternatives[0].goals[0] == pytest.approx(said.value[best], rel=1e-9)
    assert found.offered.n_feasible == good.sum()
    two = ask(space, {"cycles": model}, {"cycles": "low", "3*register_file + 20*dispatch_width": "low"}, limits)
    shown = {tuple(row) for row in np.round(offered(two).worth.T, 6).tolist()}
    pairs = np.column_stack([said.value, area])[good]
    ahead = [not ((pairs <= p).all(axis=1) & (pairs < p).any(axis=1)).any() for p in pairs]
    assert shown == {tuple(row) for row in np.round(pairs[ahead], 6).tolist()}


@settings(max_examples=40, deadline=None)
@given(
    low=st.floats(0.3, 3.0),
    area=st.integers(4, 60),
    sense=st.sampled_from(["low", "high"]),
    outside=st.booleans(),
    n=st.integers(1, 9),
)
def test_a_limit_is_never_broken(low: float, area: int, sense: str, outside: bool, n: int) -> None:
    space, models = made(4, 4, 4, shrink=1, constraints=("a <= 2 * b",))
    limits = [f"power < {low}", f"area = 3*a + b*c <= {area}", "area >= 5"]
    try:
        found = decide(ask(space, models, {"time": sense}, limits, outside=outside), n)
    except OptionError as error:
        assert "none fulfils" in str(error) or "No design fulfils" in str(error)
        return
    for one in found.alternatives:
        levels = [
            p.levels if v is None else (v,) for p, v in zip(found.question.space.parameters, one.point, strict=True)
        ]
        for a, b, c in product(*levels):
            if a > 2 * b or not 5 <= 3 * a + b * c <= area:
                continue
            said = models["power"].predict(np.array([[a, b, c]], dtype=float))
            assert said.value[0] < low
            assert outside or said.in_domain[0]
        values = dict(zip("abc", found.question.space.texts(one.codes[None])[0], strict=True))
        assert values["a"] <= 2 * values["b"]
        assert 5 <= 3 * values["a"] + values["b"] * values["c"] <= area


def test_outside_the_evidence_only_if_asked() -> None:
    space, models = made(6, 5, 3, shrink=2)
    inner = decide(ask(space, models, {"time": "low"}, []), 9)
    outer = decide(ask(space, models, {"time": "low"}, [], outside=True), 9)
    assert not any(one.outside for one in inner.alternatives)
    assert outer.alternatives[0].goals[0] <= inner.alternatives[0].goals[0]
    assert any(one.outside for one in outer.alternatives)


def test_a_time_below_0_is_never_offered() -> None:
    space = grid(5, 4)
    model = pipeline(space, spline_model(space, [(0,), (1,)], 3), scale="raw")
    said = model.predict(space.numbers(every(space))).value
    assert (said < 0).any()
    found = decide(ask(space, {"time": model}, {"time": "low"}, []))
    assert found.alternatives[0].goals[0] == pytest.approx(said[said >= 0].min())


def test_alternatives_differ_where_it_matters() -> None:
    space = grid(5, 4, 3, 3)
    model = pipeline(space, spline_model(space, [(0,), (1,), (0, 1)], 1))
    found = decide(ask(space, {"time": model}, {"time": "low"}, []))
    points = [one.point for one in found.alternatives]
    assert all(point[2] is None and point[3] is None for point in points)
    assert len(set(points)) == len(points) > 1
    best = found.alternatives[0]
    free = [p.levels if v is None else (v,) for p, v in zip(space.parameters, best.point, strict=True)]
    values = model.predict(np.array(list(product(*free)), dtype=float)).value
    assert np.ptp(values) <= 2 * ALIKE * values.min()
    assert "any" in decision_table(found).to_string()


@pytest.mark.slow
def test_large_spaces_are_searched_and_sums_eliminated() -> None:
    space = grid(*[8] * 9)
    model = pipeline(space, spline_model(space, [*((i,) for i in range(9)), (0, 1), (3, 7)], 2))
    exact = decide(ask(space, {"time": model}, {"time": "low"}, []), 3)
    assert "exactly, by elimination" in exact.offered.how
    searched = decide(ask(space, {"time": model}, {"time * 2": "low"}, ["a + b <= 300"]), 3)
    assert "drawn ones, then neighbours" in searched.offered.how
    assert searched.alternatives[0].goals[0] == pytest.approx(2 * exact.alternatives[0].goals[0])
    assert space.shape == (8,) * 9
    assert len(neighbours(space, exact.alternatives[0].codes)) == 9 * 7


@pytest.mark.slow
def test_limits_and_fronts_of_large_spaces_are_those_of_all_designs() -> None:
    space = grid(*[7] * 8)
    terms = [*((i,) for i in range(8)), (0, 1), (3, 7)]
    models = {name: pipeline(space, spline_model(space, terms, i)) for i, name in enumerate(("time", "power"))}
    middle = sweep(*over(space, [models["power"]]), top=1000).best[-1].value
    found = decide(ask(space, models, {"time": "low"}, [f"power <= {middle}"], outside=True), 3)
    swept = sweep(*over(space, list(models.values()), ranges=[(0.0, middle)]), top=1).best[0]
    assert "exactly, by the models' tables" in found.offered.how
    assert found.alternatives[0].goals[0] == pytest.approx(swept.value)
    front = offered(ask(space, models, {"time": "low", "power": "low"}, [], outside=True))
    assert "the front was found exactly" in front.how
    whole = sweep(*over(space, list(models.values()), ("low", "low")))
    assert space.ranks(front.codes).tolist() == [one.rank for one in whole.best]


@pytest.mark.slow
def test_the_sentence_names_the_design_that_surely_meets_the_limits() -> None:
    space, one = believed(0.05)
    values = one.values(every(space))
    wishes = read_wishes({"time": "high"}, [f"time <= {float(np.quantile(values, 0.3))}"], ("time",), space)
    found = decide(Question(wishes, {"time": one}))
    said = sentence(found)
    place = next((i for i, a in enumerate(found.alternatives) if a.meets >= 0.9), 0)
    chosen = found.alternatives[place]
    assert said.startswith(f"a {chosen.point[0]:g} · b") or chosen.point[0] is None
    assert f"meets time <= {float(np.quantile(values, 0.3))} with" in said
    assert ("; the next higher, " in said) is (place > 0)
    assert told_of(found, chosen) == plain(found, chosen)["chosen"]["sentence"]
    assert "It meets time <=" in told_of(found, chosen)


def test_formulas_over_models_and_three_goals() -> None:
    space, models = made(5, 4, 3)
    found = decide(
        ask(space, models, {"energy": "low", "a": "high", "time": "low"}, ["energy = time * power", "power < 20"])
    )
    said = [m.predict(space.numbers(every(space))).value for m in models.values()]
    good = said[1] < 20
    assert found.alternatives[0].goals[0] == pytest.approx((said[0] * said[1])[good].min())
    assert found.alternatives[0].values["power"] < 20
    rows = np.array([one.goals * [1, -1, 1] for one in found.alternatives]).T
    assert len(front(rows)) == len(found.alternatives)


def test_a_design_that_is_the_best_in_every_goal_is_said_once() -> None:
    space, models = made(5, 4, 3)
    said = sentence(decide(ask(space, {"time": models["time"]}, {"time": "low", "2 * time": "low"}, [])))
    assert " should be the best in every goal: time " in said
    assert "front" not in said


def test_wrong_wishes_are_one_sentence() -> None:
    space, models = made(3, 3, 3)
    doubled = ["d0 = a + a", *(f"d{i + 1} = d{i} + d{i}" for i in range(40))]
    nested = ["d0 = a", *(f"d{i + 1} = {100 * '-'}d{i}" for i in range(12)), "d12 < 5"]
    for goals, limits, says in (
        ({"speed": "low"}, [], "there is no parameter 'speed'"),
        ({}, [], "one to 3 goals"),
        ({"time": "low"}, ["power <"], "cannot be read"),
        ({"time": "low"}, ["time.real < 3"], "uses what a constraint cannot"),
        (
            {"time": "low"},
            ["a = 4"],
            "'a' is a parameter or response, and cannot be defined. Write 'a == 4' for a limit",
        ),
        ({"time*a": "low"}, ["power = 2*a"], "'power' is a parameter or response, and cannot be defined"),
        ({"time": "low"}, doubled, "has more than 2,000 parts"),
        ({"time": "low"}, nested, "more than 150 deep"),
        ({"time < 5": "low"}, [], "'time < 5' is a comparison, where a number is asked for"),
        ({"time": "low"}, ["a > 9"], "No design fulfils"),
        ({"time": "low"}, ["power < 0"], "none fulfils power < 0"),
    ):
        with pytest.raises(OptionError, match=says):
            decide(ask(space, models, goals, limits))
    with pytest.raises(OptionError, match="both called 'a'"):
        read_wishes({"a": "low"}, [], ("a",), space)


def believed(noise: float, n: int = 60) -> tuple[DesignSpace, Believed]:
    space = grid(6, 6, 5)
    codes = every(space)[np.random.default_rng(1).permutation(180)[:n]]
    return space, believe_in(Evidence(frame=measured(space, codes, noise)), space)


def test_what_was_measured_is_as_it_was_measured() -> None:
    space, one = believed(0.01)
    known = space.codes(one.measured[0])
    joint = one.joint(known)
    np.testing.assert_allclose(one.values(known), np.exp(one.measured[1]))
    assert (joint.doubt == 0).all()
    others = every(space)[~np.isin(space.ranks(every(space)), one.measured[0])]
    assert (one.joint(others).doubt > 0).all()


def test_probabilities_come_true_on_designs_that_were_not_measured() -> None:
    space, one = believed(0.01)
    others = every(space)[~np.isin(space.ranks(every(space)), one.measured[0])]
    true = np.log(measured(space, others, 0.0).y)
    order = np.argsort(space.ranks(space.encode(measured(space, others, 0.0).X.tolist())))
    others, true = others[np.argsort(space.ranks(others))], true[order]
    drawn = one.joint(others, orders=True).draws(400, 0)
    first, second = np.random.default_rng(0).integers(0, len(others), (2, 3000))
    p = (drawn[:, first] < drawn[:, second]).mean(axis=0)
    came = true[first] < true[second]
    sure = p > 0.9
    assert came[sure].mean() > 0.85
    middle = (p > 0.3) & (p < 0.7)
    assert 0.3 < came[middle & (true[first] != true[second])].mean() < 0.7


def test_an_interval_holds_the_value_that_it_stands_beside() -> None:
    """Errors that grow with the distance from the mean carried both ends past a value far from it: 1.11, 0.95 to 1.01."""
    space, one = believed(0.01)
    model = made(6, 6, 5)[1]["time"]
    assert one.doubt is not None
    sure = replace(one.doubt, sizes=replace(one.doubt.sizes, slope=1.5, shared=1e-6, alone=1e-6), toward=0.0)
    wishes = read_wishes({"time": "low"}, [], ("time",), space)
    asked = replace(one, asked=surrogate(model, space), doubt=sure)
    found = decide(Question(wishes, {"time": asked}, True), 5)
    unmeasured = every(space)[~np.isin(space.ranks(every(space)), one.measured[0])]
    for point in unmeasured[::20]:
        offer = one_more(found, point)
        assert offer.low[0] <= offer.goals[0] <= offer.high[0]


def test_a_test_on_unseen_trials_that_is_done_is_not_done_again() -> None:
    space, frame = sample()
    known = frame.take(np.arange(0, len(frame), 20))
    recipe = make_recipe("ridge")

    def never(frame: Frame, progress: object) -> FittedPipeline:
        raise AssertionError("it was fitted again")

    tested = validate(recipe, known, parse_folds("kfold:5"), 0)
    own = believe_in(Evidence(recipe.fit(known), known, recipe.fit), space)
    found = believe_in(Evidence(recipe.fit(known), known, never, tested), space)
    assert found.doubt is not None
    assert own.doubt is not None
    assert (found.doubt.sizes, found.doubt.toward, found.doubt.ends) == (
        own.doubt.sizes,
        own.doubt.toward,
        own.doubt.ends,
    )
    for other in (tested, validate(recipe, known, parse_folds("loo"), 0)):  # of others, or without pairs to compare
        rows = known.take(np.arange(len(known) - 5)) if other is tested else known
        with pytest.raises(AssertionError, match="fitted again"):
            believe_in(Evidence(recipe.fit(known), rows, never, other), space)


@pytest.mark.slow
def test_what_trees_know_and_the_model_does_not_is_no_doubt() -> None:
    space, frame = sample()
    order = np.random.default_rng(5).permutation(len(frame))
    known, asked = frame.take(np.sort(order[:150])), frame.take(np.sort(order[150:350]))
    recipe = make_recipe("anova")
    one = believe_in(Evidence(recipe.fit(known), known, recipe.fit), space)
    assert one.doubt is not None
    assert 0.2 < one.doubt.toward <= 1.0
    codes, z = space.encode(asked.X.tolist()), np.log(asked.y)
    assert one.asked is not None
    model, trees = (
        np.log(one.asked.values(codes)),
        believe_in(Evidence(frame=known), space).joint(codes, orders=True).mean,
    )
    np.testing.assert_allclose(one.joint(codes, orders=True).mean, model + one.doubt.toward * (trees - model))
    without = replace(one, doubt=replace(one.doubt, toward=0.0))
    first, second = np.random.default_rng(0).integers(0, len(z), (2, 3000))
    first, second = first[z[first] != z[second]], second[z[first] != z[second]]

    def surprise(said: Believed) -> float:
        drawn = said.joint(codes, orders=True).draws(400, 0)
        p = (drawn[:, first] < drawn[:, second]).mean(axis=0).clip(0.01, 0.99)
        return -float(np.log(np.where(z[first] < z[second], p, 1 - p)).mean())

    assert surprise(one) < 0.8 * surprise(without)


@pytest.mark.slow
def test_gains_and_the_sentence_that_says_stop() -> None:
    space, one = believed(0.01)
    wishes = read_wishes({"time": "low"}, [], ("time",), space)
    found = decide(Question(wishes, {"time": one}))
    assert found.sure
    assert found.gains[10] >= found.gains[1] >= 0
    assert sum(a.best for a in found.alternatives) <= 1 + 1e-9
    np.testing.assert_allclose(found.beats + found.beats.T, 1.0)
    assert runs_sentence(found, 1.0).startswith("Stop: the next ten runs would change nothing")
    assert "does not pay" in runs_sentence(found, -1.0, 1e9)
    assert sentence(found) == plain(found)["sentence"]
    first, *others = found.alternatives
    turned = (replace(first, best=0.13), replace(others[0], best=0.8), *(replace(one, best=0.02) for one in others[1:]))
    assert "is the best more probably: 80 %, against 13 %." in sentence(replace(found, alternatives=turned))
    whole = Question(wishes, {"time": believe_in(Evidence(frame=measured(space, every(space))), space)})
    assert runs_sentence(decide(whole)).startswith("Stop")


def test_a_goal_is_called_as_the_data_call_it() -> None:
    space = grid(3, 3)
    frame = replace(measured(space, every(space)), response=Metric("Power A7", Kind.RESPONSE, "W"))
    known = believe_in(Evidence(frame=frame), space)
    found = decide(Question(read_wishes({"Power_A7": "low"}, [], ("Power_A7",), space), {"Power_A7": known}))
    assert runs_sentence(found).endswith("of Power A7).")
    assert "Power A7 (W), lowest" in decision_table(found)
    assert plain(found)["goals"] == [{"goal": "Power_A7", "good": "low"}]  # as formulas call it
    named = decide(Question(read_wishes({"p": "low"}, [], ("p",), space), {"p": known}))
    assert runs_sentence(named).endswith("of p).")


def test_the_expected_best_of_few_is_chosen_greedily() -> None:
    goals = np.array([[1.0, 5.0, 2.0], [5.0, 1.0, 2.0]])
    assert expected_best(goals, np.full(2, np.inf), 1) == [2]
    assert expected_best(goals, np.full(2, np.inf), 2)[1] in (0, 1)


def test_designs_that_tie_are_both_unbeaten() -> None:
    tied = np.array([[[3.0, 3.0, 4.0], [3.0, 3.0, 5.0]]])
    assert unbeaten(tied).tolist() == [1.0, 1.0, 0.0]
    split = np.array([[[1.0, 2.0], [2.0, 1.0]], [[2.0, 1.0], [1.0, 1.0]]])
    assert unbeaten(split).tolist() == [0.5, 1.0]


def test_intervals_of_designs_that_were_chosen_hold_their_truth() -> None:
    """As the best of many, beyond all that was measured: held-out trials, which nobody chose, err less."""
    levels = (1.0, 2.0, 4.0, 8.0, 16.0)
    space = make_space([Parameter(name, levels) for name in "abcdef"])

    def law(X: np.ndarray) -> np.ndarray:
        a, b, c, d, e, f = X.T
        return (0.5 + 1 / np.sqrt(a)) * (0.5 + b**-0.3) * (1 + 0.4 / c) * (1 + d / (8 + 4 * e)) + 0.05 * np.sqrt(f)

    recipe, inside, narrow = make_recipe("anova"), list[bool](), list[bool]()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        codes = rng.integers(len(levels), size=(100, 6))
        metrics = [Metric(name, Kind.PARAMETER) for name in space.names]
        y = law(space.numbers(codes)) * np.exp(rng.normal(0, 0.01, len(codes)))
        ids = [str(rank) for rank in space.ranks(codes)]
        frame = make_frame(space.numbers(codes), y, metrics, Metric("time", Kind.RESPONSE, "s"), parameters=ids)
        believed = believe_in(Evidence(recipe.fit(frame), frame, recipe.fit), space, seed=seed)
        wishes = read_wishes({"time": "low"}, [], ("time",), space)
        for one in decide(Question(wishes, {"time": believed}), seed=seed).alternatives:
            true = float(law(space.numbers(one.codes[None]))[0])
            if not one.measured:
                inside.append(bool(one.low[0] <= true <= one.high[0]))
                low, high = np.quantile(believed.draws(one.codes[None], 4000, seed), [0.05, 0.95])
                narrow.append(bool(low <= true <= high))
    assert len(inside) >= 10
    assert np.mean(inside) >= 0.4 > 0.2 > np.mean(narrow)  # another processor's roundings choose other designs
