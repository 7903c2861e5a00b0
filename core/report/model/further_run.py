"""One more run of a group that a model is wrong about: what its errors are once the model was trained on it too."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from core.codec import FloatArray, IntArray
from core.pipeline import FittedPipeline
from core.progress import Progress, part
from core.recipes import Recipe
from core.report.document.axes import thinned
from core.report.model.miss_parts import errors_of, measure_of
from core.report.model.untrained import Axes, axes_of
from core.trial import Frame
from core.validate.folds import Fold, shuffled_configurations

MOST_ASKED, MOST_TRAINED = 200, 5000
"""Trials of a group, and trained ones, evenly chosen of more, whose distances are taken."""
Texts = npt.NDArray[np.str_]


@dataclass(frozen=True)
class Held:
    """A model that has not seen a fold, and the rows of the group in it.

    Attributes
    ----------
    asked : the group's rows of the frame
    texts : array of shape (n_trials,), the groups' names
    """

    recipe: Recipe
    model: FittedPipeline
    frame: Frame
    fold: Fold
    asked: IntArray
    texts: Texts

    @property
    def measure(self) -> str:
        """How errors are measured."""
        return measure_of(self.model, self.frame.y)

    @cached_property
    def rows(self) -> FloatArray:
        """All trials' metrics, as the model takes them."""
        return self.model.rows(self.frame)

    @cached_property
    def trained(self) -> IntArray:
        """The rows of the frame that the model learnt from."""
        return np.setdiff1d(np.arange(len(self.frame)), self.fold.test)

    @cached_property
    def axes(self) -> Axes:
        """How rows are compared."""
        return axes_of(self.model, self.rows[self.trained], self.rows[self.asked])

    def errors(self, model: FittedPipeline, rows: IntArray) -> FloatArray:
        """Return the errors of a model on rows of the frame, with signs."""
        y = self.frame.y[rows]
        return errors_of(y, model.predict(model.rows(self.frame.take(rows))).value, self.measure)


@dataclass(frozen=True)
class FurtherRun:
    """A configuration of the group that was trained on too.

    Attributes
    ----------
    n_rest : the group's other trials that are predicted with and without it
    before, after : their mean error without it, and with it
    """

    name: str
    n_rest: int
    before: float
    after: float


def evenly(rows: IntArray, most: int) -> IntArray:
    """Return at most so many of some rows, evenly chosen."""
    return rows[thinned(len(rows), most)]


def further_runs(held: Held, most: int, seed: int, progress: Progress) -> tuple[FurtherRun, ...]:
    """Return what the group's other configurations lose of their error once one of it was trained on."""
    frame, own = held.frame, held.frame.configuration[held.asked]
    chosen = _chosen(held, most, seed) if len(np.unique(own)) > 1 else []
    found = []
    for i, configuration in enumerate(chosen):
        progress(i / len(chosen), f"run {i + 1} of {len(chosen)} of {held.texts[held.asked[0]]}")
        taken = held.asked[own == configuration]
        rest = held.asked[own != configuration]
        train = np.setdiff1d(np.arange(len(frame)), np.setdiff1d(held.fold.test, taken))
        model = held.recipe.fit(frame.take(train), part(progress, i / len(chosen), (i + 1) / len(chosen)))
        before, after = (np.abs(held.errors(one, rest)) for one in (held.model, model))
        both = np.isfinite(before) & np.isfinite(after)
        if both.any():
            name = frame.what_ran[taken[0]] or frame.ids[taken[0]]
            found.append(FurtherRun(name, int(both.sum()), float(before[both].mean()), float(after[both].mean())))
    return tuple(found)


def _chosen(held: Held, most: int, seed: int) -> list[int]:
    """Return configurations of the group: its medoid, then others in an order by the seed."""
    some = evenly(held.asked, MOST_TRAINED)
    places = held.axes.places(held.rows[some])
    medoid = int(np.argmin(np.round(cdist(places, places).sum(axis=1), 9)))
    first = int(held.frame.configuration[some[medoid]])
    drawn = shuffled_configurations(held.frame.take(held.asked), seed).tolist()
    return [first, *(one for one in drawn if one != first)][:most]
