"""What an experiment found: the honest error of each setting beside its training error, and how far folds differ."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.experiment.experiment import Result, Value, measure_title
from core.experiment.grid import Fit, Grid, Setting
from core.report.shared.naming import row_of
from core.validate.scores import Scores

AVERAGE = "average"
_SQUARED = "rmse"
_SCORES = ("n", "n_refused", "mape", "median_ape", "max_ape", "r2", "rmse", "mse")
_POINT = (
    "standard error: standard_error | best fold: low | worst fold: high | fits: n_done | predictions: n | "
    "refused: n_refused | cannot run because: why"
)


class Point(Frozen):
    """One setting on one subject and one kind of folds.

    Attributes
    ----------
    error, training : over all held-out (training) trials of all folds and seeds; None where nothing is known
    standard_error : of the error, from its spread over folds (or over seeds, where each has one fold)
    by_fold : error of each fold and seed
    n, n_refused : held-out predictions, and how many of them no model would make
    n_fits, n_done : how many fits it needs, and how many of them are there
    largest : the largest error of all held-out predictions, in percent
    why : what stood in the way of a fit, or ""
    """

    subject: str
    folds: str
    setting: Setting
    error: float | None
    training: float | None
    standard_error: float | None
    by_fold: tuple[float, ...]
    n: int
    n_refused: int
    n_fits: int
    n_done: int
    largest: float | None = None
    why: str = ""

    @property
    def low(self) -> float | None:
        """The smallest error of a fold."""
        return min(self.by_fold) if self.by_fold else None

    @property
    def high(self) -> float | None:
        """The largest error of a fold."""
        return max(self.by_fold) if self.by_fold else None


def points(grid: Grid, results: Mapping[str, Result]) -> tuple[Point, ...]:
    """Return a point per kind of folds, subject and setting, in this order."""
    found: dict[tuple[int, int, int], dict[str, Fit]] = {}
    kinds = grid.experiment.folds
    place = {folds: i for i, folds in enumerate(kinds)}
    for fit in grid.fits:
        found.setdefault((place[fit.split.folds], fit.subject, fit.setting), {})[fit.key] = fit
    return tuple(
        _point(grid, grid.subjects[subject].name, kinds[folds], grid.settings[setting], list(fits.values()), results)
        for (folds, subject, setting), fits in sorted(found.items(), key=lambda pair: pair[0])
    )


def _point(
    grid: Grid, subject: str, folds: str, setting: Setting, fits: Sequence[Fit], results: Mapping[str, Result]
) -> Point:
    there = [(fit, results[fit.key]) for fit in fits if fit.key in results]
    why = next((result.why for _, result in there if result.why), "")
    scored = [(fit, r) for fit, r in there if r.held is not None]
    held = [(fit.split.seed, r.held) for fit, r in scored if r.held is not None]
    training = [r.training for _, r in scored if r.training is not None]
    measure = grid.experiment.measure
    largest = [s.max_ape for _, s in held if s.max_ape is not None]
    return Point(
        subject=subject,
        folds=folds,
        setting=setting,
        error=None if why else pooled([s for _, s in held], measure),
        training=None if why else pooled(training, measure),
        standard_error=None if why else standard_error(held, measure),
        by_fold=tuple(v for _, s in held if (v := getattr(s, measure)) is not None),
        n=sum(s.n for _, s in held),
        n_refused=sum(s.n_refused for _, s in held),
        n_fits=len(fits),
        n_done=len(there),
        largest=max(largest) if largest else None,
        why=why,
    )


def pooled(scores: Sequence[Scores], measure: str) -> float | None:
    """Return a measure over all trials of several folds; of medians the mean, weighed by trials."""
    known = [(s.n, float(v)) for s in scores if (v := getattr(s, measure)) is not None]
    if not known:
        return None
    n, values = (np.array(column, dtype=np.float64) for column in zip(*known, strict=True))
    if measure == "max_ape":
        return float(values.max())
    if measure == _SQUARED:
        return float(np.sqrt(np.average(values**2, weights=n)))
    return float(np.average(values, weights=n))


def standard_error(held: Sequence[tuple[int, Scores]], measure: str) -> float | None:
    """Return the standard error of the pooled error.

    Of several folds of one seed it is that of their mean, each weighed by its trials, and of several
    seeds the mean of theirs, as these deal out the same trials again and are not independent. Where
    each seed has one fold, it comes from the spread over seeds. None where there is but one fit.

    References
    ----------
    Breiman, Friedman, Olshen, Stone 1984, Classification and Regression Trees, sections 3.4.3 and 11.5.
    """
    by_seed: dict[int, list[tuple[int, float]]] = {}
    for seed, scores in held:
        value = getattr(scores, measure)
        if value is not None:
            by_seed.setdefault(seed, []).append((scores.n, float(value)))
    several = [of for of in by_seed.values() if len(of) > 1]
    parts = several or [[pair for of in by_seed.values() for pair in of]]
    found = [_of_mean(of) for of in parts if len(of) > 1]
    return float(np.sqrt(np.mean(np.square(found)))) if found else None


def _of_mean(pairs: Sequence[tuple[int, float]]) -> float:
    n, values = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    share = n / n.sum()
    away = values - float(share @ values)
    return float(np.sqrt((share**2 @ away**2) * len(values) / (len(values) - 1)))


def named(values: Mapping[str, Value]) -> dict[str, object]:
    """Return a setting's values as a table holds them: numbers as they are, lists and nothing as texts."""
    return {name: _shown(value) for name, value in values.items()}


