"""What a model and its family tell of themselves; whoever tells nothing has the answers here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

import numpy as np

from core.codec import FloatArray, Frozen

if TYPE_CHECKING:
    import pandas as pd

    from core.models._forward import Step
    from core.models.parts.along import Choice
    from core.models.parts.pool import Pool, Term
    from core.models.parts.splines_search import SplineStep

T = TypeVar("T", covariant=True)
U = TypeVar("U")
LEAST_PERCENT = 0.1
"""Under which a share is not listed."""
Tables = tuple[float, list[tuple[tuple[int, ...], FloatArray]]]
"""A constant, and per set of columns an array over their values; they are added up."""


class Importance(Frozen):
    """How much each metric, or pair of metrics, matters.

    Attributes
    ----------
    title : what is measured, such as "share of the variance"
    unit : of `values`: "%", "ranges" or "sd"
    meaning : what a value says, in a sentence
    names : metrics, or pairs such as "a:b", what matters most first
    values : array of shape (n_names,)
    smaller_matters : whether small values are the important ones
    n_hidden : how many more there are, too small to list
    """

    title: str
    unit: str
    meaning: str
    names: tuple[str, ...]
    values: FloatArray
    smaller_matters: bool = False
    n_hidden: int = 0

    def table(self) -> "pd.DataFrame":
        """Return a row per metric or pair."""
        import pandas as pd

        return pd.DataFrame({"metric": self.names, f"{self.title} ({self.unit})": self.values})


def ranked(
    title: str, unit: str, meaning: str, values: FloatArray, names: Sequence[str], smaller: bool = False
) -> Importance:
    """Return values by name, what matters most first."""
    order = np.argsort(values if smaller else -values, kind="stable")
    return Importance(title, unit, meaning, tuple(names[j] for j in order), values[order], smaller)


def shares_of(title: str, meaning: str, shares: FloatArray, names: Sequence[str]) -> Importance:
    """Return the shares worth showing in percent, the largest first."""
    found = ranked(title, "%", meaning, 100 * shares, names)
    n = int((found.values >= LEAST_PERCENT).sum())
    return replace(found, names=found.names[:n], values=found.values[:n], n_hidden=len(names) - n)


MOVED = (
    "How far the prediction moves when the {0} moves by one standard deviation, in standard deviations of the response "
    "over the training trials. {1}s that go together share it{2}."
)


TERMS = "Terms of the formula, over all clusters."


class StepRow(Frozen):
    """One step to a model: the term it added, R² and adjusted R² with it."""

    term: str
    r2: float
    adjusted_r2: float


def adjusted(r2: float, n: int, k: int) -> float | None:
    """Return R² of n trials adjusted for k coefficients beside the constant; None where these are too many."""
    return 1 - (1 - r2) * (n - 1) / (n - k - 1) if n - k - 1 > 0 else None


class Dropped(Frozen):
    """A candidate that could not become a term: its number, the step (0: before all), and why."""

    candidate: int
    step: int
    why: str


class TermStory(Frozen):
    """How terms were chosen one by one out of a pool.

    Attributes
    ----------
    chosen : the terms, one per step
    pool, dropped : the candidates, and those that could not become a term
    n_pool : how many candidates there were
    choice : what inner folds said of the number of terms, if they were asked
    """

    steps: "tuple[Step, ...]"
    chosen: "tuple[Term, ...]"
    pool: "Pool"
    dropped: tuple[Dropped, ...]
    n_pool: int
    n_trials: int
    choice: "Choice | None"


class RoundStory(Frozen):
    """How parameters and their interactions were chosen in rounds.

    Attributes
    ----------
    parameters : columns of those that could be used
    rounds : all of them; what was tried is told by columns
    chosen : per term its columns
    left_out : (column, why) of parameters that could not be used
    """

    parameters: tuple[int, ...]
    rounds: "tuple[SplineStep, ...]"
    chosen: tuple[tuple[int, ...], ...]
    left_out: tuple[tuple[int, str], ...]
    n_trials: int


class Joint(Frozen):
    """What a model believes of the errors of some rows together, on its own scale.

    Attributes
    ----------
    covariance : array of shape (n, n), of the errors of the mean
    noise : variance of what one more measurement would still not tell
    misfit : share of the response's standard deviation that is unexplained
    n_points : that it learnt from
    """

    covariance: FloatArray
    noise: float
    misfit: float
    n_points: int


class ModelStory:
    """What may be told of a model beside its predictions.

    Attributes
    ----------
    noun, counted : what its terms are, in a word and in a sentence
    linear : whether it is a constant and a multiple of each column
    curved : whether its formula names curves that have to be drawn to be seen
    """

    noun: ClassVar[str] = "metric"
    counted: ClassVar[str] = "Metrics that the model uses; it has no formula whose terms could be counted."
    linear: ClassVar[bool] = False
    curved: ClassVar[bool] = False

    def importances(self, names: Sequence[str]) -> Importance | None:
        """Return what matters to it; None if it does not tell."""
        return None

    def course(self, names: Sequence[str]) -> tuple[StepRow, ...]:
        """Return the steps of a model that was built term by term."""
        return ()

    def by_terms(self) -> TermStory | None:
        """Return how its terms were chosen out of a pool, if they were."""
        return None

    def judged(self) -> "Choice | None":
        """Return what groups held out said of its number of terms, if they were asked."""
        return None

    def cut(self, threshold: float) -> Self:
        """Return, of one whose terms were chosen with a threshold of 0, what a larger threshold leaves of it."""
        return self

    def by_rounds(self) -> RoundStory | None:
        """Return how its terms were chosen in rounds, if they were."""
        return None

    def remarks(self) -> tuple[str, ...]:
        """Return what the trials did not allow, in sentences."""
        return ()

    @property
    def n_coefficients(self) -> int | None:
        """How many coefficients it has beside its constant; None where that says nothing."""
        return None

    @property
    def inner_error(self) -> float:
        """Mean error of groups held out that chose it; infinite where none did."""
        return np.inf

    def written(self) -> list[int]:
        """Return the columns that its formula names; to be said by the class that has `predict` if that is all of it.

        A model whose class does not say it has no formula that people could read.
        """
        return []

    def notation(self) -> tuple[str, ...]:
        """Return what a reader of its formula has to know, in sentences."""
        return ()

    def shifts(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the definitions of u(…) in its formula, where functions need a positive argument."""
        return ()

    def knots(self, names: Sequence[str]) -> list[tuple[str, str, float]]:
        """Return what it adds at places of its curves, as (term, place, amount)."""
        return []

    def tables(self, values: Sequence[FloatArray], most: int) -> Tables | None:
        """Return it over every combination of values of each column; None if it is no sum of functions of few of them.

        Parameters
        ----------
        values : per column, all that it may have
        most : cells of a table; None is returned where one would have more
        """
        return None

    def joint(self, X: FloatArray) -> Joint | None:
        """Return how the errors at rows of X go together; None if it does not tell."""
        return None

    @property
    def trees_and_nodes(self) -> tuple[int, int]:
        """How many trees are in it, and how many nodes have these."""
        return 0, 0


