"""The story of a stepwise selection: what every step could take, what it took, why it stopped, errors along it."""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.errors import count
from core.models.parts.along import Choice, values
from core.models.parts.columns import PRODUCT
from core.models.parts.pool import basis_of
from core.models.parts.story import TermStory
from core.pipeline import FittedPipeline, Provenance
from core.report.model.summary import feature_terms
from core.trial import Frame

_PRODUCT = "x·y"
"""How a product of two variables is written where no variable is meant."""


class ChosenTerm(Frozen):
    """One step.

    Attributes
    ----------
    number : of the step, from 1
    term : what it added
    r2, adjusted_r2, gain : with it; the gain is in adjusted R²
    n_candidates : that were left to choose from
    runner_up, runner_up_gain : the best that was not taken, and what it would have gained; "" and
        NaN where nothing else was left
    accepted : False for what would come next with a threshold of 0
    """

    number: int
    term: str
    r2: float
    adjusted_r2: float
    gain: float
    n_candidates: int
    runner_up: str
    runner_up_gain: float
    accepted: bool = True


class Selection(Frozen):
    """A whole selection.

    Attributes
    ----------
    steps : accepted ones, then those that a threshold of 0 would add (if they were asked for)
    threshold : least gain in adjusted R² that adds a term
    stopped : why it ended, in a sentence
    dropped : candidates that could not become a term, with the reason, as (term, step, reason); of many the first
    """

    n_trials: int
    n_pool: int
    steps: tuple[ChosenTerm, ...]
    threshold: float
    stopped: str
    dropped: tuple[tuple[str, int, str], ...]

    @property
    def n_terms(self) -> int:
        """How many terms were accepted."""
        return sum(step.accepted for step in self.steps)


class Candidates(Frozen):
    """What every candidate, of many the best, would have given at one step.

    Attributes
    ----------
    step : number of the step, from 1
    terms, functions : texts per candidate, best first; the function is such as "asinh(x)" or "x·y"
    kinds : the functions that occur, in the pool's order
    adjusted_r2, gain : arrays of shape (n_candidates,), same order
    winner : place of the winner (0 unless rounding made a tie)
    before : adjusted R² before the step
    threshold : least gain that adds a term
    """

    step: int
    terms: tuple[str, ...]
    functions: tuple[str, ...]
    kinds: tuple[str, ...]
    adjusted_r2: FloatArray
    gain: FloatArray
    winner: int
    before: float
    threshold: float


def cut(whole: FittedPipeline, threshold: float, provenance: Provenance) -> FittedPipeline:
    """Return what a recipe fitted with a threshold of 0 is with another, to the last bit, without selecting again."""
    own = tuple(replace(one, model=one.model.cut(threshold)) for one in whole.clusters)
    return replace(whole, clusters=own, provenance=provenance)


def is_stepwise(model: FittedPipeline) -> bool:
    """Whether a selection can be told of this model."""
    return all(m.model.by_terms() is not None for m in model.clusters)


def selection(
    model: FittedPipeline,
    cluster: int = 0,
    threshold: float = 0.0,
    max_terms: int = 0,
    whole: FittedPipeline | None = None,
) -> Selection:
    """Tell the selection of one cluster's model.

    Parameters
    ----------
    model : all of whose clusters have stepwise models
    cluster : from 0
    threshold, max_terms : that it was fitted with (max_terms 0 where nobody knows)
    whole : the same fitted with a threshold of 0, to show what would come after the last term
    """
    fitted, names = _story(model, cluster), feature_terms(model)
    steps = [_chosen(fitted, i, names) for i in range(len(fitted.steps))]
    n = len(steps)
    later = _later(fitted, _story(whole, cluster), names) if whole is not None else []
    return Selection(
        n_trials=fitted.n_trials,
        n_pool=fitted.n_pool,
        steps=(*steps, *later),
        threshold=threshold,
        stopped=_why_so_many(n, fitted.choice) if fitted.choice else _why_stopped(n, max_terms, threshold, later),
        dropped=tuple((fitted.pool.formula(d.candidate, names), d.step, d.why) for d in fitted.dropped),
    )


def candidates(model: FittedPipeline, step: int, cluster: int = 0, threshold: float = 0.0) -> Candidates:
    """Return every candidate of one step (from 1), best first."""
    fitted = _story(model, cluster)
    taken = fitted.steps[step - 1]
    before = fitted.steps[step - 2].adjusted_r2 if step > 1 else 0.0
    order = _best_first(taken.tried, taken.adjusted, taken.candidate)
    tried = [int(j) for j in taken.tried[order]]
    adjusted = taken.adjusted[order]
    functions = [_PRODUCT if f == PRODUCT else basis_of(f).formula("x") for f in fitted.pool.functions]
    return Candidates(
        step=step,
        terms=tuple(fitted.pool.formula(j, feature_terms(model)) for j in tried),
        functions=tuple(functions[fitted.pool.function[j]] for j in tried),
        kinds=tuple(functions[i] for i in np.unique(fitted.pool.function[tried])),
        adjusted_r2=adjusted,
        gain=adjusted - max(before, 0.0) if step == 1 else adjusted - before,
        winner=tried.index(taken.candidate),
        before=before,
        threshold=threshold,
    )


