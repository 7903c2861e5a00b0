"""Designs that are good for several applications: as full enumeration says, and as sure as they are."""

from itertools import product

import numpy as np
import pytest

from core.errors import OptionError
from core.progress import silent
from core.recipes import make_recipe
from core.report.space.decision import decision_table, plain, sentence
from core.scale import ResponseScale
from core.space.applications import AS_FACTOR, EACH, Applications, ask_over, believe_in_several, several_of
from core.space.believed import Believed
from core.space.design_space import DesignSpace
from core.space.designs import decide
from core.space.mix import GEOMEAN, MEAN, SLOWDOWN, WORST, Mix, Several, over, with_mix
from core.space.offered import Question, offered
from core.space.plans import Evidence
from core.space.sums import surrogate
from core.space.wishes import Wishes, read_wishes
from core.trial import Frame, Kind, Metric, make_frame
from tests.space.made import every, grid, pipeline, spline_model

APPS = ("fft", "gemm-1", "gemm 1")
SEVERAL = Several("application", APPS, ("time", "power"), {("time", app): (2.0 + i, 9.0) for i, app in enumerate(APPS)})
TERMS = [(0,), (1,), (0, 1), (2,)]


def ask(space: DesignSpace, goals: dict[str, str], limits: list[str], *, scale: str = "log") -> Question:
    wishes = read_wishes(goals, limits, SEVERAL.responses, space, SEVERAL)
    found = {}
    for i, (response, app) in enumerate(product(SEVERAL.responses, APPS)):
        terms = [*TERMS, *((k,) for k in range(3, len(space.shape)))]
        model = pipeline(space, spline_model(space, terms, i), shrink=1, scale=scale)
        asked = surrogate(model, wishes.space)
        name = SEVERAL.own(response, app)
        level = 1.0 + i
        found[name] = Believed(wishes.space, Evidence(model), ResponseScale(scale), asked, None, level)
    return Question(wishes, {name: one for name, one in found.items() if name in wishes.names})


