"""Verdicts: level, the comparison with both baselines, groups that fail, and what would help."""

import re
from dataclasses import replace

import numpy as np
import pytest

from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds
from core.validate.verdict import GOOD, NONE, USABLE, WEAK, Verdict, errors_of, judged
from tests.conftest import machine_frame


def verdict_on(frame: Frame, factor: float | np.ndarray, stock: float = 3.0, folds: str = "by:application") -> Verdict:
    """Judge predictions that are off by a factor, beside a median and trees that are off by another."""
    plan = parse_folds(folds)
    fold_of_row = np.full(len(frame), -1)
    for k, fold in enumerate(plan.split(frame)):
        fold_of_row[fold.test] = k
    wobble = 1 + 0.01 * np.sin(np.arange(len(frame)))
    constant = np.full(len(frame), np.median(frame.y))
    return judged(frame, plan, fold_of_row, frame.y * factor * wobble, constant, frame.y * stock * wobble)


@pytest.mark.parametrize(("factor", "level"), [(1.15, GOOD), (1 / 1.15, GOOD), (1.4, USABLE), (2.0, WEAK), (1e3, NONE)])
def test_levels_by_the_typical_factor(factor: float, level: str) -> None:
    found = verdict_on(machine_frame(), factor, stock=1e4)
    assert found.level == level
    assert found.says.startswith("Worse than a constant" if level == NONE else "Typically off by a factor of")


def test_what_is_worse_than_stock_trees_beyond_noise_is_weak() -> None:
    found = verdict_on(machine_frame(), 1.15, stock=1.05)
    assert found.over_stock is not None
    assert found.over_stock.difference < 0
    assert found.over_stock.more_than_noise
    assert found.level == WEAK
    assert "more than noise" in found.says
    assert found.next[0].startswith("Try the automatic model or extra trees")
    even = verdict_on(machine_frame(), 1.15, stock=1.15).over_stock
    assert even is not None
    assert not even.more_than_noise


@pytest.mark.parametrize(("factor", "level"), [(1.08, GOOD), (1.14, USABLE), (1.19, WEAK), (1.25, NONE)])
def test_a_small_error_is_no_merit_where_the_constant_s_is_as_small(factor: float, level: str) -> None:
    frame = machine_frame()
    narrow = replace(frame, y=np.where(np.arange(len(frame)) % 2, 1.2, 1 / 1.2))
    plan, fold_of_row, middle = parse_folds("kfold:4"), np.arange(len(frame)) % 4, np.ones(len(frame))
    found = judged(narrow, plan, fold_of_row, factor * narrow.y, middle, 3.0 * narrow.y)
    assert found.level == level
    assert found.says.startswith("Hardly better than a constant: typically off") == (level == WEAK)
    assert bool(found.next) == (level != GOOD)


def test_large_factors_have_no_decimals() -> None:
    assert re.search(r"this model by a factor of 12,\d{3}\.$", verdict_on(machine_frame(), 12345.0, stock=1e5).says)


def test_a_rival_that_so_few_trials_cannot_fit_stands_aside() -> None:
    frame, plan = machine_frame(), parse_folds("by:application")
    fold_of_row, constant = np.arange(len(frame)) % 4, np.full(len(frame), np.median(frame.y))
    nothing = np.full(len(frame), np.nan)
    found = judged(frame, plan, fold_of_row, 1.1 * frame.y, constant, nothing, nothing)
    assert found == judged(frame, plan, fold_of_row, 1.1 * frame.y, constant, None)
    assert found.over_stock is None


def test_an_error_that_nobody_minds_is_no_weakness_but_what_is_better_is_said() -> None:
    found = verdict_on(machine_frame(), 1.015, stock=1.0)
    assert found.over_stock is not None
    assert found.over_stock.difference < 0
    assert found.over_stock.more_than_noise
    assert found.level == GOOD
    assert found.says.startswith("Typically off by 1.5 % on what it has not seen; a constant is off by a factor of")
    assert "stock extra trees only by 0.6" in found.says


def test_a_response_with_zeros_is_judged_in_its_unit() -> None:
    frame = machine_frame()
    signed = replace(frame, y=frame.y - np.median(frame.y))
    fold_of_row = np.arange(len(frame)) % 4
    size = np.abs(signed.y - np.median(signed.y)).mean()
    for share, level in ((0.1, GOOD), (0.4, USABLE), (0.8, WEAK), (1.2, NONE)):
        constant = np.full(len(frame), np.median(signed.y))
        found = judged(signed, parse_folds("kfold:4"), fold_of_row, signed.y + share * size, constant, constant)
        assert found.level == level
        assert re.search(r"off by 0\.\d+ s\b", found.says)
    share = replace(signed, response=replace(signed.response, unit="%"))
    found = judged(share, parse_folds("kfold:4"), fold_of_row, signed.y + size, signed.y, signed.y)
    assert "percentage points" in found.says
    assert errors_of(signed.y, signed.y + 2)[0] == pytest.approx(2)
    assert errors_of(np.array([0.0, 4.0]), np.array([1.0, 6.0])).tolist() == [1.0, 2.0]


