"""What to race by default, and the models of a race side by side; one in detail: folds, workloads, metrics, speed."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.curate import Unjoined
from core.errors import FitError
from core.race.chosen import Failures, Stability, alike, stability, workload_names
from core.race.entry import Entry, entry_of, quick_first
from core.race.result import EVERYTHING, Key, Run, Standing, Together
from core.recipes.parts.nested import MOST_FOLDS as MOST_INNER
from core.report.compare.race_table import COMBINED, Line, behind
from core.report.shared.naming import columns_of, trial_names
from core.report.shared.scorecard import percent
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.folds import Fold, FoldPlan, dealt, default_folds, possible_folds
from core.validate.scores import Paired, score
from core.validate.scores import errors as absolute_errors

_GOOD, _LEAST = 20.0, 1.0
"""Percent that a good prediction is off by, and below which errors count as the same: of the response, else of the
largest error."""


class SideBySide(Frozen):
    """Models on the same held-out workloads, of which the hardest comes first.

    Attributes
    ----------
    lines : the models; all others are compared to the first
    workloads : their names
    errors : array of shape (n_models, n_workloads), absolute, in `unit`; NaN where there is no prediction
    behind : per model how far its error is above the first one's; None where that cannot be told
    unit : of errors: "%", or the response's own where some of its values are not positive
    """

    lines: tuple[Line, ...]
    workloads: tuple[str, ...]
    errors: FloatArray
    behind: tuple[Paired | None, ...]
    unit: str = "%"

    def standing_out(self) -> str:
        """Say how many workloads every model predicts well, which none does, and where the models differ most."""
        worst, best = self.errors.max(axis=0), self.errors.min(axis=0)
        good = int((worst <= _GOOD).sum())
        said = (
            [f"Every model is within {_GOOD:.0f} % on {good:,} of {len(worst):,} workloads"] if self.unit == "%" else []
        )
        if np.isfinite(best).any():
            hard = int(np.nanargmax(best))
            said.append(f"the hardest is {self.workloads[hard]}, off by {self._told(best[hard])} at best")
        least = _LEAST if self.unit == "%" else float(np.nanmax(self.errors, initial=1e-300)) * _LEAST / 100
        apart = np.maximum(worst, least) / np.maximum(best, least)
        if len(self.lines) > 1 and np.isfinite(apart).any():
            at = int(np.nanargmax(apart))
            near, far = (int(i) for i in self.errors[:, at].argsort()[[0, -1]])
            ends = [f"{self._told(self.errors[i, at])} under {self.lines[i].label}" for i in (near, far)]
            said.append(f"the models differ most on {self.workloads[at]}, off by {' and '.join(ends)}")
        text = "; ".join(said)
        return f"{text[:1].upper()}{text[1:]}."

    def _told(self, error: float) -> str:
        return percent(error) if self.unit == "%" else f"{error:.3g} {self.unit}".strip()

    def table(self) -> pd.DataFrame:
        """Return a row per workload with each model's error, the hardest first."""
        columns = {f"{line.label} ({self.unit})": self.errors[i] for i, line in enumerate(self.lines)}
        return pd.DataFrame({"workload": self.workloads, **columns})

    def differences(self) -> pd.DataFrame:
        """Return a row per further model: its error less the first one's, with the ends of its 95 % interval."""
        known = [(line.label, p) for line, p in zip(self.lines, self.behind, strict=True) if p is not None]
        columns = columns_of([p for _, p in known], "difference | 95 % low: low | 95 % high: high | p")
        return pd.DataFrame({"model": [m for m, _ in known], **columns})


def side_by_side(frame: Frame, lines: Sequence[Line]) -> SideBySide:
    """Return models side by side, workloads in the order of the models' median error.

    Parameters
    ----------
    lines : of what could be run, on the same folds, at least one
    """
    validations = [line.validation for line in lines if line.validation is not None]
    rows = np.flatnonzero(validations[0].fold_of_row >= 0)
    found = np.array([absolute_errors(frame.y, one.predicted)[rows] for one in validations])
    order = np.argsort(-np.median(np.where(np.isfinite(found), found, np.inf), axis=0), kind="stable")
    told = tuple(behind(frame, line, lines[0]) for line in lines)
    unit = "%" if frame.y.min() > 0 else frame.response.unit
    return SideBySide(tuple(lines), workload_names(frame, rows[order]), found[:, order], told, unit)


OPTIONS_AND_SCORES: MappingProxyType[str, Callable[[Line], float | str | None]] = MappingProxyType(
    {
        "kind": lambda line: line.kind,
        "scale": lambda line: "several" if line.kind == COMBINED else line.treatment.split(",")[0],
        "features": lambda line: line.n_chosen,
        "training (s)": lambda line: line.fit_seconds,
        "MAPE (%)": lambda line: line.mape,
        "median error (%)": lambda line: None if line.scores is None else line.scores.median_ape,
        "worst fold (%)": lambda line: float(np.nanmax(line.folds)) if np.isfinite(line.folds).any() else None,
        "within 20 % (%)": lambda line: None if line.scores is None else line.scores.inliers_20,
    }
)
"""What is told of each model on an axis of its own."""


