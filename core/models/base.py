"""The contract of a model family: options fit to a model, a model predicts and is plain data."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.models.parts.story import Limits, ModelStory, Stopping
from core.option import Options
from core.progress import Progress, silent
from core.trial import Metric

if TYPE_CHECKING:
    from core.models.parts.trees import TreesModel

STANDARDISE, RAW, OWN = "standardise", "raw", "own"


def fixed(**values: Any) -> Mapping[str, Any]:
    """Return values by name that nothing can change."""
    return MappingProxyType(values)


def need_positive(y: FloatArray, scale: str = "the scale of the fit", choose: str = "raw or ratio") -> None:
    """Raise FitError unless all responses are positive, as relative weights need them."""
    if y.min() <= 0:
        raise FitError(
            f"Relative weights need positive responses on {scale}; there is {y.min():.4g}. "
            f"Choose response scale {choose}, or weights none."
        )


def no_logarithms(axes: Iterable[tuple[int, bool]], X: FloatArray, names: Sequence[str]) -> dict[int, str]:
    """Return, per row for which a (column, whether it is logarithmic) has no logarithm, the reason."""
    reasons: dict[int, str] = {}
    for j in (column for column, log in axes if log):
        for i in np.flatnonzero(X[:, j] <= 0).tolist():
            reasons.setdefault(i, f"{names[j]} = {X[i, j]:.4g} has no logarithm")
    return reasons


def written_sum(intercept: str, terms: Iterable[tuple[float, str]]) -> list[str]:
    """Return the parts of a sum as a person reads it, joined by blanks; the intercept is left out where it is ""."""
    parts = [intercept] if intercept else []
    for coefficient, text in terms:
        sign = ("− " if coefficient < 0 else "+ ") if parts else ("−" if coefficient < 0 else "")
        parts.append(f"{sign}{abs(coefficient):.4g}·{text}")
    return parts


def within(numbers: IntArray, stop: int, least: int = 0) -> bool:
    """Return whether all numbers are from `least` to stop - 1."""
    return bool(((numbers >= least) & (numbers < stop)).all())


def weightiest(importance: FloatArray) -> list[int]:
    """Return the fewest columns that have 90 % of the importance, the most important first."""
    order = np.argsort(-importance, kind="stable")
    needed = int(np.searchsorted(np.cumsum(importance[order]), 0.9 * importance.sum())) + 1
    return [int(j) for j in order[:needed] if importance[j] > 0]


class Piece(Frozen):
    """A function of few columns of X.

    Attributes
    ----------
    columns : which; each once
    of : values of shape (n,) from these columns, shape (n, n_columns)
    """

    columns: tuple[int, ...]
    of: Callable[[FloatArray], FloatArray]


def piece(columns: Sequence[int], of: Callable[[FloatArray], FloatArray]) -> Piece:
    """Return a piece of a function that looks for its columns where they are in X."""
    own = tuple(dict.fromkeys(columns))
    width = max(own, default=-1) + 1

    def spread(values: FloatArray) -> FloatArray:
        X = np.zeros((len(values), width))
        X[:, list(own)] = values
        return of(X)

    return Piece(own, spread)


def slope(column: int, coefficient: float) -> Piece:
    """Return coefficient · column."""
    return Piece((column,), lambda values: coefficient * values[:, 0])


class Parts(Frozen):
    """A model as a constant and a sum: of functions of few columns, and of trees.

    Attributes
    ----------
    trees : models that are sums or means of trees
    """

    pieces: tuple[Piece, ...] = ()
    trees: "tuple[TreesModel, ...]" = ()


class Model(ModelStory, Frozen, ABC):
    """A fitted value: exactly what prediction and JSON need."""

    @abstractmethod
    def predict(self, X: FloatArray) -> FloatArray:
        """Return predictions of shape (n_trials,); NaN where a term has a pole (see `refuse`)."""

    def runs_on(self) -> bool:
        """Whether predictions beyond the trained responses were better than held within, for groups held out."""
        return False

    @property
    def predicts_as(self) -> "type[Model]":
        """The class whose `predict` this is: what is known of that class holds of the model, whatever extends it."""
        return next(cls for cls in type(self).__mro__ if issubclass(cls, Model) and "predict" in vars(cls))

    @property
    def is_written(self) -> bool:
        """Whether its formula is all of it; a class that predicts otherwise than the one it extends has to say so."""
        return "written" in vars(self.predicts_as)

    @abstractmethod
    def formula(self, names: Sequence[str]) -> str:
        """Return the model as a person reads it, in the names of the columns of X."""

    @abstractmethod
    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return what the model uses, one text per term (or feature), most important first."""

    @abstractmethod
    def check(self, width: int) -> None:
        """Hold the state together for X of `width` columns.

        Raises
        ------
        ModelFileError
            If the state, as read from a file, cannot be right: arrays that do not fit each
            other, a column number outside 0 to width - 1, an unknown function.
        """

    def parts(self) -> Parts | None:
        """Return it as a sum of functions of few columns and of trees; None if it is no such sum."""
        return None

    def surfaces(self) -> list[tuple[int, int]]:
        """Return the pairs of columns that it joins in a term, the strongest or first chosen first."""
        pieces = () if (parts := self.parts()) is None else parts.pieces
        return [pair for one in pieces for pair in combinations(one.columns, 2)]

    def piece_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return what the pieces of `parts` are called."""
        return self.terms(names)

    def factors(self) -> tuple[str, list[tuple[tuple[int, ...], float]]] | None:
        """Return what parameters and interactions explain: of what, and per set of columns how much; else None."""
        return None

    def shares(self, x: FloatArray, background: FloatArray) -> FloatArray | None:
        """Return the Shapley values of all columns of a row against rows where it has its own way to them; else None.

        Parameters
        ----------
        x, background : arrays of shape (n_columns,) and (n, n_columns)
        """
        return None

    def doubts(self, X: FloatArray) -> FloatArray:
        """Return what tells how unsure rows are, shape (n, k), in the prediction's unit; k may be 0."""
        return np.empty((len(X), 0))

    def used(self, width: int) -> list[int]:
        """Return which of `width` columns it looks at, the weightiest first where it knows weights; all if not."""
        return list(range(width))

    def spread_among(self, X: FloatArray) -> FloatArray | None:
        """Return the standard deviation over what it is the mean of, array of shape (n,); None if it is of nothing."""
        return None

    def refuse(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return, per row for which `predict` gives NaN, the reason."""
        return {}


class Family(Options, ABC):
    """Options of a kind of model, and how to fit it.

    Attributes
    ----------
    preparation : how the columns come to it when it stands alone: "standardise" for logarithms and standard scores,
        "raw" as they are, where their signs or their zeros mean something; the response is then as it is too;
        "own" as they are, as the family takes logarithms itself, and of a positive response the logarithm
    kind : families of one kind make much the same errors, so that a blend has the best of each; its own if empty
    least_trials : fewest trials that it can be fitted to
    slowness : rank of how long it takes; those above 0 choose on fewer folds in a race
    non_negative : whether it is a sum that no metric can make smaller
    linear : whether it is a sum of the columns, for which several scales are worth a try; others are raced on one
    raced : options with which it takes a fraction of its time in a race and is as good
    variants : further options worth choosing from in a race, by what each is called
    few_columns : whether its time grows fast with the number of columns, so that it races on components of many
    raced_on : scale of the metrics in a race, of families that are not linear
    quick : whether a fit takes moments, however many trials there are
    """

    preparation: ClassVar[str] = STANDARDISE
    kind: ClassVar[str] = ""
    slowness: ClassVar[int] = 0
    least_trials: ClassVar[int] = 3
    non_negative: ClassVar[bool] = False
    linear: ClassVar[bool] = True
    raced: ClassVar[Mapping[str, Any]] = fixed()
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = fixed(**{"": {}})
    few_columns: ClassVar[bool] = False
    raced_on: ClassVar[str] = "positive"
    quick: ClassVar[bool] = False

    @property
    def grouped(self) -> bool:
        """Whether it asks which trials belong together."""
        return False

    @abstractmethod
    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> Model:
        """Fit to X of shape (n_trials, n_columns) and y of shape (n_trials,).

        Raises
        ------
        FitError
            If there are too few trials, the response is constant, or a number is not finite.
        """

    @property
    def light(self) -> Self:
        """The same at a fraction of the time, for choosing: half the trees, say, or a shorter search."""
        return self

    @property
    def freed(self) -> Self:
        """The same for predictions that nothing holds, where groups held out say so; most families do not ask."""
        return self

    def fit_groups(self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent) -> Model:
        """Fit for groups that nobody has seen; most families do not ask which trials belong together.

        Parameters
        ----------
        groups : array of shape (n_trials,), equal for trials that are held out together
        """
        return self.fit(X, y, progress)

    def settled(
        self, X: FloatArray, y: FloatArray, groups: IntArray, progress: Progress = silent
    ) -> "tuple[Family, float]":
        """Return the family with what it leaves open chosen by groups held out, and the mean error of these.

        That is itself and infinity where nothing is left open.
        """
        return self, np.inf

    def held_out(self, X: FloatArray, y: FloatArray, groups: IntArray) -> FloatArray | None:
        """Return what it says of each trial from other groups alone; None if it does not choose by that."""
        return None

    def out_of_bag(self, model: Model, X: FloatArray) -> FloatArray | None:
        """Return what the parts of its model say of each trial that they did not learn from; None without parts."""
        return None

    def stopping(self) -> "Stopping[Family] | None":
        """Return what ends the selection of terms; None if it selects none step by step."""
        return None

    def limits(self) -> Limits | None:
        """Return what ends the selection in rounds; None if it selects nothing so."""
        return None

    def notes(self, n_columns: int) -> tuple[str, ...]:
        """Return what it does differently with so many columns, as sentences."""
        return ()

    def told(self, metrics: Sequence[Metric]) -> Self:
        """Return the family as it is for columns that are these metrics; most do not ask what columns are."""
        return self
