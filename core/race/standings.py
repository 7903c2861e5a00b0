"""From the runs of a race to its standings: scores of each entry, the stack of a few, and the blend that wins."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.blend import SUM, Mixture
from core.codec import FloatArray
from core.race.chosen import shares
from core.race.entry import Entry
from core.race.result import BLEND, EVERYTHING, STOCK, Key, Race, Run, Standing, Together
from core.recipes.parts.nested import inner_error
from core.recipes.parts.quick import by_errors
from core.scale import LOG, RAW, RowScale
from core.trial import Frame
from core.validate.calibration import PLAIN
from core.validate.crossval import FoldResult, Validation, validation_of, without
from core.validate.folds import Fold, FoldPlan
from core.validate.scores import score

MOST_STACKED = 5
LEAST_WEIGHT = 1e-6


def stacked(y: FloatArray, runs: Sequence[Run]) -> Mixture:
    """Return the weighted sum of the best few runs of different entries that learnt from the same trials.

    The weights minimise the relative squared error Σ (1 - Σ wᵢ pᵢ / y)² of the inner out-of-fold predictions p
    (the squared error where a response is not positive), over trials that every one of them predicts.

    References
    ----------
    Breiman 1996, Stacked regressions, section 3 (weights that are not negative).
    """
    from scipy.optimize import nnls

    best = sorted((r for r in runs if np.isfinite(r.inner_error)), key=lambda r: r.inner_error)[:MOST_STACKED]
    columns = np.column_stack([r.inner for r in best])
    rows = np.isfinite(columns).all(axis=1)
    log = bool(y.min() > 0)
    if not rows.any():
        return Mixture({best[0].entry: 1.0}, SUM, log)
    size = y[rows] if log else np.full(int(rows.sum()), float(np.abs(y).max()) or 1.0)
    found, _ = nnls(columns[rows] / size[:, None], y[rows] / size)
    kept = {r.entry: float(w) for r, w in zip(best, found, strict=True) if w > LEAST_WEIGHT}
    return Mixture(kept or {best[0].entry: 1.0}, SUM, log)


Asked = tuple[Frame, FoldPlan, Sequence[Fold]]
Mix = Callable[[Frame, Sequence[Run]], Mixture]
MOST_MEMBERS = 6
"""Entries that are blended."""


def race_of(frame: Frame, plan: FoldPlan, seed: int, entries: Sequence[Entry], runs: Mapping[Key, Run]) -> Race:
    """Return what the runs amount to; entries of which a run is missing are left out, as while a race goes on."""
    folds = plan.split(frame, seed)
    asked = frame, plan, folds
    whole = [e for e in entries if _whole(e.name, len(folds), runs)]
    standings = sorted((_standing(e, asked, runs) for e in whole), key=_order)
    able = [s for s in standings if s.runs]
    by_fold = [[runs[s.entry, i] for s in able] for i in range(len(folds))]
    everything = [runs[s.entry, EVERYTHING] for s in able]
    picked = [min(fold, key=lambda run: run.inner_error) for fold in by_fold] if able else []
    several = len(able) > 1
    stack = _together(asked, by_fold, everything, lambda f, r: stacked(f.y, r))
    kinds = {entry.name: entry.kind for entry in entries}
    blend = _together(asked, by_fold, everything, lambda f, r: weighted(f.y, r, kinds))
    return Race(
        folds=str(plan),
        seed=seed,
        fold_names=tuple(f.name for f in folds),
        n_trials=len(frame),
        trials_sha256=frame.digest(),
        standings=tuple(standings),
        stack=stack if several else None,
        winner=_winner(blend),
        nested=blend.validation if blend else None,
        seconds=sum(run.seconds for run in runs.values()),
        blend=blend if several else None,
        picked=_validation(asked, [_result(run) for run in picked]) if able else None,
        picked_entries=tuple(run.entry for run in picked),
    )


def _winner(blend: Together | None) -> str:
    """Return the blend, or the one entry that it is made of; "" if there is none."""
    if blend is None:
        return ""
    return BLEND if len(blend.weights) > 1 else next(iter(blend.weights))


def _whole(entry: str, n_folds: int, runs: Mapping[Key, Run]) -> bool:
    own = [runs.get((entry, i)) for i in (*range(n_folds), EVERYTHING)]
    return all(own) or any(run is not None and run.error for run in own)


def _order(standing: Standing) -> tuple[bool, float]:
    mape = standing.validation.scores.mape if standing.validation else None
    return not standing.runs, float("inf") if mape is None else mape


def _standing(entry: Entry, asked: Asked, runs: Mapping[Key, Run]) -> Standing:
    frame, _, folds = asked
    own = [run for i in (*range(len(folds)), EVERYTHING) if (run := runs.get((entry.name, i))) is not None]
    seconds = sum(run.seconds for run in own)
    error = next((run.error for run in own if run.error), "")
    if error:
        return Standing(entry.name, entry.label, seconds=seconds, non_negative=entry.non_negative, error=error)
    *held, everything = own
    validation = _validation(asked, [_result(run) for run in held])
    return Standing(
        entry=entry.name,
        label=entry.label,
        validation=validation,
        treatment=everything.treatment,
        treatments=tuple(run.treatment for run in held),
        inner_error=everything.inner_error,
        by_fold=tuple(score(frame.y[fold.test], validation.predicted[fold.test]).mape for fold in folds),
        n_features=tuple(len(run.features) for run in held),
        chosen=shares([run.features for run in held]),
        chosen_by_fold=tuple(run.features for run in held),
        n_chosen=len(everything.features),
        seconds=seconds,
        fit_seconds=everything.fit_seconds,
        non_negative=entry.non_negative,
    )


def _result(run: Run) -> FoldResult:
    assert run.result is not None  # an entry that cannot run is in no standing that does
    return run.result


def _validation(asked: Asked, results: Sequence[FoldResult]) -> Validation:
    """Return the validation of results; where their scales differ, residuals are of one that suits them all."""
    if len({result.scale.name for result in results}) > 1:
        scale = _common(asked[0].y, np.concatenate([result.predicted for result in results]))
        results = [FoldResult(scale.forward(result.predicted), scale, result.leverage) for result in results]
    return validation_of(*asked, results, PLAIN)


def _common(y: FloatArray, predicted: FloatArray) -> RowScale:
    """Return logarithms where all is positive, else the response itself."""
    return RowScale(LOG if y.min() > 0 and np.nanmin(predicted, initial=np.inf) > 0 else RAW)


def _together(asked: Asked, by_fold: Sequence[Sequence[Run]], everything: Sequence[Run], mix: Mix) -> Together | None:
    """Return entries together, mixed anew for each fold from what was learnt without it; None if none runs."""
    if not everything:
        return None
    frame, _, folds = asked
    mixtures = tuple(mix(without(frame, fold), runs) for fold, runs in zip(folds, by_fold, strict=True))
    predicted = [
        mixture.of({run.entry: _result(run).predicted for run in runs if run.entry in mixture.weights})
        for mixture, runs in zip(mixtures, by_fold, strict=True)
    ]
    scale = _common(frame.y, np.concatenate(predicted))
    results = [FoldResult(scale.forward(p), scale) for p in predicted]
    return Together(validation_of(*asked, results, PLAIN), mix(frame, everything), mixtures)


def weighted(y: FloatArray, runs: Sequence[Run], kinds: Mapping[str, str]) -> Mixture:
    """Return the blend of runs of different entries that learnt from the same trials.

    Of entries of one kind, which make the same errors, the best one takes part. Where the blend is no better than
    stock trees on the inner folds, it is these alone.

    Parameters
    ----------
    kinds : by entry; entries of one kind are similar
    """
    able = sorted((r for r in runs if np.isfinite(r.inner_error)), key=lambda r: (r.inner_error, r.entry))
    best: dict[str, Run] = {}
    for run in able:
        best.setdefault(kinds.get(run.entry) or run.entry, run)
    found = by_errors(y, {run.entry: run.inner_error for run in list(best.values())[:MOST_MEMBERS]})
    stock = next((run for run in able if run.entry == STOCK), None)
    inner = {run.entry: run.inner for run in able if run.entry in found.weights}
    better = stock is None or inner_error(y, found.of(inner)) < stock.inner_error
    return found if better else Mixture({STOCK: 1.0}, found.how, found.log, found.bound)