def test_zeros_that_keep_a_wide_response_from_its_logarithm_are_told_with_the_rule_that_leaves_them_out() -> None:
    frame = machine_frame()
    n = len(frame)
    wide, fold_of_row = np.geomspace(1, 500, n), np.arange(n) % 4
    for zeros, low, told in ((3, 1.0, True), (0, 1.0, False), (n, 1.0, False), (3, 100.0, False), (3, -1.0, False)):
        y = np.where(np.arange(n) < zeros, 0.0, np.maximum(wide, low))
        y[-1] = min(low, y[-1]) if low < 0 else y[-1]
        found = judged(replace(frame, y=y), parse_folds("kfold:4"), fold_of_row, y + 1, y + 5, None)
        assert (
            found.next[:1]
            == (
                f"3 of {n} trials are 0 s, which has no logarithm, so that small values are learnt badly: if they were too "
                "small to be measured, leave them out with curation's rule zero.",
            )
            or not told
        )
        assert any("logarithm" in text for text in found.next) == told


def test_the_group_that_fails_is_named_first() -> None:
    frame = machine_frame()
    app = np.array(frame.labels["application"])
    found = verdict_on(frame, np.where(app == "app3", 20.0, np.where(app == "app5", 9.0, 1.05)))
    assert found.failing == ("app3", "app5")
    assert any("Worst are app3, app5:" in said for said in found.next)
    alone = verdict_on(frame, np.where(app == "app3", 20.0, 1.05))
    assert any("Worst is app3:" in said for said in alone.next)
    on = np.array(frame.labels["machine"])
    assert verdict_on(frame, np.where(on == "gpu2", 20.0, 1.05), folds="by:machine").failing == ("gpu2",)
    unnamed = replace(frame, labels={**frame.labels, "application": tuple(np.where(app == "app3", "", app).tolist())})
    assert verdict_on(unnamed, np.where(app == "app3", 20.0, 1.05)).failing == ()


def test_more_of_what_is_asked_for_and_facts_that_are_missing() -> None:
    frame = machine_frame()
    found = verdict_on(frame, 1.5)
    assert found.next[0].startswith("Measure a few trials of a new application, or ask of known ones alone")
    assert "Measure more applications: 8" in found.next[1]
    assert not any("facts of the machines" in said for said in found.next)
    bare = replace(frame, metrics=tuple(replace(m, kind=Kind.COUNTER) for m in frame.metrics))
    assert any("facts of the machines" in said for said in verdict_on(bare, 1.5).next)
    assert "Measure more configurations" in verdict_on(frame, 1.5, folds="kfold:4").next[0]
    assert verdict_on(frame, 1.01).next == ()
    for n, few in ((7, True), (8, False)):
        told = verdict_on(machine_frame(n_machines=n), 1.5, folds="by:machine").next
        assert any(f"Measure more machines: {n} are few" in said for said in told) is few


def test_repeats_that_are_noisy_and_trials_that_look_alike() -> None:
    noisy = machine_frame(repeats=3, noise=0.5)
    z = np.log(noisy.y).reshape(-1, 3)  # repeats of a configuration stand side by side
    by = 100 * np.expm1(np.abs(z - z.mean(axis=1, keepdims=True)).mean())
    said = f"Repeats of one configuration differ by {by:.0f} %, most of the error"
    assert any(one.startswith(said) for one in verdict_on(noisy, 1.5).next)
    frame = machine_frame(repeats=2, noise=0.4)
    inputs = [f"size {i}" for i in range(len(frame))]
    labels = {**frame.labels, "input": inputs}
    alike = make_frame(frame.X, frame.y, frame.metrics, frame.response, labels)
    told = verdict_on(alike, 1.4).next
    assert any("look alike to every metric" in said for said in told)
    assert not any("Repeats" in said for said in told)


def test_few_trials_far_from_their_repeats_or_from_all_others_are_named() -> None:
    frame = machine_frame(repeats=5, noise=0.02)
    slipped = np.argsort(frame.y)[-2:]
    y = np.where(np.isin(np.arange(len(frame)), slipped), 50 * frame.y, frame.y)
    told = verdict_on(replace(frame, y=y), 1.5).next
    assert told[0].startswith(f"2 of {len(frame)} trials lie ({frame.response.name} {y.max():.4g} at ")
    assert told[0].endswith("leave them out with curation's rule mad, or take the median of repeats.")
    assert not any(one.startswith("Repeats") for one in told)
    assert not any(" lie" in one for one in verdict_on(frame, 1.5).next)

    once = machine_frame()
    off = np.where(np.arange(len(once)) == 3, 30.0, 1.5)
    assert not any(" lies " in one for one in verdict_on(once, off).next), "a new application may be like that"
    at = verdict_on(once, np.where(np.arange(len(once)) == 3, 30.0, 1.01), folds="kfold:5")
    assert at.level == GOOD
    told = verdict_on(once, np.where(np.arange(len(once)) == 3, 1e4, 1.25), folds="kfold:5").next
    assert told[0].startswith(f"1 of {len(once)} trials lies"), told
    many = np.where(np.arange(len(once)) % 5, 1.25, 1e4)
    assert not any(" lie" in one for one in verdict_on(once, many, folds="kfold:5").next)


