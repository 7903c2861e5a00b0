"""Auto, measured: its entries, two baselines and a readable formula on the same folds, chosen inside them."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from core.blend import Mixture, apart
from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import FitError
from core.execution.execute import execute, paying
from core.pipeline import FittedPipeline
from core.progress import Progress, part, silent
from core.race.versus import Contender, contender, rivals
from core.recipes import Recipe, validate, with_validation
from core.recipes.auto import Auto
from core.recipes.parts.quick import Member, choosing_folds, drawn, mixture_of, said_of, shared
from core.scale import LOG, RAW, RowScale
from core.trial import Frame
from core.validate.crossval import FoldResult, Validation, validation_of
from core.validate.folds import Fold, FoldPlan, held_out_together
from core.validate.verdict import Verdict, judged

LEAST = 5
"""Fewer configurations leave none to learn from where one is held out, and another to choose by."""


class Automatic(Frozen):
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

    def test_of(self, frame: Frame) -> Validation | None:
        """Return the test of the model on trials that it had not seen, where it is on all of a frame's."""
        return self.validation if np.array_equal(self.frame.y, frame.y) else None

    def __repr__(self) -> str:
        return f"Automatic({self.verdict.level}: {self.verdict.says})"


def automatic(
    frame: Frame, recipe: Auto | None = None, dataset: str = "", progress: Progress = silent, workers: int | None = None
) -> Automatic:
    """Learn the automatic model of a frame, and measure it and what stands beside it on the folds of its question.

    Weights are chosen anew without each fold: where the folds are few, on the others, so that a fit without two folds
    (of half the trees, as it only tells how good an entry is) serves the choice for both. More trials than the
    recipe's `raced` are drawn from for all of this; the model itself is learnt from all.

    Parameters
    ----------
    workers : processes of this machine, which change no result; as many as pay if None

    Raises
    ------
    FitError
        If the folds, or the fits, are impossible with so few trials.
    """
    own = recipe or Auto()
    if (n := len(set(frame.configuration.tolist()))) < LEAST:
        raise FitError(
            f"The automatic model needs {LEAST} configurations at least, got {n}: some are held out, and of the others "
            "some again, to choose by. Measure more, or fit one recipe to all."
        )
    if not np.ptp(frame.X, axis=0).any():
        raise FitError(
            "No metric differs between the trials: they show how much one configuration varies. "
            "Import trials of other inputs, settings or machines."
        )
    plan, some = own.plan(frame), drawn(frame, own.raced, own.seed)
    folds = plan.split(some, own.seed)
    said = Said(some, {member.name: member for member in own.members(frame)})
    each, results, mixture = _over_outer(own, some, plan, folds, said, part(progress, 0.0, 0.8), workers)
    model = own.made(frame, mixture, part(progress, 0.8, 0.9))
    validation = validation_of(some, plan, folds, results)
    winner = Contender(own.name, validation.predicted, sum(said.spent.values()))
    entries = tuple(Contender(name, p, said.spent[name]) for name, p in each.items())
    constant, stock, formula = [contender(name, fit, some, folds) for name, fit in rivals(own.seed, plan).items()]
    beside = (constant.predicted, stock.predicted, formula.predicted)
    told = judged(some, plan, validation.fold_of_row, winner.predicted, *beside)
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
    beside = (constant.predicted, stock.predicted, found.formula.predicted)
    told = judged(found.frame, found.plan, own.fold_of_row, own.predicted, *beside)
    return replace(told, mape=own.scores.mape)


class Asked(Frozen):
    """A fit to be made: an entry, or its light form, without the trials that a mask (as bytes) holds out."""

    name: str
    held: bytes
    light: bool


class Said(Frozen):
    """What entries say of trials that they learnt without; each fit is done once, whoever asks, here or elsewhere.

    Attributes
    ----------
    known : by fit, array of shape (2, n_trials): predictions, and how far its trees are apart; NaN where it has none
    spent : by entry, seconds of processor
    """

    frame: Frame
    members: Mapping[str, Member]
    known: dict[Asked, FloatArray] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.spent.update(dict.fromkeys(self.members, 0.0))

    def of(self, asked: Asked) -> FloatArray:
        """Return what is said, shape (2, n_trials)."""
        if asked not in self.known:
            self._keep(asked, fit_without((self.frame, self.members), asked))
        return self.known[asked]

    def ahead(self, every: Iterable[Asked], progress: Progress, workers: int | None) -> bool:
        """Make fits in processes, as many as pay by what those took that are known; return whether any do."""
        left = [asked for asked in dict.fromkeys(every) if asked not in self.known]
        several = workers or paying(sum(self.spent.values()) / len(self.known) * len(left), len(left))
        if several > 1:
            shared, keep = (self.frame, self.members), lambda i, result: self._keep(left[i], result)
            execute(fit_without, left, shared, on_result=keep, progress=progress, workers=several)
        return several > 1

    def _keep(self, asked: Asked, result: tuple[FloatArray, float]) -> None:
        self.known[asked] = result[0]
        self.spent[asked.name] += result[1]


