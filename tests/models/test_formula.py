"""The readable formula: picks by brute force, hinges found again, groups held apart, words and files."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from core.codec import dumps, from_plain, loads, to_plain
from core.errors import ModelFileError
from core.export import EXPORTERS, read_model, write_model
from core.models import FAMILIES
from core.models._hinges import Candidates, candidates
from core.models.formula import IDLE, MOST_ROWS, Formula, FormulaModel, _path, less_means
from core.models.parts.along import PENALTIES, choose, dealt, gains, held_out, prefixes, values
from core.models.parts.columns import columns
from core.models.stepwise import Stepwise, admit
from core.passes.scales import Log, Standardize
from core.pipeline import FLAG, Pipeline
from core.recipes import make_recipe
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import groups_of, parse_folds
from tests.conftest import machine_frame

NAMES = ("cache", "work", "kind")
MIB = 2**20


def grid(n: int = 240, noise: float = 0.01, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A response that falls once the cache has more than 4 MiB, and grows with the work."""
    rng = np.random.default_rng(seed)
    cache = rng.choice([1, 2, 4, 8, 16, 32], n) * float(MIB)
    work = 10 ** rng.uniform(0, 3, n)
    kind = rng.choice([0.0, 1.0], n)
    y = 2 + 0.5 * np.log2(work) - 0.8 * np.maximum(0, np.log2(cache / (4 * MIB))) + 0.3 * kind
    return np.column_stack([cache, work, kind]), y + noise * rng.standard_normal(n)


def test_a_hinge_is_found_at_its_level_and_said_in_words() -> None:
    X, y = grid()
    model = Formula().fit(X[:160], y[:160])
    assert np.abs(model.predict(X[160:]) - y[160:]).mean() < 0.02
    assert (np.diff(model.movement) <= 0).all()
    assert set(model.terms(NAMES)[:3]) >= {"log2(work)", "log2(cache) above 4 Mi"}
    assert "max(0, log2(cache/4.194e+06))" in model.formula(NAMES)


def test_metrics_that_say_nothing_leave_one_term_and_the_mean() -> None:
    rng = np.random.default_rng(3)
    X, y = np.exp(rng.standard_normal((30_000, 3))), rng.standard_normal(30_000)
    model = Formula().fit(X, y)
    assert len(model.chosen) == 1
    assert np.abs(model.predict(X).mean() - y.mean()) < 1e-9


def test_terms_that_are_not_told_take_no_more_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = grid(400, 0.2)
    short = Formula().fit(X, y)
    monkeypatch.setattr("core.models.formula.IDLE", 0.0)
    whole = Formula().fit(X, y)
    assert len(short.chosen) < len(whole.chosen)
    assert whole.chosen[: len(short.chosen)] == short.chosen
    apart = short.predict(X) - whole.predict(X)
    assert apart.std() <= IDLE * (y - whole.predict(X)).std()
    assert abs(apart.mean()) < 1e-9


def test_candidates_are_found_once_for_each_inner_fold_and_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = grid(60, 0.3)
    groups, asked = np.arange(60) // 6, []

    def counted(X: np.ndarray, y: np.ndarray, *, crossed: bool) -> Candidates:
        asked.append(crossed)
        return candidates(X, y, crossed=crossed)

    monkeypatch.setattr("core.models.formula.candidates", counted)
    model = Formula().fit_groups(X, y, groups)
    assert asked == [False, True] * 5 + [model.crossed]  # both shares have the same


