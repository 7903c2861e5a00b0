"""Auto, measured: its entries, two baselines and a readable formula on the same folds, chosen inside them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from core.blend import Mixture, apart, spread_of
from core.codec import FloatArray, IntArray
from core.errors import FitError
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.race.versus import Contender, contender, rivals
from core.recipes import Recipe, validate, with_validation
from core.recipes._quick import Member, choosing_folds, drawn, mixture_of, shared
from core.recipes.auto import Auto
from core.scale import LOG, RAW, RowScale
from core.trial import Frame
from core.validate.crossval import FoldResult, Validation, held_out, validation_of, without
from core.validate.folds import Fold, FoldPlan, held_out_together
from core.validate.verdict import Verdict, judged

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Automatic:
    """The model of somebody who chose nothing, and what it is worth.

    Attributes
    ----------
    frame : the trials of the folds: all, or those that were drawn
    plan : the question
    fold_of_row : array of shape (n_trials,)
    baselines : the constant, and extremely randomised trees as scikit-learn ships them
    entries : of which the model is the weighted mean
    winner : the model's procedure
    formula : the readable one
    verdict : on the winner
    model : learnt from all trials, with its interval
    """

    frame: Frame
    plan: FoldPlan
    fold_of_row: IntArray
    baselines: tuple[Contender, ...]
    entries: tuple[Contender, ...]
    winner: Contender
    formula: Contender
    validation: Validation
    verdict: Verdict
    model: FittedPipeline


def automatic(frame: Frame, recipe: Auto | None = None, dataset: str = "", progress: Progress = silent) -> Automatic:
    """Learn the automatic model of a frame, and measure it and what stands beside it on the folds of its question.

    Weights are chosen anew without each fold: where the folds are few, on the others, so that a fit without two folds
    (of half the trees, as it only tells how good an entry is) serves the choice for both. More trials than the
    recipe's `raced` are drawn from for all of this; the model itself is learnt from all.

    Raises
    ------
    FitError
        If the folds, or the fits, are impossible with so few trials.
    """
    own = recipe or Auto()
    plan, some = own.plan(frame), drawn(frame, own.raced, own.seed)
    folds = plan.split(some, own.seed)
    spent: dict[str, float] = {}
    said = _speaker(some, own.members(frame), spent)
    each, results, mixture = _over_outer(own, some, plan, folds, said, progress)
    model = own.made(frame, mixture)
    validation = validation_of(some, plan, folds, results)
    winner = Contender(own.name, validation.predicted, sum(spent.values()))
    entries = tuple(Contender(name, p, spent.get(name, 0.0)) for name, p in each.items())
    constant, stock, formula = [contender(name, fit, some, folds) for name, fit in rivals(own.seed, plan).items()]
    told = judged(some, plan, validation.fold_of_row, winner.predicted, constant.predicted, stock.predicted)
    return Automatic(
        frame=some,
        plan=plan,
        fold_of_row=validation.fold_of_row,
        baselines=(constant, stock),
        entries=entries,
        winner=winner,
        formula=formula,
        validation=validation,
        verdict=told,
        model=with_validation(model, validation, own.seed, dataset, some),
    )


def verdict_on(found: Automatic, recipe: Recipe, progress: Progress = silent, own: Validation | None = None) -> Verdict:
    """Return the verdict on any recipe, tested on the same folds as the automatic model and beside the same baselines.

    Parameters
    ----------
    own : the recipe's validation on these folds, where there is one already

    Raises
    ------
    FitError
        If the recipe cannot be fitted without some fold.
    """
    own = own or validate(recipe, found.frame, found.plan, getattr(recipe, "seed", 0), progress)
    constant, stock = found.baselines
    return judged(found.frame, found.plan, own.fold_of_row, own.predicted, constant.predicted, stock.predicted)


Said = Callable[[str, bytes, bool], FloatArray]
"""What an entry, or its light form, says of all trials that a mask (as bytes) holds out, NaN of the others.

Shape (2, n_trials): predictions, and how far its trees are apart, NaN where it has none.
"""


def _speaker(frame: Frame, members: Sequence[Member], spent: dict[str, float]) -> Said:
    """Return what entries say without some trials; each fit is done once, whoever asks, and its time added up."""
    known = {member.name: member for member in members}

    @cache
    def said(name: str, held: bytes, light: bool) -> FloatArray:
        fold = Fold("", np.flatnonzero(np.frombuffer(held, dtype=bool)))
        found, started = np.full((2, len(frame)), np.nan), time.process_time()
        try:
            model = (known[name].light if light else known[name]).fit(without(frame, fold))
            test = frame.take(fold.test)
            found[0, fold.test] = held_out(model, test).predicted
            spread = None if light else spread_of(model, model.rows(test))
            if spread is not None:
                found[1, fold.test] = spread
        except FitError:
            pass  # an entry that cannot learn has no weight
        spent[name] = spent.get(name, 0.0) + time.process_time() - started
        return found

    return said


def _over_outer(
    own: Auto, frame: Frame, plan: FoldPlan, folds: Sequence[Fold], said: Said, progress: Progress
) -> tuple[Mapping[str, FloatArray], list[FoldResult], Mixture]:
    """Return what each entry says of held-out trials, what their mixtures say of each fold, and the mixture of all."""
    scale = RowScale(LOG if frame.y.min() > 0 else RAW)
    names, n, groups = [member.name for member in own.members(frame)], len(frame), held_out_together(frame, plan)
    masks = [_mask(fold.test, n) for fold in folds]

    def mixture(outer: BoolArray) -> Mixture:
        """Return the mixture by what entries say of each inner fold without it and without the outer one."""
        left, light = np.flatnonzero(~outer), bool(outer.any())
        inner = [m for m in masks if not (m & outer).any()] if shared(folds, n) else _inner(own, frame, plan, left)
        rows = [np.flatnonzero(mask) for mask in inner]
        return mixture_of(
            frame.y, groups, names, rows, lambda name, i: said(name, (inner[i] | outer).tobytes(), light)[0, rows[i]]
        )

    each, results = {name: np.full(n, np.nan) for name in names}, []
    for k, (fold, mask) in enumerate(zip(folds, masks, strict=True)):
        progress(k / (len(folds) + 1), f"fold {k + 1} of {len(folds)}: without {fold.name}")
        own_said = {name: said(name, mask.tobytes(), False)[:, fold.test] for name in names}
        for name, (predicted, _) in own_said.items():
            each[name][fold.test] = predicted
        chosen = mixture(mask)
        used = [own_said[name] for name in chosen.weights]
        spreads = [spread if np.isfinite(spread).all() else None for _, spread in used]
        shares = np.array(list(chosen.weights.values()))
        doubts = apart(np.column_stack([predicted for predicted, _ in used]), spreads, shares, log=chosen.log)
        value = chosen.of({name: predicted for name, (predicted, _) in own_said.items()})
        results.append(FoldResult(scale.forward(value), scale, doubts=doubts))
    return each, results, mixture(np.zeros(n, dtype=bool))


def _inner(own: Auto, frame: Frame, plan: FoldPlan, left: IntArray) -> list[BoolArray]:
    """Return masks of the folds that choose among the trials that are left."""
    folds = choosing_folds(frame.take(left), plan, own.seed)
    return [_mask(left[fold.test], len(frame)) for fold in folds]


def _mask(rows: IntArray, n: int) -> BoolArray:
    found = np.zeros(n, dtype=bool)
    found[rows] = True
    return found