def fit_without(shared: tuple[Frame, Mapping[str, Member]], asked: Asked) -> tuple[FloatArray, float]:
    """Return what an entry says of the trials held out, shape (2, n_trials), and what it took, in any process."""
    frame, members = shared
    fold = Fold("", np.flatnonzero(np.frombuffer(asked.held, dtype=bool)))
    found, started, member = np.full((2, len(frame)), np.nan), time.process_time(), members[asked.name]
    own = member.light if asked.light else member
    found[:, fold.test] = said_of(own, frame, fold, spread=not asked.light)
    return found, time.process_time() - started


def _over_outer(
    own: Auto, frame: Frame, plan: FoldPlan, folds: Sequence[Fold], said: Said, progress: Progress, workers: int | None
) -> tuple[Mapping[str, FloatArray], list[FoldResult], Mixture]:
    """Return what each entry says of held-out trials, what their mixtures say of each fold, and the mixture of all."""
    scale = RowScale(LOG if frame.y.min() > 0 else RAW)
    names, n, groups = list(said.members), len(frame), held_out_together(frame, plan)
    masks, nothing = [np.isin(np.arange(n), fold.test) for fold in folds], np.zeros(n, dtype=bool)
    outers, few = (*masks, nothing), shared(folds, n)

    def within(outer: BoolArray) -> list[BoolArray]:
        """Return masks of the folds that choose among the trials that are left."""
        if few:
            return [mask for mask in masks if not (mask & outer).any()]
        left = np.flatnonzero(~outer)
        return [np.isin(np.arange(n), left[fold.test]) for fold in choosing_folds(frame.take(left), plan, own.seed)]

    inner = [within(outer) for outer in outers]

    def asked(name: str, held: BoolArray, outer: BoolArray) -> Asked:
        """Return the fit without an inner fold and the outer one, which takes the light form."""
        return Asked(name, (held | outer).tobytes(), bool(outer.any()))

    def mixture(k: int, outer: BoolArray) -> Mixture:
        """Return the mixture by what entries say of each inner fold without it and without the outer one."""
        rows = [np.flatnonzero(mask) for mask in inner[k]]
        return mixture_of(
            frame.y, groups, names, rows, lambda name, i: said.of(asked(name, inner[k][i], outer))[0, rows[i]]
        )

    for name in names:
        progress(0.0, f"fold 1 of {len(folds)}: without {folds[0].name}")
        said.of(asked(name, masks[0], nothing))
    whole = [(mask, nothing) for mask in masks]
    pairs = [(held, outer) for outer, own_masks in zip(outers, inner, strict=True) for held in own_masks]
    every = [asked(name, held, outer) for held, outer in (*whole, *pairs) for name in names]
    progress = part(progress, 0.9 if said.ahead(every, part(progress, 0.0, 0.9), workers) else 0.0, 1.0)
    each, results = {name: np.full(n, np.nan) for name in names}, []
    for k, (fold, mask) in enumerate(zip(folds, masks, strict=True)):
        progress(k / (len(folds) + 1), f"fold {k + 1} of {len(folds)}: without {fold.name}")
        own_said = {name: said.of(asked(name, mask, nothing))[:, fold.test] for name in names}
        for name, (predicted, _) in own_said.items():
            each[name][fold.test] = predicted
        chosen = mixture(k, mask)
        used = [own_said[name] for name in chosen.weights]
        spreads = [spread if np.isfinite(spread).all() else None for _, spread in used]
        shares = np.array(list(chosen.weights.values()))
        doubts = apart(np.column_stack([predicted for predicted, _ in used]), spreads, shares, log=chosen.log)
        value = chosen.of({name: predicted for name, (predicted, _) in own_said.items()})
        results.append(FoldResult(scale.forward(value), scale, doubts=doubts))
    return each, results, mixture(len(folds), nothing)