def test_where_it_is_for_choosing_it_has_at_most_24_terms() -> None:
    assert (Formula().light.max_terms, Formula(max_terms=8).light.max_terms) == (24, 8)


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("crossed", [False, True])
def test_the_path_is_that_of_one_solve_per_candidate(share: float, crossed: bool) -> None:
    X, y = grid(60, 0.3)
    groups = np.arange(60) // 6
    pool = candidates(X, y, crossed=crossed)
    matrix = less_means(pool.values(X), groups, share)
    usable, _ = admit(columns(matrix.copy()), lone=True)
    own, chosen = less_means(y[None, :], groups, share)[0], []
    for _ in range(5):
        left = {}
        for j in np.flatnonzero(usable):
            A = np.column_stack([np.ones(60), *(matrix[i] for i in (*chosen, j))])
            solution, _, rank, _ = np.linalg.lstsq(A, own, rcond=1e-9)
            if rank == A.shape[1]:
                left[int(j)] = float(((own - A @ solution) ** 2).sum())
        least = min(left.values())
        chosen.append(min(j for j, rss in left.items() if rss <= least * (1 + 1e-9)))
    found = _path(X, y, groups, crossed=crossed, share=share, most=5, known={})
    np.testing.assert_allclose(values(found, X), pool.values(X)[chosen], rtol=1e-9)


def test_candidates_are_what_they_say() -> None:
    X, y = grid(80)
    X = np.column_stack([X, np.where(np.arange(80) % 3, X[:, 1], 0.0), X[:, 1] - 300])
    pool = candidates(X, y, crossed=True)
    matrix = pool.values(X)
    for i in range(0, len(pool.first), 7):
        np.testing.assert_allclose(matrix[i], pool.term(i).evaluate(X), rtol=1e-12)
    assert np.isfinite(matrix).all()
    own = {f.function for f in pool.factors if f.variable == 4}
    assert own == {"power:1", "above"}  # a negative number has no logarithm
    assert sum(f.function == "log2_above" and f.variable == 0 for f in pool.factors) == 4  # its inner levels
    zeros = next(f for f in pool.factors if f.variable == 3 and f.function == "log2")
    np.testing.assert_allclose(zeros.evaluate(X), np.log2(1 + X[:, 3] / zeros.width))


def test_means_of_groups_are_taken_off_by_their_share() -> None:
    groups = np.array([5, 5, 2, 2, 2])
    found = less_means(np.array([[1.0, 3.0, 0.0, 3.0, 6.0]]), groups, 0.5)
    np.testing.assert_allclose(found, [[0.0, 2.0, -1.5, 1.5, 4.5]])


def test_prefixes_are_ridge_regressions() -> None:
    rng = np.random.default_rng(1)
    rows, y = rng.standard_normal((4, 50)) * [[1], [10], [0.1], [3]] + 2, rng.standard_normal(50)
    fitted = prefixes(rows, y, (1, 3))
    for i, size in enumerate((1, 3)):
        Z = (rows[:size].T - rows[:size].mean(axis=1)) / rows[:size].std(axis=1)
        for j, penalty in enumerate(PENALTIES):
            beta = np.linalg.solve(Z.T @ Z + penalty * 50 * np.eye(size), Z.T @ (y - y.mean()))
            np.testing.assert_allclose(fitted.predict(rows)[i, j], y.mean() + Z @ beta, rtol=1e-9)
    assert (fitted.coefficients[0, :, 1:] == 0).all()


def test_no_group_has_a_part_in_what_is_said_of_it() -> None:
    X, y = grid(90, 0.5)
    groups = np.repeat(np.arange(9), 10)
    search = FAMILIES["formula"]().held_out
    before = search(X, y, groups)
    fold = next(rows for rows in dealt(groups) if 0 in groups[rows])
    other = y.copy()
    other[fold] = y.mean() + 0.1 * (y[fold] - y.mean())
    assert not np.array_equal(y, other)

    def terms(X: np.ndarray, y: np.ndarray, groups: np.ndarray) -> tuple:
        return _path(X, y, groups, crossed=False, share=0.0, most=4, known={})

    first, second = (next(held_out(terms, X, z, groups, (4,))) for z in (y, other))
    np.testing.assert_array_equal(first[..., fold], second[..., fold])
    assert np.isfinite(before).all()


def test_what_predicts_better_counts_more() -> None:
    y = np.linspace(0, 1, 20)
    said = np.stack([np.stack([y + 0.1] * len(PENALTIES)), np.stack([y + 0.2] * len(PENALTIES))])
    choice, mean = choose(said, y, (1, 2))
    assert choice.longest == 1  # (1/2)^8 is next to nothing
    assert choice.errors.tolist() == pytest.approx([0.1, 0.2])
    np.testing.assert_allclose(mean, y + 0.1)


