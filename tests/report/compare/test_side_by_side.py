"""Models side by side: errors and differences are those of the race, workloads stand by how hard they are."""

from dataclasses import replace

import numpy as np
import pytest

from core.race.entry import entry_of
from core.race.race import race
from core.race.result import Race
from core.report.compare.race_table import Line, race_lines, race_table
from core.report.compare.side_by_side import SideBySide, options_table, side_by_side
from core.trial import Frame
from core.validate.folds import parse_folds
from core.validate.scores import errors, paired
from tests.report.compare.test_race import workloads


@pytest.fixture(scope="module")
def frame() -> Frame:
    return workloads()


@pytest.fixture(scope="module")
def lines(frame: Frame) -> tuple[Line, ...]:
    found: Race = race(frame, parse_folds("by:application"), 0, [entry_of(n, frame) for n in ("nnls", "ridge", "ols")])
    return race_lines(frame, found)


@pytest.fixture(scope="module")
def value(frame: Frame, lines: tuple[Line, ...]) -> SideBySide:
    return side_by_side(frame, lines)


def test_errors_are_those_of_each_model_and_the_hardest_workload_is_first(
    frame: Frame, lines: tuple[Line, ...], value: SideBySide
) -> None:
    assert value.errors.shape == (len(lines), len(frame))
    for line, row in zip(lines, value.errors, strict=True):
        assert row.mean() == pytest.approx(line.mape)
    assert (np.diff(np.median(value.errors, axis=0)) <= 0).all()
    names = [f"{a} · {i}" for a, i in zip(frame.labels["application"], frame.labels["input"], strict=True)]
    at = names.index(value.workloads[0])
    predicted = lines[1].validation.predicted[at]
    assert value.errors[1, 0] == pytest.approx(100 * abs(predicted / frame.y[at] - 1))
    assert value.table()["workload"].tolist() == list(value.workloads)


def test_differences_are_paired_by_fold(frame: Frame, lines: tuple[Line, ...], value: SideBySide) -> None:
    shown = value.differences()
    assert shown["model"].tolist() == [line.label for line in lines[1:]]
    first, second = (errors(frame.y, line.validation.predicted) for line in lines[:2])
    own = paired(first, second, lines[0].validation.fold_of_row)
    assert shown.iloc[0][["difference", "95 % low", "95 % high"]].tolist() == [own.difference, own.low, own.high]


def test_what_stands_out_is_said(frame: Frame, lines: tuple[Line, ...], value: SideBySide) -> None:
    made = np.full_like(value.errors, 5.0)
    made[:, 0], made[0, 3], made[:, 7] = 90.0, 0.2, np.nan
    made[1:, 3] = 19.0
    said = replace(value, errors=made).standing_out()
    n = len(frame)
    assert said.startswith(f"Every model is within 20 % on {n - 2} of {n} workloads; ")
    assert f"the hardest is {value.workloads[0]}, off by 90 % at best" in said
    assert f"the models differ most on {value.workloads[3]}, off by 0.2 % under {lines[0].label} and 19 %" in said


def test_errors_of_a_response_that_can_be_negative_have_its_unit(frame: Frame) -> None:
    below = replace(frame, y=frame.y - 500)
    found = race(below, parse_folds("by:application"), 0, [entry_of("ols", below)])
    value = side_by_side(below, race_lines(below, found))
    assert value.unit == "s"
    assert value.standing_out().startswith("The hardest is ")
    assert value.standing_out().endswith(" s at best.")
    table = race_table(below, (race_lines(below, found)[0], replace(race_lines(below, found)[0], label="other")))
    assert "behind the best (s)" in table
    assert "behind the best (%)" not in table
    small = np.full((2, 4), 1e-3)
    small[1, 2] = 4e-3
    two = replace(value, lines=value.lines * 2, workloads=("a", "b", "c", "d"), errors=small)
    assert "the models differ most on c, off by 0.001 s under" in two.standing_out()


def test_options_stand_beside_scores(lines: tuple[Line, ...]) -> None:
    table = options_table(lines)
    assert table["MAPE (%)"].is_monotonic_increasing
    assert dict(zip(table["model"], table["scale"], strict=True))["Blend"] == "several"
    assert (table["worst fold (%)"] >= table["MAPE (%)"]).all()