def _shown(value: Value) -> object:
    if value is None:
        return "none"
    return ", ".join(value) if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else value


def said(values: Mapping[str, Value]) -> str:
    """Return a setting in words, such as "components = 4, threshold = 0.001"."""
    return ", ".join(f"{n} = {v:g}" if isinstance(v, float) else f"{n} = {v}" for n, v in named(values).items())


def points_table(grid: Grid, found: Sequence[Point]) -> pd.DataFrame:
    """Return a row per point: the setting, its errors, their spread, and how many trials were predicted."""
    measure = measure_title(grid.experiment.measure)
    several = len(grid.experiment.folds) > 1
    rows = [
        {
            **({grid.experiment.each: p.subject} if grid.experiment.each else {}),
            **({"folds": p.folds} if several else {}),
            **named(p.setting.values),
            f"held out: {measure}": p.error,
            f"training: {measure}": p.training,
            **row_of(p, _POINT),
        }
        for p in found
    ]
    table = _one_kind(pd.DataFrame(rows))
    return table if table["cannot run because"].any() else table.drop(columns="cannot run because")


def fits_table(grid: Grid, results: Mapping[str, Result]) -> pd.DataFrame:
    """Return a row per fit that is done, in the order of the grid; nothing of it depends on when or where it ran."""
    rows = []
    for fit in grid.fits:
        result = results.get(fit.key)
        if result is None:
            continue
        subject, setting = grid.subjects[fit.subject].name, grid.settings[fit.setting]
        rows.append(
            {
                **({grid.experiment.each: subject} if grid.experiment.each else {}),
                **named(setting.values),
                **row_of(fit.split, "folds | seed | fold: name"),
                **row_of(result.held, " | ".join(_SCORES)),
                **row_of(result.training, " | ".join(f"training {name}: {name}" for name in _SCORES)),
                "why": result.why,
            }
        )
    return _one_kind(pd.DataFrame(rows))


def _one_kind(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns hold numbers or texts, not both: "none" beside numbers makes all of them texts."""
    kinds = {c: {type(v) for v in table[c]} for c in table.columns if table[c].dtype == object}
    unknown = {str(c): table[c].astype(float) for c, of in kinds.items() if of <= {type(None), int, float}}
    mixed = {str(c): [str(v) for v in table[c]] for c, of in kinds.items() if str in of and of & {int, float}}
    return table.assign(**unknown, **mixed)


def n_done(grid: Grid, results: Mapping[str, Result]) -> int:
    """Return how many fits are done."""
    return len({fit.key for fit in grid.fits if fit.key in results})


def seconds_of(grid: Grid, results: Mapping[str, Result]) -> float:
    """Return how long all fits that are done took together, each in one process."""
    return float(sum(results[key].seconds for key in {fit.key for fit in grid.fits} if key in results))


def averaged(found: Sequence[Point]) -> tuple[Point, ...]:
    """Return the mean over subjects per setting and kind of folds, where there are several and all are there."""
    by: dict[tuple[str, int], list[Point]] = {}
    for p in found:
        by.setdefault((p.folds, id(p.setting)), []).append(p)
    return tuple(_average(of) for of in by.values() if len(of) > 1)


def _average(of: Sequence[Point]) -> Point:
    errors = _known([p.error for p in of])
    training = _known([p.training for p in of])
    whole = len(errors) == len(of)
    spread = float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if whole else None
    counts = {name: sum(getattr(p, name) for p in of) for name in ("n", "n_refused", "n_fits", "n_done")}
    return replace(
        of[0],
        subject=AVERAGE,
        error=float(errors.mean()) if whole else None,
        training=float(training.mean()) if len(training) == len(of) else None,
        standard_error=spread,
        by_fold=tuple(errors.tolist()),
        largest=max((p.largest for p in of if p.largest is not None), default=None),
        why=next((p.why for p in of if p.why), ""),
        **counts,
    )


def _known(values: Sequence[float | None]) -> FloatArray:
    return np.array([v for v in values if v is not None], dtype=np.float64)