class Stopping(Frozen, Generic[T]):
    """What ends a selection of terms, and the same family (or recipe) without a threshold.

    Attributes
    ----------
    threshold, max_terms : as chosen; the threshold is 0 where groups held out choose the number of terms
    whole : goes on until nothing gains any more, so that `cut` makes every other threshold's model of it; None where
        pools are raced
    judged : leaves the number of terms to groups held out, so that it knows the error of each; None likewise
    cuts : whether the selection ends where a threshold says
    """

    threshold: float
    max_terms: int
    whole: T | None
    judged: T | None = None
    cuts: bool = True

    def within(self, made: Callable[[T], U]) -> "Stopping[U]":
        """Return the same of what is made of each."""
        whole, judged = (None if one is None else made(one) for one in (self.whole, self.judged))
        return Stopping(self.threshold, self.max_terms, whole, judged, self.cuts)


class Limits(Frozen):
    """What ends a selection in rounds.

    Attributes
    ----------
    theta, phi : least gains of a parameter and of an interaction; None where cross-validation chose them
    relative : whether they are shares of the R² before
    level : largest p-value that adds a term, if the test is the criterion
    """

    criterion: str
    theta: float | None
    phi: float | None
    relative: bool
    level: float
    max_terms: int
    target_r2: float | None