def brute(question: Question, how: str, weights: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The goal on time at designs, one after another."""
    said = np.array([question.responses[SEVERAL.own("time", app)].values(codes) for app in APPS])
    if how == GEOMEAN:
        return np.prod(said ** (weights / weights.sum())[:, None], axis=0)
    if how == MEAN:
        return (said * weights[:, None]).sum(axis=0) / weights.sum()
    best = np.array([SEVERAL.best["time", app][0] for app in APPS]) if how == SLOWDOWN else np.ones(3)
    return (said * (weights / best)[:, None]).max(axis=0)


@pytest.mark.parametrize("how", [GEOMEAN, MEAN, WORST, SLOWDOWN])
@pytest.mark.parametrize("limits", [[], ["power < 7", "a*b <= 32"]])
def test_the_answer_is_that_of_full_enumeration(how: str, limits: list[str]) -> None:
    space = grid(5, 5, 4)
    question = ask(space, {f"time over applications by {how} with fft=2, gemm 1=0.5": "low"}, limits)
    codes = every(question.space)
    values = brute(question, how, np.array([2.0, 1.0, 0.5]), codes)
    good = ~question.leaves(codes)
    if limits:
        power = [question.responses[SEVERAL.own("power", app)].values(codes) for app in APPS]
        good &= (np.array(power) < 7).all(axis=0)
    found = offered(question)
    assert found.n_feasible == good.sum() > 0
    np.testing.assert_allclose(found.worth[0], np.sort(values[good]))


@pytest.mark.parametrize("how", [GEOMEAN, MEAN, WORST, SLOWDOWN])
@pytest.mark.parametrize("sign", ["<=", ">"])
def test_a_limit_may_be_over_all_of_them(how: str, sign: str) -> None:
    space = grid(5, 5, 4)
    free = ask(space, {"time_fft": "low"}, [f"time over applications by {how} with fft=2, gemm 1=0.5 <= 1e9"])
    codes, weights = every(space), np.array([2.0, 1.0, 0.5])
    values = brute(free, how, weights, codes)
    if how in (WORST, SLOWDOWN) and sign == ">":  # of what is to be high the worst is the smallest
        best = np.array([SEVERAL.best["time", app][1] for app in APPS]) if how == SLOWDOWN else np.ones(3)
        said = np.array([free.responses[SEVERAL.own("time", app)].values(codes) for app in APPS])
        values = (said / (weights * best)[:, None]).min(axis=0)
    inside = np.unique(values[~free.leaves(codes)])
    end = float(inside[len(inside) // 2 - 1 :][:2].mean())
    name, times = ("time", 1) if how == SLOWDOWN else ("twice", 2)  # a slow-down is of what was measured
    limit = f"{name} over applications by {how} with fft=2, gemm 1=0.5 {sign} {times * end!r}"
    found = offered(ask(space, {"time_fft": "low"}, ["twice = 2 * time", limit]))
    held = values <= end if sign == "<=" else values > end
    assert found.n_feasible == (held & ~free.leaves(codes)).sum() > 0


@pytest.mark.parametrize(
    ("how", "scale", "by"),
    [(GEOMEAN, "log", "elimination"), (MEAN, "raw", "elimination"), (WORST, "log", "the models' tables")],
)
def test_large_spaces_are_answered_exactly(how: str, scale: str, by: str) -> None:
    space = grid(*[6] * 9)
    goals = {f"time over applications by {how} with fft=3": "low" if scale == "log" else "high"}
    question = ask(space, goals, [], scale=scale)
    found = offered(question)
    assert f"the best was found exactly, by {by}" in found.how
    codes = space.codes(np.random.default_rng(1).integers(0, space.n_combinations, 50_000))
    sign = 1.0 if scale == "log" else -1.0
    values = sign * brute(question, how, np.array([3.0, 1.0, 1.0]), codes)
    assert found.worth[0, 0] <= np.nanmin(values[~question.leaves(codes)])
    near = np.vstack([space.around(found.codes[0], pair) for pair in ((0, 1), (2, 3), (4, 5), (6, 7), (8, 0))])
    assert found.worth[0, 0] <= question.worth(near).min() + 1e-12


def test_what_goals_over_applications_may_say() -> None:
    space = grid(3, 3, 2)
    assert over("time over machines by worst") == "machine"
    assert over("time") == ""
    assert over("time over machines by worst with a=2 < 5") == "machine"
    assert with_mix("time", "input", MEAN, "b=0.5") == "time over inputs by mean with b=0.5"
    assert SEVERAL.own("time", "fft") == "time_fft"
    assert len(set(SEVERAL.called)) == 6

    def read(goal: str, limits: tuple[str, ...] = ()) -> Wishes:
        return read_wishes({goal: "low"}, limits, SEVERAL.responses, space, SEVERAL)

    energy = read("energy over applications by geomean with fft=0", ("energy = time * power",)).goals[0].formula
    assert isinstance(energy, Mix)
    assert len(energy.parts) == 2
    assert read("time_fft", ("power < 3",)).names == {"time_fft", *(SEVERAL.own("power", app) for app in APPS)}
    for goal, says in (
        ("time", "not said of which application"),
        ("time over applications by median", "no way to make one of several 'median'"),
        ("time over machines by mean", "cannot be asked for together"),
        ("time over applications by mean with fff=2", "no application 'fff'"),
        ("time over applications by mean with fft=much", "is a number"),
        ("time over applications by mean with fft=-1", "from 0 on"),
        ("time*power over applications by slowdown", "of what was measured"),
    ):
        with pytest.raises(OptionError, match=says):
            read(goal)
    with pytest.raises(OptionError, match="ends in a number, got 'much'"):
        read("time_fft", ("time over applications by mean < much",))
    with pytest.raises(OptionError, match="no applications here"):
        read_wishes({"time": "low"}, ("time over applications by mean < 3",), ("time",), space)
    with pytest.raises(OptionError, match="no applications here"):
        read_wishes({"time over applications by mean": "low"}, (), ("time",), space)


def trials(alike: bool, noise: float, n: int = 70, apps: int = 3, common: float = 0.0) -> tuple[DesignSpace, Frame]:
    """Applications over one space, that react alike but for a factor and one term, or each in its own way."""
    space = grid(6, 5, 4)
    codes = every(space)[np.random.default_rng(1).permutation(120)[:n]]
    X = space.numbers(codes)
    L = np.log2(X)
    rng = np.random.default_rng(3)
    shared = common * rng.standard_normal(n)
    rows, y, labels = [], [], []
    for app in range(apps):
        w = np.array([0.5, -0.4, 0.2]) if alike else rng.normal(0, 0.6, 3)
        z = 3.0 * app + L @ w + 0.1 * L[:, 0] * L[:, 1] + shared + noise * rng.standard_normal(n)
        rows.append(X)
        y.append(np.exp(z))
        labels += [f"app{app}"] * n
    metrics = [Metric(name, Kind.PARAMETER) for name in space.names]
    whole, response = np.vstack(rows), Metric("time", Kind.RESPONSE, "s")
    keys = [repr(tuple(row)) for row in whole.tolist()]
    return space, make_frame(whole, np.concatenate(y), metrics, response, {"application": labels}, parameters=keys)


def of(space: DesignSpace, frame: Frame, recipe: str = "anova") -> Applications:
    told = list[float]()
    fit = make_recipe(recipe).fit
    found = believe_in_several(frame, fit, space, "application", progress=lambda share, _: told.append(share))
    assert told == sorted(told)
    return found


def question_of(space: DesignSpace, frame: Frame, found: Applications, how: str) -> Question:
    several = several_of("application", {"time": frame})
    wishes = read_wishes({f"time over applications by {how}": "low"}, (), ("time",), space, several)
    return Question(wishes, {several.own("time", app): one for app, one in found.believed.items()})


@pytest.mark.slow
def test_folds_choose_one_model_where_applications_react_alike_and_one_each_where_they_do_not() -> None:
    alike, apart = of(*trials(True, 0.1, 25)), of(*trials(False, 0.01, 80), "splines")
    assert alike.how == AS_FACTOR.format(role="application")
    assert apart.how == EACH
    for found in (alike, apart):
        assert found.errors[found.how] == min(found.errors.values())
        assert set(found.believed) == {"app0", "app1", "app2"}


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["anova", "extra_trees"])
def test_the_answer_says_what_to_choose_for_all_of_them(recipe: str) -> None:
    space, frame = trials(True, 0.02)
    question = question_of(space, frame, of(space, frame, recipe), SLOWDOWN)
    found = decide(question)
    assert found.sure
    assert "time over applications by slowdown" in sentence(found)
    assert {"time_app0", "time_app1", "time_app2"} <= set(decision_table(found).columns)
    assert plain(found)["goals"][0]["goal"] == "time over applications by slowdown"
    measured = set(map(tuple, space.encode(frame.X.tolist()).tolist()))
    assert len(found.further) == 10
    assert not measured & set(map(tuple, found.further.tolist()))
    first = found.alternatives[0]
    best = [frame.y[np.array(frame.labels["application"]) == f"app{i}"].min() for i in range(3)]
    slow = max(first.values[f"time_app{i}"] / best[i] for i in range(3))
    assert first.goals[0] == pytest.approx(slow)
    np.testing.assert_allclose(found.beats + found.beats.T, 1.0)


@pytest.mark.slow
def test_values_are_in_the_unit_of_each_application() -> None:
    space, frame = trials(False, 0.0, 110)
    for recipe in ("anova", "splines"):
        for app, one in of(space, frame, recipe).believed.items():
            rows = np.flatnonzero(np.array(frame.labels["application"]) == app)
            measured = space.encode(frame.X[rows].tolist())
            np.testing.assert_allclose(one.values(measured), frame.y[rows], rtol=1e-9)
            assert one.asked is not None
            assert np.median(np.abs(np.log(one.level * one.asked.values(measured) / frame.y[rows]))) < 0.3


@pytest.mark.slow
def test_errors_that_applications_share_widen_a_mean_over_them() -> None:
    apart, alike = of(*trials(True, 0.2, 70)), of(*trials(True, 0.0, 70, common=0.2))
    doubts = [next(iter(one.believed.values())).doubt for one in (apart, alike)]
    assert doubts[0] is not None
    assert doubts[1] is not None
    assert doubts[0].alike < 0.35
    assert doubts[1].alike > 0.65


@pytest.mark.slow
def test_probabilities_of_a_mix_come_true_on_designs_that_were_not_measured() -> None:
    space, whole = trials(False, 0.03, 120)
    codes = space.encode(whole.X.tolist())
    apps = np.array(whole.labels["application"])
    known = np.isin(space.ranks(codes), space.ranks(codes)[apps == "app0"][:60])
    frame = whole.take(np.flatnonzero(known))
    found = of(space, frame)
    rest = [np.flatnonzero(~known & (apps == app)) for app in found.believed]
    order = [rows[np.argsort(space.ranks(codes[rows]))] for rows in rest]
    true = np.mean([np.log(whole.y[rows]) for rows in order], axis=0)
    drawn = np.mean(
        [
            np.log(one.draws(codes[order[0]], 400, 0, i + 1, orders=True))
            for i, one in enumerate(found.believed.values())
        ],
        axis=0,
    )
    first, second = np.random.default_rng(0).integers(0, len(true), (2, 3000))
    p = (drawn[:, first] < drawn[:, second]).mean(axis=0)
    came = true[first] < true[second]
    assert came[p > 0.9].mean() > 0.85
    middle = (p > 0.35) & (p < 0.65) & (first != second)
    assert middle.sum() > 50
    assert 0.25 < came[middle].mean() < 0.75


def test_trials_of_one_application_are_refused() -> None:
    space, frame = trials(True, 0.1, apps=1)
    with pytest.raises(OptionError, match="at least 2 of them, got 1"):
        of(space, frame)
    with pytest.raises(OptionError, match="at least 2 of them, got 1"):
        several_of("application", {"time": frame})


def test_models_of_each_application_take_the_logarithm_that_one_of_all_takes() -> None:
    """Times of all span decades and those of each less than one: a model of each would be of times as they are."""
    space = grid(4, 4)
    X = space.numbers(every(space))
    labels = {"application": ["small"] * 16 + ["large"] * 16}
    y = np.concatenate([factor * X[:, 0] ** 0.6 * X[:, 1] ** -0.4 for factor in (1.0, 400.0)])
    metrics = [Metric(name, Kind.PARAMETER) for name in space.names]
    frame = make_frame(np.vstack([X, X]), y, metrics, Metric("time", Kind.RESPONSE, "s"), labels)
    several = several_of("application", {"time": frame})
    wishes = read_wishes({"time over applications by geomean": "low"}, (), ("time",), space, several)
    recipe = make_recipe("stepwise")
    evidence = {"time": Evidence(recipe.fit(frame.take(np.arange(16))), frame, recipe.fit)}
    assert evidence["time"].model.scale.name == "raw"
    found = ask_over(wishes, several, evidence, False, 0, silent)
    assert {one.asked.model.scale.name for one in found.responses.values()} == {"log"}
