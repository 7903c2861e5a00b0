"""The same recipe with and without trials: scored on what counts in both."""

import numpy as np
import pytest

from core.curate import aggregate
from core.progress import Progress
from core.recipes import make_recipe
from core.report.trials.curation import Difference, difference
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds

N, REPEATS = 20, 5


def frame(without: tuple[int, ...] = ()) -> Frame:
    """Twenty sizes of five repeats; of each third size the smallest repeat is a tenth of the truth."""
    rng = np.random.default_rng(1)
    size = np.repeat(np.geomspace(1, 100, N), REPEATS)
    y = size * np.exp(0.01 * rng.standard_normal(len(size)))
    y[:: 3 * REPEATS] /= 10
    keep = np.array([i for i in range(len(size)) if i not in without])
    labels = {"application": [f"app{i // REPEATS:02}" for i in keep]}
    return make_frame(
        size[keep][:, None],
        y[keep],
        [Metric("size")],
        Metric("time", Kind.RESPONSE, "s"),
        labels,
        [f"t{i:03}" for i in keep],
    )


BAD = tuple(range(0, N * REPEATS, 3 * REPEATS))


def compared(how: str = "each", configuration: dict[str, int] | None = None, **more: Progress) -> Difference:
    everything, counted = aggregate(frame(), how), aggregate(frame(BAD), how)
    recipe = make_recipe("stepwise")
    return difference(recipe, everything, counted, parse_folds("kfold:5"), 0, configuration=configuration, **more)


def test_scored_on_the_trials_that_count() -> None:
    found = compared()
    assert found.n_scored == 93
    assert found.counted.mape < 6
    assert found.everything.mape > 3 * found.counted.mape
    table = found.table(frame())
    assert list(table.columns)[1:3] == ["learnt from all trials", "learnt from those that count"]
    assert table.loc[table["score"] == "Mean error (MAPE)", "learnt from those that count"].item() == found.counted.mape


def test_rows_of_repeats_are_paired_by_what_they_stand_for() -> None:
    by_trial = compared("mean")
    whole = {f"t{i:03}": i // REPEATS for i in range(N * REPEATS)}
    by_configuration = compared("mean", whole)
    assert by_trial.n_scored < N  # the smallest repeat names a row, and may be the one left out
    assert by_configuration.n_scored == N


def test_nothing_left_out_is_no_difference() -> None:
    same = frame()
    found = difference(make_recipe("stepwise"), same, same, parse_folds("kfold:5"))
    assert found.everything == found.counted


def test_progress_goes_from_begin_to_end() -> None:
    seen: list[float] = []
    compared(progress=lambda fraction, message: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[0] < 0.2
    assert seen[-1] == pytest.approx(1.0, abs=0.1)
