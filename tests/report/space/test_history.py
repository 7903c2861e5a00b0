"""The history of a search is what was known after each arrival, and each round is what one would have been told then."""

from datetime import datetime

import numpy as np
import pytest

from core.errors import Cancelled
from core.models import FAMILIES
from core.recipes import Treated
from core.report.figures.outcome import history_curves
from core.report.space.learning import history_of, history_plain, history_sentence, history_table, parts_of, round_of
from core.space.trial_space import trial_space
from core.space.wishes import HIGH, LOW, read_wishes
from core.trial import Arrival, Kind, Metric, make_frame

METRICS = (Metric("a", Kind.PARAMETER), Metric("b", Kind.PARAMETER))


def search():
    """Return 48 trials, the last 8 of a second arrival among them the best, and both arrivals."""
    grid = np.stack(np.meshgrid(np.arange(1.0, 9), np.arange(1.0, 7), indexing="ij"), axis=-1).reshape(-1, 2)
    rng = np.random.default_rng(0)
    y = np.exp(1 + 0.1 * (grid[:, 0] - 6) ** 2 + 0.2 * (grid[:, 1] - 4) ** 2 + 0.01 * rng.standard_normal(48))
    order = np.argsort(-y)
    ids = [f"t{i}" for i in range(48)]
    frame = make_frame(grid[order], y[order], METRICS, Metric("time", Kind.RESPONSE, "s"), ids=ids)
    came = [
        Arrival(f"{k}.csv", datetime(2026, 1, k), frozenset(ids[40 * (k - 1) : 40 if k == 1 else 48])) for k in (1, 2)
    ]
    return frame, tuple(came), y.min()


@pytest.mark.slow
def test_rounds_are_what_was_known_then() -> None:
    frame, arrivals, least = search()
    space, recipe = trial_space(frame), Treated(FAMILIES["anova"]())
    wishes = read_wishes({"time": LOW}, (), ("time",), space)
    found = history_of(frame, arrivals, lambda part, asked, p: round_of(part, wishes, recipe.fit, asked, p))
    first, last = found.rounds
    assert [(p.title, p.n_new, len(p.frame)) for p in found.parts] == [("1.csv", 40, 40), ("2.csv", 8, 48)]
    early = parts_of(frame, arrivals)[0]
    assert set(early.frame.ids) == arrivals[0].ids
    assert first == round_of(early, wishes, recipe.fit)
    assert first.best > last.best == least
    assert last.design == "a 6 · b 4"
    assert first.offered in ("a 6 · b 4", "a 5 · b 4", "a 6 · b 3", "a 7 · b 4", "a 6 · b 5", "a 5 · b 3")
    assert first.low < first.expected < first.high
    assert first.share > last.share >= 0
    assert last.advice.startswith("Stop: the next ten runs would change nothing")
    table = history_table(found)
    assert list(table["best so far (s)"]) == [first.best, last.best]
    assert history_sentence(found).startswith(f"2 rounds, 48 runs: the best so far is {least:.3g} s, ")
    assert [one["from"] for one in history_plain(found)] == ["1.csv", "2.csv"]
    assert "best so far" in {trace.name for trace in history_curves(found).figure.data}


def test_without_a_model_what_was_measured_is_told() -> None:
    frame, arrivals, _ = search()
    space = trial_space(frame)
    wishes = read_wishes({"time": HIGH}, (), ("time",), space)
    found = history_of(frame, arrivals, lambda part, _, p: round_of(part, wishes, None, False, p))
    assert [one.best for one in found.rounds] == [frame.y.max()] * 2
    assert [one["share"] for one in history_plain(found)] == [None, None]
    few = history_of(frame.take(np.arange(3)), (), lambda part, _, p: round_of(part, wishes, None, True, p))
    assert [p.title for p in few.parts] == ["all trials"]
    assert few.rounds[0].why


def test_a_search_that_is_stopped_is_no_round() -> None:
    frame, arrivals, _ = search()
    space = trial_space(frame)
    wishes, part = read_wishes({"time": LOW}, (), ("time",), space), parts_of(frame, arrivals)[0]

    def stop(fraction: float, message: str) -> None:
        raise Cancelled("Nobody is left who watched it.")

    with pytest.raises(Cancelled):
        round_of(part, wishes, Treated(FAMILIES["anova"]()).fit, True, stop)