def coefficients(model: FittedPipeline, step: int, cluster: int = 0) -> pd.DataFrame:
    """Return a row per term of the model as it stood after a step (from 1): the constant, "1", then those so far."""
    fitted = _story(model, cluster)
    taken = fitted.steps[step - 1]
    terms = [term.formula(feature_terms(model)) for term in fitted.chosen[:step]]
    return pd.DataFrame({"coefficient": [taken.intercept, *taken.coefficients], "term": ["1", *terms]})


def _story(model: FittedPipeline, cluster: int) -> TermStory:
    story = model.clusters[cluster].model.by_terms()
    if story is None:
        raise TypeError(f"The model of cluster {cluster} tells no selection")
    return story


def _chosen(fitted: TermStory, i: int, features: tuple[str, ...], accepted: bool = True) -> ChosenTerm:
    step = fitted.steps[i]
    before = step.adjusted_r2 - step.gain
    order = _best_first(step.tried, step.adjusted, step.candidate)
    second = next((int(j) for j in order if step.tried[j] != step.candidate), None)
    return ChosenTerm(
        number=i + 1,
        term=fitted.chosen[i].formula(features),
        r2=step.r2,
        adjusted_r2=step.adjusted_r2,
        gain=step.gain,
        n_candidates=step.n_left,
        runner_up="" if second is None else fitted.pool.formula(int(step.tried[second]), features),
        runner_up_gain=float("nan") if second is None else float(step.adjusted[second] - before),
        accepted=accepted,
    )


def _best_first(tried: IntArray, adjusted: FloatArray, winner: int) -> IntArray:
    """Order candidates by adjusted R², the winner first among equals, then as in the pool."""
    return np.lexsort([tried, tried != winner, -adjusted]).astype(np.int64)


def _later(fitted: TermStory, whole: TermStory, features: tuple[str, ...]) -> list[ChosenTerm]:
    """Return what comes after the accepted steps, if both took the same way until there."""
    n = len(fitted.steps)
    if whole.chosen[:n] != fitted.chosen:
        return []
    return [_chosen(whole, i, features, accepted=False) for i in range(n, len(whole.steps))]


def _why_so_many(n: int, choice: Choice) -> str:
    """Say what groups held out said of the number of terms."""
    best = int(choice.errors.argmin())
    return (
        f"Groups held out are predicted best with {count(int(choice.sizes[best]), 'term')} (mean error on the scale of "
        f"the fit: {choice.errors[best]:.3g}); coefficients are a mean over numbers of terms up to {n} and ridge "
        "penalties, weighted by that error."
    )


def _why_stopped(n: int, max_terms: int, threshold: float, later: list[ChosenTerm]) -> str:
    if max_terms and n >= max_terms:
        return f"It stopped at {count(n, 'term')}, the most that were allowed."
    if later:
        first = later[0]
        return (
            f"It stopped after {count(n, 'term')}: the best candidate left, {first.term}, would gain "
            f"{first.gain:.2g}, less than the threshold of {threshold:g}."
        )
    return f"It stopped after {count(n, 'term')}: no candidate left gains more than the threshold of {threshold:g}."


class Along(Frozen):
    """Mean absolute errors on the scale of the fit, by number of terms.

    Attributes
    ----------
    sizes, held_out : arrays of shape (n_sizes,): numbers of terms that were tried on groups held out
    training : array of shape (n_terms,), after each step; empty of a model that keeps none
    log : whether the scale is logarithmic, so that errors are logarithms of factors
    """

    sizes: IntArray
    held_out: FloatArray
    training: FloatArray
    log: bool

    @property
    def best(self) -> int:
        """The number of terms with which groups held out are predicted best."""
        return int(self.sizes[self.held_out.argmin()])


def along(model: FittedPipeline, frame: Frame, cluster: int = 0) -> Along | None:
    """Return the errors along the selection of one cluster's model; None where no groups held out chose it.

    Parameters
    ----------
    frame : that the model learnt from; of one that keeps no steps the errors in training are not told
    """
    own = model.clusters[cluster].model
    choice, story = own.judged(), own.by_terms()
    if choice is None:
        return None
    errors: list[float] = []
    if story is not None:
        X = model.rows(frame)
        scores = model.scores(X)
        there = np.flatnonzero(model.assign(scores) == cluster)
        rows = values(story.chosen, scores[there])
        y = model.forward(frame.y, X)[there]
        said = (step.intercept + step.coefficients @ rows[: len(step.coefficients)] for step in story.steps)
        errors = [float(np.nanmean(np.abs(predicted - y))) for predicted in said]
    return Along(choice.sizes, choice.errors, np.array(errors), model.scale.log)