def test_stepwise_chooses_its_number_of_terms_in_the_same_way() -> None:
    frame = machine_frame(12, 6, noise=0.3)
    model = make_recipe("stepwise", {"threshold": "auto"}).fit(frame).clusters[0].model
    assert model.choice is not None
    assert len(model.chosen) == len(model.steps) <= model.choice.longest
    assert Stepwise(threshold=None).grouped
    assert not Stepwise().grouped


def test_the_question_decides_the_groups() -> None:
    frame = machine_frame(6, 5)
    asked = make_recipe("formula").asking(parse_folds("by:machine"))
    assert asked.groups == "machine"
    assert asked.asking(parse_folds("by:application")) == asked
    assert make_recipe("formula").asking(parse_folds("kfold:5")).groups == "configuration"
    assert make_recipe("forest").asking(parse_folds("by:machine")).groups == "machine"
    assert len(np.unique(groups_of(frame))) == 6
    assert len(np.unique(groups_of(frame, "machine"))) == 5
    assert len(np.unique(groups_of(frame, "configuration"))) == 30


def test_predictions_stay_within_the_trained_responses_and_say_so() -> None:
    frame = machine_frame(8, 5, noise=0.2)
    low = frame.take(np.flatnonzero(frame.y < np.quantile(frame.y, 0.7)))
    model = make_recipe("formula").fit(low)
    said = model.predict(frame.X * 1.5)
    assert said.value.max() <= low.y.max() * (1 + 1e-12)
    assert said.value.min() >= low.y.min() * (1 - 1e-12)
    pipeline = Pipeline((Log(), Standardize()), Stepwise(), extrapolation=FLAG, response_range=0.0)
    steep = pipeline.fit(low, make_recipe("stepwise").provenance(low))
    far = steep.predict(frame.X[frame.y > 2 * low.y.max()])
    assert far.value.max() <= low.y.max() * (1 + 1e-12)
    assert not far.in_domain.any()
    assert steep.predict(low.X).in_domain.all()


def sweep(curve: Callable[[np.ndarray], np.ndarray]) -> Frame:
    """Three programs at nine sizes, with 1 % of noise."""
    n = np.repeat(2.0 ** np.arange(7, 16), 3)
    y = curve(n) * np.tile([1.0, 2.0, 5.0], 9) * (1 + 0.01 * np.random.default_rng(0).standard_normal(27))
    program = (np.tile([0.0, 1.0, 2.0], 9)[:, None] == [0.0, 1.0, 2.0]).astype(float)
    metrics = [Metric("n"), *(Metric(f"program={i}") for i in range(3))]
    labels = {"application": ["p"] * 27, "input": [str(v) for v in n], "machine": [""] * 27}
    return make_frame(np.column_stack([n, program]), y, metrics, Metric("time", Kind.RESPONSE, "s"), labels)