def options_table(lines: Sequence[Line]) -> pd.DataFrame:
    """Return a row per model with its options and scores."""
    columns = {title: [value(line) for line in lines] for title, value in OPTIONS_AND_SCORES.items()}
    return pd.DataFrame({"model": [line.label for line in lines], **columns})


def unjoined_table(unjoined: Sequence[Unjoined]) -> pd.DataFrame:
    """Return a row per workload that only one of two machines has; columns that say nothing are left out."""
    columns = columns_of(unjoined, "only on: machine | application | input | parameters: setting")
    return pd.DataFrame({name: texts for name, texts in columns.items() if any(texts)})


def on_logarithms(frame: Frame) -> bool:
    """Whether a response is better looked at on logarithmic axes: positive, over more than a decade."""
    return bool(frame.y.min() > 0 and frame.y.max() / frame.y.min() > 10)


def fold_table(frame: Frame, validation: Validation, chosen: Standing | Together | None) -> pd.DataFrame:
    """Return a row per fold: what was left out, how well it was predicted, and what was chosen without it."""
    found = validation.by_fold(frame.y)
    columns: dict[str, object] = {
        "left out": list(validation.fold_names),
        "workloads": [s.n + s.n_refused for s in found],
        **columns_of(found, "MAPE (%): mape | median error (%): median_ape | within 20 % (%): inliers_20"),
    }
    if isinstance(chosen, Standing):
        columns["scale and weights"] = [text.replace("_", " ") for text in chosen.treatments]
        columns["features"] = list(chosen.n_features)
    if isinstance(chosen, Together):
        columns["made of"] = [_members(mixture.weights, frame) for mixture in chosen.by_fold]
    return pd.DataFrame(columns)


def _members(weights: Mapping[str, float], frame: Frame) -> str:
    order = sorted(weights.items(), key=lambda pair: -pair[1])
    return " + ".join(f"{weight:.2g} {entry_of(entry, frame).label}" for entry, weight in order)


def failures_table(found: Failures, frame: Frame) -> pd.DataFrame:
    """Return a row per workload, by observed value."""
    both = {f"observed {frame.response}": found.observed, f"predicted {frame.response}": found.predicted}
    return pd.DataFrame({"workload": found.names, **both, "error (%)": found.ape})


def chosen_metrics(frame: Frame, features: Sequence[Sequence[str]]) -> tuple[Stability, ...]:
    """Return how often each metric is looked at over the folds; metrics that tell the same count as one."""
    return stability(features, alike(frame)) if features else ()


def stability_table(found: Sequence[Stability]) -> pd.DataFrame:
    """Return a row per metric or group of metrics that tell the same."""
    rows = [(s.metrics[0], 100 * s.share, ", ".join(s.metrics[1:])) for s in found]
    return pd.DataFrame(rows, columns=["metric", "chosen (% of folds)", "tells the same as"])


class SpeedUp(Frozen):
    """How much sooner a model answers than the simulator, per workload.

    Attributes
    ----------
    names : workloads, smallest speed-up first
    factor : array of shape (n,)
    simulator, host : arrays of shape (n,), in the same unit
    n_without : workloads of which one of the times is not known or not positive
    """

    names: tuple[str, ...]
    factor: FloatArray
    simulator: FloatArray
    host: FloatArray
    unit: str
    n_without: int = 0

    def sentence(self) -> str:
        """Say it in words."""
        return (
            f"On average the simulator takes {self.factor.mean():,.0f} times as long as running the workload on the "
            f"host, after which the model answers at once ({self.factor.min():,.3g} to {self.factor.max():,.3g} times)."
        )

    def table(self) -> pd.DataFrame:
        """Return a row per workload."""
        unit = f" ({self.unit})" if self.unit else ""
        times = {f"simulator{unit}": self.simulator, f"host{unit}": self.host}
        return pd.DataFrame({"workload": self.names, **times, "speed-up (times)": self.factor})