def test_a_counter_that_is_the_response_in_another_unit_is_named() -> None:
    frame = machine_frame(n_apps=12)
    clock = np.where(np.array(frame.labels["machine"]) == frame.labels["machine"][0], 1.2e9, 3e9)
    cycles = frame.y * clock * (1 + 0.03 * np.sin(np.arange(len(frame))))

    def beside(column: np.ndarray, kind: Kind) -> Frame:
        metrics = (*frame.metrics, Metric("active_cycles", kind))
        return replace(frame, X=np.column_stack([frame.X, column]), metrics=metrics)

    said = verdict_on(beside(cycles, Kind.COUNTER), 1.15).next
    assert said[0].startswith("active_cycles follows time one to one, within ")
    assert not any("one to one" in s for s in verdict_on(beside(cycles, Kind.DETERMINISTIC), 1.15).next)
    assert not any("one to one" in s for s in verdict_on(beside(cycles**1.3, Kind.COUNTER), 1.15).next)
    assert not any("one to one" in s for s in verdict_on(frame, 1.15).next)
    of_host = replace(beside(cycles, Kind.COUNTER), reference="active_cycles")
    assert not any("one to one" in s for s in verdict_on(of_host, 1.15).next), "it was measured before the run"
    once = machine_frame(n_apps=1, n_machines=40)  # one trial is its machine's constant times anything
    counted = replace(once, metrics=tuple(replace(m, kind=Kind.COUNTER) for m in once.metrics))
    assert not any("one to one" in s for s in verdict_on(counted, 1.15, folds="kfold:4").next)


def test_a_formula_that_errs_less_beyond_noise_is_what_to_take() -> None:
    frame = machine_frame()
    plan, fold_of_row = parse_folds("kfold:4"), np.arange(len(frame)) % 4
    constant = np.full(len(frame), np.median(frame.y))
    wobble = 1 + 0.01 * np.sin(np.arange(len(frame)))
    for factor, told in ((1.1, True), (1.5, False)):
        found = judged(frame, plan, fold_of_row, frame.y * 1.3 * wobble, constant, constant, frame.y * factor)
        assert any(said.startswith("Take the readable formula") for said in found.next) is told


def test_one_factor_for_each_new_machine_is_told_from_errors_within_machines() -> None:
    frame = machine_frame(n_machines=9)
    machine = np.unique(np.array(frame.labels["machine"]), return_inverse=True)[1]
    own = np.exp(0.6 * np.where(machine % 2, 1, -1))
    told = verdict_on(frame, own, folds="by:machine").next
    z = np.log(own * (1 + 0.01 * np.sin(np.arange(len(frame)))))
    left = np.abs(z - np.array([z[machine == m].mean() for m in range(9)])[machine]).mean()
    said = "Measure a few trials of a new machine, or ask of known ones alone, with random folds: mostly it is off by "
    said += "one factor of its own, without which "
    assert told[0] == f"{said}{np.exp(np.abs(z).mean()):.2f} would be {np.exp(left):.2f}."
    within = np.exp(0.6 * np.where(np.arange(len(frame)) % 2, 1, -1))
    assert not any("one factor" in one for one in verdict_on(frame, within, folds="by:machine").next)
    assert not any("one factor" in one for one in verdict_on(frame, own, folds="kfold:4").next)


def test_a_weak_model_is_never_left_without_advice() -> None:
    frame = machine_frame(n_machines=9)
    within = np.exp(0.6 * np.where(np.arange(len(frame)) % 2, 1, -1))
    found = verdict_on(frame, within, folds="by:machine")
    assert found.level == WEAK
    assert found.next == ("Add what tells machines apart: these metrics say too little of a new one.",)
    usable = verdict_on(frame, within**0.5, folds="by:machine")
    assert usable.level == USABLE
    assert usable.next == ()


def test_errors_of_rounding_alone_are_no_fault_of_the_model() -> None:
    frame, plan = machine_frame(), parse_folds("by:application")
    frame = replace(frame, y=np.full(len(frame), 1e6))
    fold_of_row, rows = np.arange(len(frame)) % 4, np.arange(len(frame))
    found = judged(
        frame, plan, fold_of_row, frame.y * (1 + 2e-12 * (rows % 7)), frame.y * (1 + 1e-12 * (rows % 3)), None
    )
    assert found.level == GOOD
