"""What more runs teach: learning curves as people compare them, and how a search for the best design went."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray, fields_of, finite
from core.errors import OptionError, RidgelineError, count
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
from core.validate.learning_curve import LearningCurve

AVERAGE = "average"
_ERRORS = (
    "configurations: sizes | mean error (%): mean | 75 % within (%): p75 | 98 % within (%): p98 | "
    "largest (%): largest | refused"
)


class Learning(Frozen):
    """Learning curves of the same sizes, side by side.

    Attributes
    ----------
    recipe : what was learnt with
    curves : by application (or "all" where there is one curve)
    beside : what another model did on the same draws, by the same names; empty if there is none
    beside_name : what that other model is called
    """

    recipe: str
    curves: Mapping[str, LearningCurve]
    beside: Mapping[str, LearningCurve]
    beside_name: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Configurations learnt from."""
        return next(iter(self.curves.values())).sizes

    @property
    def average(self) -> FloatArray:
        """Mean over the applications of their mean errors, array of shape (n_sizes,)."""
        return _average(self.curves)

    @property
    def beside_average(self) -> FloatArray:
        """The same of the other model."""
        return _average(self.beside)

    def enough(self, name: str, error: float) -> int | None:
        """Return the smallest size from which on the mean error stays within `error` percent, if there is one."""
        good = self.curves[name].mean <= error
        from_here = np.logical_and.accumulate(good[::-1])[::-1]
        return int(np.array(self.sizes)[from_here][0]) if from_here.any() else None

    def table(self) -> pd.DataFrame:
        """Return a row per application and size: mean, 75th and 98th percentile and largest error in percent."""
        tables = []
        for name, curve in self.curves.items():
            beside = {f"{self.beside_name}: mean error (%)": self.beside[name].mean} if name in self.beside else {}
            tables.append(pd.DataFrame({"application": name, **row_of(curve, _ERRORS), **beside}))
        return pd.concat(tables, ignore_index=True)

    def last(self) -> pd.DataFrame:
        """Return a row per application at the largest size, the worst first."""
        table = self.table()
        found = table[table["configurations"] == max(self.sizes)].drop(columns="configurations")
        return found.sort_values("mean error (%)", ascending=False, kind="stable").reset_index(drop=True)

    def sentence(self) -> str:
        """Say how good the model gets, and whether the other one is better."""
        at = int(np.argmax(self.sizes))
        asked = count(next(iter(self.curves.values())).n_test, "unseen one")
        said = f"Learnt from {max(self.sizes)} designs, {self.recipe} predicts {asked}"
        said += f" with a mean error of {self.average[at]:.2f} %"
        said += f" on average over {len(self.curves)} applications" if len(self.curves) > 1 else ""
        if self.beside:
            said += f"; {self.beside_name} with {self.beside_average[at]:.2f} %"
        return f"{said}."

    def plain(self) -> dict[str, Any]:
        """Return the curves for JSON, errors in percent."""
        found = {"sizes": list(self.sizes), **_plain(self.curves)}
        if self.beside:
            found["beside"] = {"name": self.beside_name, **_plain(self.beside)}
        return dict(finite(found))


def _average(curves: Mapping[str, LearningCurve]) -> FloatArray:
    return np.asarray(np.mean([curve.mean for curve in curves.values()], axis=0))


def _plain(curves: Mapping[str, LearningCurve]) -> dict[str, Any]:
    told = {name: fields_of(one, "mean p75 p98 max=largest refused by_repeat") for name, one in curves.items()}
    return {"curves": told, "average": _average(curves).tolist()}


_PAPER_LARGEST, _PAPER_TEST, _STEPS = 300, 200, 10
_LEAST = 3
_FEWEST = 6
"""Fewer designs are hardly worth learning from."""


class LearningSizes(Frozen):
    """The largest number to learn from, the step up to it, how many unseen ones are predicted, and how many there are.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 7.3: 30 to 300 in steps of 30, and 200 unseen.
    """

    largest: int
    step: int
    n_test: int
    n_designs: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers to learn from, ascending; the largest is always among them."""
        return tuple(sorted({*range(self.step, self.largest, self.step), self.largest}))


def suggested_sizes(frame: Frame, least: int = _LEAST) -> LearningSizes:
    """Return the paper's sizes, or smaller ones where fewer designs were measured.

    Parameters
    ----------
    least : trials that a model can be fitted to

    Raises
    ------
    OptionError
        If next to nothing was measured.
    """
    n = len(np.unique(frame.configuration))
    first = math.ceil(least * n / len(frame))
    if n <= first:
        raise OptionError(f"A learning curve needs at least {first + 1} measured designs, got {n}. Measure more.")
    n_test = min(_PAPER_TEST, max(1, n // 3), n - first)
    largest = min(_PAPER_LARGEST, n - n_test)
    return LearningSizes(largest, max(largest // _STEPS, min(_FEWEST, largest)), n_test, n)


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


def history_of(frame: Frame, arrivals: Sequence[Arrival], ask: Ask, progress: Progress = silent) -> History:
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