def speed_up(frame: Frame, simulated: Frame, host: str) -> SpeedUp:
    """Return the speed-up per workload, smallest first.

    Parameters
    ----------
    simulated : the same workloads (by trial id) with the simulator's time as response
    host : the metric of `frame` that says how long the workload ran on the host

    Raises
    ------
    FitError
        If the two times have different units, or no workload has both.
    """
    metric = frame.metrics[frame.names.index(host)]
    if metric.unit != simulated.response.unit:
        raise FitError(
            f"The simulator's time {simulated.response} and the host's time {metric} have different units, so their "
            "ratio says nothing. Choose times of the same unit."
        )
    known = dict(zip(simulated.ids, simulated.y.tolist(), strict=True))
    slow = np.array([known.get(id, np.nan) for id in frame.ids])
    quick = frame.X[:, frame.names.index(host)]
    there = np.isfinite(slow) & (slow > 0) & (quick > 0)
    if not there.any():
        raise FitError("No workload has both a simulator's time and a host's time above 0, so there is no speed-up.")
    rows = np.flatnonzero(there)
    rows = rows[np.argsort(slow[rows] / quick[rows], kind="stable")]
    names = trial_names(frame)
    slow, quick, own = slow[rows], quick[rows], tuple(names[i] for i in rows)
    return SpeedUp(own, slow / quick, slow, quick, metric.unit, int((~there).sum()))


MOST_FOLDS = 12
"""Beyond so many values of a column they are held out several at a time."""
DEALT = 10
SLOW = ("anova",)
SMALL = 4_000
"""Trials times metrics up to which it is quick enough to race without being asked to."""


def honest_folds(frame: Frame) -> FoldPlan:
    """Return the hardest folds of a frame, in at most twelve parts."""
    return dealt(frame, default_folds(frame), MOST_FOLDS, DEALT)


def offered_folds(frame: Frame) -> tuple[FoldPlan, ...]:
    """Return the folds worth offering for a race, the default first."""
    return tuple(dict.fromkeys([honest_folds(frame), *possible_folds(frame)]))


def random_folds(frame: Frame) -> tuple[FoldPlan, ...]:
    """Return the random folds that may stand beside the honest ones, the default first."""
    return tuple(plan for plan in possible_folds(frame) if plan.how == "kfold")


def usual_entries(entries: Sequence[Entry], frame: Frame) -> tuple[Entry, ...]:
    """Return the entries that are raced unless the user says otherwise, quick ones first."""
    slow = SLOW if frame.X.size > SMALL else ()
    return quick_first([e for e in entries if e.name not in slow])


class Progressed(Frozen):
    """How far one entry is.

    Attributes
    ----------
    n_done, n_needed : runs; an entry that cannot run needs no more than it has
    mape : over the workloads held out so far, in percent; None before the first
    error : one sentence if it cannot run, else ""
    """

    label: str
    n_done: int
    n_needed: int
    mape: float | None
    seconds: float
    error: str = ""


def progressed(frame: Frame, folds: Sequence[Fold], entry: Entry, runs: Mapping[Key, Run]) -> Progressed:
    """Return how far an entry is on all folds of a race, and how good it has been until now."""
    own = {fold: run for fold in (*range(len(folds)), EVERYTHING) if (run := runs.get((entry.name, fold))) is not None}
    seconds = sum(run.seconds for run in own.values())
    error = next((run.error for run in own.values() if run.error), "")
    if error:
        return Progressed(entry.label, len(own), len(own), None, seconds, error)
    held = [(frame.y[folds[i].test], run.result.predicted) for i, run in own.items() if i != EVERYTHING and run.result]
    mape = score(*map(np.concatenate, zip(*held, strict=True))).mape if held else None
    return Progressed(entry.label, len(own), len(folds) + 1, mape, seconds)


def likely_pair(frame: Frame) -> tuple[str, str] | None:
    """Return the two machines with most trials, to begin with as host and target; None with fewer than two."""
    names = frame.labels["machine"]
    found = sorted({name for name in names if name}, key=lambda name: (-names.count(name), name))
    return (found[0], found[1]) if len(found) > 1 else None


def n_trainings(frame: Frame, plan: FoldPlan, seed: int, entries: Sequence[Entry]) -> int:
    """Return how many models a race trains at most: each treatment on inner folds, then the best one, per fold."""
    runs = len(plan.split(frame, seed)) + 1
    return runs * sum(MOST_INNER * len(e.treatments) + 1 for e in entries)


def progress_table(found: Sequence[Progressed]) -> pd.DataFrame:
    """Return a row per entry that has begun, best first: how far it is, and its error until now."""
    begun = sorted((p for p in found if p.n_done), key=lambda p: (bool(p.error), p.mape is None, p.mape or 0.0))
    because = " | cannot run because: error" if any(p.error for p in begun) else ""
    table = pd.DataFrame(columns_of(begun, f"model: label | MAPE until now (%): mape | seconds{because}"))
    table.insert(1, "done", [p.n_done / max(p.n_needed, 1) for p in begun])
    return table


def progress_sentence(found: Sequence[Progressed]) -> str:
    """Say what is under way, and what waits."""
    open_ = [p for p in found if p.n_done < p.n_needed]
    if not open_:
        return "all entries are done"
    now = next((p for p in open_ if p.n_done), open_[0])
    waiting = len(open_) - 1
    more = f"; {waiting} more {'waits' if waiting == 1 else 'wait'}" if waiting else ""
    return f"{now.label}, {now.n_done + 1} of {now.n_needed}{more}"
