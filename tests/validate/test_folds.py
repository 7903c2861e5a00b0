"""Folds partition the trials, keep repeats together, and do not depend on row order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FitError, OptionError
from core.texts import ranked, ranked_by_digits
from core.trial import Frame, Kind, Metric, make_frame
from core.validate import folds
from core.validate.folds import default_folds, few_folds, groups_held_out, groups_of, parse_folds, possible_folds


def grid(n_apps: int, n_machines: int, repeats: int, order: np.ndarray | None = None) -> Frame:
    rows = [(a, m, r) for a in range(n_apps) for m in range(n_machines) for r in range(repeats)]
    rows = rows if order is None else [rows[i] for i in order]
    y = np.array([1.0 + a + 10 * m + 0.01 * r for a, m, r in rows])
    X = np.array([[a, m] for a, m, _ in rows], dtype=float)
    labels = {"application": [f"a{a}" for a, _, _ in rows], "machine": [f"m{m}" for _, m, _ in rows]}
    return make_frame(X, y, [Metric("a"), Metric("m")], Metric("t"), labels, ids=[f"{r}" for r in rows])


@pytest.mark.parametrize("text", ["kfold:3", "loo", "by:application", "by:machine", "kfold:2:application"])
def test_folds_partition_the_trials(text: str) -> None:
    frame = grid(4, 3, 2)
    folds = parse_folds(text).split(frame, seed=1)
    held = np.concatenate([f.test for f in folds])
    assert sorted(held) == list(range(len(frame)))


@given(st.integers(2, 6), st.integers(1, 4), st.integers(1, 3), st.integers(0, 5))
@settings(max_examples=25, deadline=None)
def test_repeats_stay_together(n_apps: int, n_machines: int, repeats: int, seed: int) -> None:
    frame = grid(n_apps, n_machines, repeats)
    for text in ("kfold:2", "loo"):
        for fold in parse_folds(text).split(frame, seed):
            inside = set(frame.configuration[fold.test])
            outside = set(np.delete(frame.configuration, fold.test))
            assert not inside & outside


def test_row_order_is_irrelevant() -> None:
    order = np.random.default_rng(0).permutation(4 * 3 * 2)
    one, other = grid(4, 3, 2), grid(4, 3, 2, order)
    for text in ("kfold:4", "holdout:3", "by:machine"):
        first = [{one.ids[i] for i in f.test} for f in parse_folds(text).split(one, 7)]
        second = [{other.ids[i] for i in f.test} for f in parse_folds(text).split(other, 7)]
        assert first == second


def test_seed_changes_random_folds() -> None:
    frame = grid(6, 3, 1)
    plan = parse_folds("kfold:3")
    assert [f.test.tolist() for f in plan.split(frame, 0)] != [f.test.tolist() for f in plan.split(frame, 1)]


def test_part_of_a_frame_splits_too() -> None:
    frame = grid(6, 3, 2)
    part = frame.take(np.flatnonzero(np.array(frame.labels["machine"]) != "m0"))
    folds = parse_folds("kfold:4").split(part)
    assert sorted(np.concatenate([f.test for f in folds])) == list(range(len(part)))


def test_holdout_holds_out_so_many_configurations() -> None:
    frame = grid(6, 3, 2)
    (fold,) = parse_folds("holdout:5").split(frame)
    assert len(set(frame.configuration[fold.test])) == 5


@pytest.mark.parametrize("text", ["kfold", "kfold:1", "kfold:x", "by:", "loocv", "", "holdout:0", "kfold:-3"])
def test_unknown_folds_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="kfold:10"):
        parse_folds(text)


def test_too_few_configurations_are_refused() -> None:
    with pytest.raises(FitError, match="at least 9 configurations, got 6"):
        parse_folds("kfold:9").split(grid(3, 2, 3))
    with pytest.raises(FitError, match="no column 'suite'"):
        parse_folds("by:suite").split(grid(3, 2, 1))
    with pytest.raises(FitError, match="at least 2 different values"):
        parse_folds("by:machine").split(grid(3, 1, 1))


def test_default_leaves_out_what_will_be_predicted() -> None:
    assert str(default_folds(grid(4, 2, 1))) == "by:application"
    assert str(default_folds(grid(2, 4, 1))) == "by:machine"
    assert str(default_folds(grid(2, 2, 1))) == "kfold:4"
    assert "by:machine" in {str(p) for p in possible_folds(grid(4, 2, 1))}
    assert str(default_folds(grid(200, 1, 1))) == "by:application"
    many = grid(201, 1, 1)
    assert (str(default_folds(many)), str(few_folds(many))) == ("kfold:10:application", "kfold:5:application")
    assert len(default_folds(many).split(many)) == 10


def test_what_is_offered_and_dealt_begins_where_it_can() -> None:
    two = grid(2, 5, 1)
    assert len(parse_folds("by:application").split(two)) == 2
    with pytest.raises(FitError, match="need at least 2 different values, got 1"):
        parse_folds("by:application").split(grid(1, 5, 1))
    assert "holdout:2" in {str(plan) for plan in possible_folds(two)}
    assert not any(plan.how == "holdout" for plan in possible_folds(grid(3, 3, 1)))
    assert str(few_folds(grid(2, 2, 1))) == "kfold:4"
    assert str(few_folds(make_frame(np.arange(9.0)[:, None], np.arange(9.0), [Metric("x")], Metric("y")))) == "kfold:5"


def test_groups_are_what_a_plan_holds_out_as_a_whole() -> None:
    frame = grid(3, 2, 2)
    assert groups_held_out(frame, parse_folds("kfold:3")) is None
    found = groups_held_out(frame, parse_folds("kfold:2:application"))
    assert found is not None
    assert [f"a{k}" for k in found] == list(frame.labels["application"])


def test_values_of_many_digits_are_held_out_one_by_one() -> None:
    sizes = np.repeat([1_048_576.0, 1_048_577.0, 0.1 + 0.2], 2)
    frame = make_frame(sizes[:, None], np.arange(1.0, 7.0), [Metric("size")], Metric("time"))
    found = parse_folds("by:size").split(frame)
    assert sorted(fold.name for fold in found) == ["0.3", "1048576", "1048577"]
    assert [len(fold.test) for fold in found] == [2, 2, 2]


def test_configurations_of_one_name_are_numbered() -> None:
    one = {"application": ["gemm"] * 3}
    frame = make_frame(
        np.arange(3.0)[:, None], np.arange(3.0), [Metric("x")], Metric("y"), one, parameters=["0", "1", "2"]
    )
    assert [fold.name for fold in parse_folds("loo").split(frame)] == ["gemm", "gemm #2", "gemm #3"]


def test_trials_without_names_are_configurations_of_their_own() -> None:
    frame = make_frame(np.arange(6.0)[:, None], np.arange(6.0), [Metric("x")], Metric("y"))
    assert len(set(frame.configuration)) == 6
    assert str(default_folds(frame)) == "kfold:6"


def test_whole_applications_are_dealt_into_folds() -> None:
    frame = grid(7, 2, 1)
    plan = parse_folds("kfold:3:application")
    assert (str(plan), plan.how, plan.count, plan.column) == ("kfold:3:application", "by", 3, "application")
    folds = plan.split(frame, seed=1)
    names = np.array(frame.labels["application"])
    held = [set(names[fold.test]) for fold in folds]
    assert sorted(name for own in held for name in own) == sorted(set(names))
    assert sorted(len(own) for own in held) == [2, 2, 3]
    assert [fold.test.tolist() for fold in plan.split(frame, seed=2)] != [fold.test.tolist() for fold in folds]
    assert any(fold.name.endswith(" and 1 more") for fold in folds)
    with pytest.raises(FitError, match="needs as many different values, got 7"):
        parse_folds("kfold:8:application").split(frame)
    with pytest.raises(OptionError):
        parse_folds("kfold:1:application")


@pytest.mark.parametrize("described", [False, True])
def test_nothing_is_asked_of_a_new_input_that_only_its_name_tells(described: bool) -> None:
    rows = [(v, t) for v in range(5) for t in (1, 2, 4)]
    names = [f"variant={v}" for v in range(5)]
    X = np.array([[float(t + 10 * v * described), *(float(v == i) for i in range(5))] for v, t in rows])
    texts = [f"v{v}" for v, _ in rows]
    labels = {"input": texts, "variant": texts}
    frame = make_frame(X, np.arange(1.0, 16.0), [Metric("threads"), *map(Metric, names)], Metric("t"), labels)
    assert default_folds(frame).column == ("input" if described else "")
    few = np.array([v < 4 for v, _ in rows])
    assert str(default_folds(frame.take(np.flatnonzero(few)))) == "kfold:4"


@pytest.mark.parametrize(("n_sizes", "plan"), [(5, "kfold:5"), (6, "kfold:6"), (7, "by:input")])
def test_the_ends_of_sizes_are_no_question_of_a_new_input(n_sizes: int, plan: str) -> None:
    X = np.array([[n, t] for n in range(1, n_sizes + 1) for t in (1, 2, 4)], dtype=float)
    labels = {"input": [f"{1000 * n:.0f}" for n, _ in X]}
    frame = make_frame(X, X[:, 0] / X[:, 1], [Metric("size"), Metric("threads")], Metric("t"), labels)
    assert str(default_folds(frame)) == plan


def test_the_hardest_question_is_looked_for_once_in_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    hardest = folds._hardest
    monkeypatch.setattr(folds, "_hardest", lambda frame: looked.append(len(frame)) or hardest(frame))
    whole = grid(4, 2, 1)
    some = whole.take(np.flatnonzero(np.array(whole.labels["application"]) < "a2"))
    for frame in (whole, some, whole, some):
        groups_of(frame)
    assert looked == [len(whole), len(some)]
    assert [str(default_folds(frame)) for frame in (whole, some)] == ["by:application", "kfold:4"]


@pytest.mark.parametrize("numbers", [[0], [7, 7, 7], [10, 9, 100, 1, 0, 19, 2, 10], list(range(1200))])
def test_configurations_are_ranked_as_their_digits_are(numbers: list[int]) -> None:
    np.testing.assert_array_equal(ranked_by_digits(np.array(numbers)), ranked([str(number) for number in numbers]))


LEVELS = (3, 4, 5)
PROGRAMS = ("a", "b", "c")


def designs(cells: np.ndarray) -> Frame:
    """Return each of some designs as three programs ran it, whose names are what tells them apart."""
    X = np.vstack([np.column_stack([cells, np.tile(np.eye(3)[i], (len(cells), 1))]) for i in range(3)])
    y = np.exp(0.1 * X @ np.arange(1.0, 7.0))
    names = [Metric(f"p{j}", kind=Kind.PARAMETER) for j in range(3)]
    names += [Metric(f"application={a}", kind=Kind.PARAMETER) for a in PROGRAMS]
    labels = {"application": list(np.repeat(PROGRAMS, len(cells)))}
    return make_frame(X, y, names, Metric("t"), labels, parameters=[str(row) for row in X[:, :3]])


def cells_of(n: int) -> np.ndarray:
    """Return so many of the sixty combinations of levels, in an order drawn at random."""
    every = np.array(list(np.ndindex(*LEVELS)), dtype=float)
    return np.random.default_rng(0).permutation(every)[:n]


def test_of_designs_that_were_drawn_whole_ones_are_held_out() -> None:
    """What the other programs do on a design gives away what one does there, as it will not of a new design."""
    frame = designs(cells_of(24))
    plan = default_folds(frame)
    assert (str(plan), str(few_folds(frame))) == ("kfold:10:setting", "kfold:5:setting")
    for fold in plan.split(frame):
        inside, outside = (
            set(map(tuple, X)) for X in (frame.X[fold.test, :3], np.delete(frame.X[:, :3], fold.test, 0))
        )
        assert not inside & outside
    assert len(np.unique(groups_of(frame))) == 24
    assert groups_held_out(frame, plan) is None
    assert [parse_folds(text).asks_for_groups for text in (str(plan), "by:application", "kfold:5")] == [
        False,
        True,
        False,
    ]


def test_of_a_grid_and_of_few_designs_configurations_are_held_out() -> None:
    """A design that nothing has run is no question where all combinations, or most, were run."""
    assert str(default_folds(designs(cells_of(60)))) == str(default_folds(designs(cells_of(40)))) == "kfold:10"
    assert str(default_folds(designs(cells_of(15)))) == "kfold:10"


def test_of_designs_that_each_ran_one_program_configurations_are_held_out() -> None:
    frame = designs(cells_of(24))
    apart = frame.take(np.flatnonzero(frame.X[:, :3].sum(axis=1) % 3 == frame.X[:, 3:] @ np.arange(3.0)))
    assert str(default_folds(apart)) == "kfold:10"


def test_folds_of_settings_need_some() -> None:
    with pytest.raises(FitError, match="There is no column 'setting'"):
        parse_folds("kfold:2:setting").split(grid(4, 3, 2))