def test_it_runs_on_where_sizes_held_out_are_predicted_better_so() -> None:
    frame = sweep(lambda n: 1e-9 * n**3)
    model = make_recipe("formula").asking(parse_folds("by:input")).fit(frame)
    assert model.extrapolation == FLAG
    low, high = model.clusters[0].bounds or (0.0, 0.0)
    z = np.log(frame.y)  # held out, the largest and the smallest size lie ln 8 beyond the others, but for the noise
    np.testing.assert_allclose([z.min() - low, high - z.max()], 2 * np.log(8), atol=0.2)
    found = model.predict(np.array([[2.0**16, 0.0, 1.0, 0.0]]))
    np.testing.assert_allclose(found.value, 2e-9 * 2.0**48, rtol=0.2)
    assert "outside the trained" in found.why[0]
    small = model.predict(np.array([[32.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(small.value, [5e-9 * 2.0**15, np.nan], rtol=0.3)
    assert small.why[1].startswith("no prediction: n = 0 is below 0.125")


def test_it_is_held_where_running_on_is_no_better() -> None:
    frame = sweep(lambda n: np.exp(np.sin(np.log2(n))))
    recipe = make_recipe("formula").asking(parse_folds("by:input"))
    assert recipe.fit(frame).clusters[0].bounds is not None
    on = sweep(lambda n: 1e-9 * n**3)
    assert replace(recipe, hold=True).fit(on).clusters[0].bounds is not None
    assert replace(recipe, extrapolation="clamp").fit(on).extrapolation == "clamp"


def test_what_runs_on_gains_more_than_its_standard_error() -> None:
    y, groups = np.zeros(6), np.array([0, 0, 1, 1, 2, 2])
    held = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    assert gains(held, 0 * held, y, groups)  # gains 1, 1, 0: their mean is 2/3, its standard error 1/3
    assert not gains(np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), 0 * held, y, groups)  # 1/3 against 1/3
    assert not gains(held, np.full(6, np.nan), y, groups)


def test_a_column_that_varies_in_one_trial_alone_is_no_obstacle() -> None:
    X = np.ones((7, 1))
    X[6] = 2.0
    model = Formula().fit(X, np.arange(1.0, 8.0))  # the inner fold without that trial has no candidate
    assert np.isfinite(model.predict(X)).all()


def test_files_come_back_and_forms_can_be_written() -> None:
    model = make_recipe("formula").fit(machine_frame(10, 5))
    raw = write_model(model)
    assert write_model(read_model(raw)) == raw
    for name in ("formula", "latex", "c", "cpp", "python", "sql", "onnx"):
        exporter = EXPORTERS[name]()
        assert exporter.can_express(model) is None
        assert len(exporter.write(model)) > 100
    assert rb"\max" in EXPORTERS["latex"]().write(model)


def test_states_that_do_not_hold_together_are_refused() -> None:
    X, y = grid(60)
    plain = loads(dumps(to_plain(Formula().fit(X, y))))
    for change in ({"coefficients": [1.0]}, {"share": 2.0}, {"choice": {**plain["choice"], "errors": []}}):
        with pytest.raises(ModelFileError):
            from_plain(FormulaModel, {**plain, **change}).check(3)


def test_a_response_that_is_not_positive_is_modelled_as_it_is() -> None:
    X, y = grid(100)
    frame = make_frame(X, y - 5, [Metric(n) for n in NAMES], Metric("gain"))
    model = make_recipe("formula").fit(frame)
    assert model.scale.name == "raw"
    assert np.abs(model.predict(model.rows(frame)).value - frame.y).mean() < 0.05


def test_nothing_is_multiplied_with_a_level_of_two_trials() -> None:
    """A line through two trials fits them, whatever they are, and a third is anywhere."""
    rng = np.random.default_rng(3)
    n = np.tile(2.0 ** np.arange(6), 4)
    for count, tried in ((2, False), (3, True)):
        rare = (np.arange(24) % 24 < count).astype(float)
        pool = candidates(np.column_stack([n, rare]), rng.standard_normal(24), crossed=True)
        pairs = [(i, k) for i, k in zip(pool.first.tolist(), pool.second.tolist(), strict=True) if k >= 0]
        assert ({0, 1} in [{pool.factors[i].variable for i in pair} for pair in pairs]) is tried


@pytest.mark.parametrize("odd", [0.0, -3.0, 1e-9])
def test_of_many_trials_the_smallest_value_of_a_column_is_looked_at(odd: float) -> None:
    draw = np.random.default_rng(1)
    n = 2 * MOST_ROWS + 1
    X = draw.uniform(1, 100, (n, 2)).round(3)
    y = np.log(X[:, 0]) + X[:, 1]
    X[1, 0] = odd  # of every third trial, from the first one on, it is none
    model = Formula().fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert np.median(np.abs(model.predict(X) - y)) < 0.1


def test_a_group_that_is_not_among_the_trials_looked_at_is_none() -> None:
    draw = np.random.default_rng(2)
    n = 2 * MOST_ROWS + 1
    X = draw.uniform(1, 100, (n, 2))
    groups = np.zeros(n, dtype=np.int64)
    groups[1] = 1
    model = Formula().fit_groups(X, np.log(X[:, 0]), groups)
    assert np.median(np.abs(model.predict(X) - np.log(X[:, 0]))) < 0.1
