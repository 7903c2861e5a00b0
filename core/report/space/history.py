"""How a search for the best design went: after each arrival of results, the best so far and how sure that was."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from core.codec import Frozen, IntArray, finite
from core.errors import RidgelineError
from core.progress import Progress, in_turn, silent
from core.report.shared.naming import HIGH_90, LOW_90, quantity, row_of
from core.report.space.decision import design_text, runs_sentence, sentence
from core.scale import ResponseScale
from core.space.believed import believe_in
from core.space.designs import decide
from core.space.joint import measured
from core.space.offered import Question
from core.space.plans import Evidence
from core.space.plans.base import Fit
from core.space.results import Results
from core.space.wishes import Wishes
from core.trial import Arrival, Frame

TEN = 10
MOST_ASKED = 20
"""Rounds, the last ones, of which a model is asked; of those before only the best so far is told."""
MOST_TRIALS = 5000
"""Trials up to which one is."""
_WHOLE: tuple[str, datetime | None, frozenset[str]] = ("all trials", None, frozenset())


class Part(Frozen):
    """What arrived together, and all trials up to then.

    Attributes
    ----------
    n_new : trials of this arrival that count
    frame : with all trials before
    ids : of this arrival
    """

    title: str
    when: datetime | None
    n_new: int
    frame: Frame
    ids: frozenset[str]


class Round(Frozen):
    """What was known once some results had come.

    Attributes
    ----------
    runs : trials that count, up to then
    best : the best measured design's mean, NaN where none is a design of the space
    design : that one
    offered : the design that was the best by what could be expected then; "" where nothing could be
    expected, low, high : of that one, with nine in ten chances
    gain, share : what ten further runs were expected to gain, in the response's unit and of the best
    answer, advice : the decision in a sentence, and whether more runs would have paid
    why : why there was none
    """

    best: float
    design: str
    offered: str = ""
    expected: float = np.nan
    low: float = np.nan
    high: float = np.nan
    gain: float = np.nan
    share: float = np.nan
    answer: str = ""
    advice: str = ""
    why: str = ""


class History(Frozen):
    """The rounds of a search, the first arrival first, of one goal."""

    frame: Frame
    parts: tuple[Part, ...]
    rounds: tuple[Round, ...]


def parts_of(frame: Frame, arrivals: Sequence[Arrival]) -> tuple[Part, ...]:
    """Return the trials up to each arrival of which one counts; trials of none (a folder's) are the first."""
    known = {id: k for k, arrival in enumerate(arrivals) for id in arrival.ids}
    came: IntArray = np.array([known.get(id, 0) for id in frame.ids], dtype=np.int64)
    found = []
    for k in np.unique(came).tolist():
        title, when, ids = (arrivals[k].title, arrivals[k].when, arrivals[k].ids) if arrivals else _WHOLE
        so_far = frame.take(np.flatnonzero(came <= k).astype(np.int64))
        found.append(Part(title, when, int((came == k).sum()), so_far, ids))
    return tuple(found)


Ask = Callable[[Part, bool, Progress], Round]


def history_of(
    frame: Frame, arrivals: Sequence[Arrival], wishes: Wishes, ask: Ask, progress: Progress = silent
) -> History:
    """Return the rounds of a search; `ask` says what was known after each, such as `round_of`."""
    parts = parts_of(frame, arrivals)
    first, shares = len(parts) - MOST_ASKED, enumerate(in_turn(progress, parts))
    rounds = (ask(one, k >= first and len(one.frame) <= MOST_TRIALS, share) for k, (share, one) in shares)
    return History(frame, parts, tuple(rounds))


def round_of(one: Part, wishes: Wishes, fit: Fit | None, asked: bool = True, progress: Progress = silent) -> Round:
    """Return what was known after an arrival: trained on all trials up to then, asked as one would today.

    Parameters
    ----------
    wishes : one goal, which is the response
    fit : how the model is trained; trees grown at random are it if None
    asked : whether a model is; else only what was measured is told
    """
    goal, space = wishes.goals[0], wishes.space
    scale = ResponseScale("log" if one.frame.y.min() > 0 else "raw")
    ranks, means, _ = measured(one.frame, scale, space)
    best = int(np.argmin(goal.sign * means)) if len(means) else -1
    found = float(scale.inverse(means[[best]])[0]) if len(means) else np.nan
    design = design_text(space, space.texts(space.codes(ranks[[best]]))[0]) if len(means) else ""
    if not asked:
        return Round(found, design)
    try:
        model = fit(one.frame, progress) if fit is not None else None
        believed = believe_in(Evidence(model, one.frame, fit), space, progress=progress)
        said = decide(Question(wishes, {goal.text: believed}), 2)
    except RidgelineError as error:
        return Round(found, design, why=str(error))
    first = said.alternatives[0]
    expected, low, high = (float(ends[0]) for ends in (first.goals, first.low, first.high))
    offered, gain, share = design_text(space, first.point), said.gains.get(TEN, np.nan), said.gain(TEN)
    return Round(found, design, offered, expected, low, high, gain, share, sentence(said), runs_sentence(said))


def history_table(value: History) -> pd.DataFrame:
    """Return a row per round: what came and when, the best so far, and how sure that was."""
    response = value.frame.response
    rows = [
        {
            "round": k,
            "came": came.when.strftime("%Y-%m-%d %H:%M") if came.when else "",
            "from": came.title,
            "new": came.n_new,
            "runs": len(came.frame),
            f"best so far{f' ({response.unit})' if response.unit else ''}": one.best,
            "design": one.design,
            "recommended": one.offered or one.why,
            **row_of(one, f"expected | {LOW_90}: low | {HIGH_90}: high"),
            "ten runs gain (%)": 100 * one.share,
        }
        for k, (came, one) in enumerate(zip(value.parts, value.rounds, strict=True), 1)
    ]
    return pd.DataFrame(rows)


def history_sentence(value: History) -> str:
    """Say how the best so far and the expected gain of ten runs changed from the first round to the last."""
    first, last = value.rounds[0], value.rounds[-1]
    response, n = value.frame.response, len(value.rounds)
    rounds = f"{n} rounds, {len(value.parts[-1].frame):,} runs" if n > 1 else f"One round of {len(value.frame):,} runs"
    if np.isnan(last.best):
        return f"{rounds}; none of them is a design of this space."
    said = f"{rounds}: the best so far is {quantity(last.best, response)}"
    said += f", {quantity(first.best, response)} after the first" if n > 1 and np.isfinite(first.best) else ""
    shares = [one.share for one in value.rounds if np.isfinite(one.share)]
    if shares and np.isfinite(last.share):
        before = f", {100 * shares[0]:.2g} % after the first" if len(shares) > 1 else ""
        said += f"; ten more are expected to gain {100 * last.share:.2g} %{before}"
    return f"{said}."


def history_plain(value: History) -> list[dict[str, Any]]:
    """Return the rounds as plain values; what is not known is None."""
    found = []
    for k, (came, one) in enumerate(zip(value.parts, value.rounds, strict=True), 1):
        when = came.when.isoformat(timespec="seconds") if came.when else None
        plain = {"round": k, "when": when, "from": came.title, "new": came.n_new, "runs": len(came.frame)}
        found.append(finite(plain | asdict(one)))
    return found


def results_sentence(value: Results) -> str:
    """Say which of the planned designs a file has, and what of it is not taken."""
    n, rows = value.n_planned, len(value.imported.trials)
    said = [f"{n - len(value.missing):,} of {n:,} planned designs have results, {rows:,} rows"] if n else []
    said += [] if n else [f"{rows:,} row{'s' * (rows > 1)} of designs, none of which was planned"]
    if n and value.unplanned:
        said.append(f"{_told(value.unplanned, 'design')} not planned, taken too")
    if value.wrong:
        first = value.wrong[0]
        said.append(f"{_told(len(value.wrong), 'row')} left out ({first.where}: {first.why})")
    if value.left:
        said.append(f"columns not taken: {', '.join(value.left[:8])}")
    return f"{'; '.join(said)}."


def _told(n: int, noun: str) -> str:
    return f"1 {noun} is" if n == 1 else f"{n:,} {noun}s are"
