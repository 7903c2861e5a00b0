"""What experiments are made on, split and fitted however the trials are laid out, and what one fit came to."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from core.codec import FloatArray, array_of, finite, from_plain, to_plain
from core.experiment.experiment import Value
from core.validate.scores import Scores, score


@dataclass(frozen=True)
class Result:
    """One fit.

    Attributes
    ----------
    held : of the held-out trials; None where nothing could be fitted
    training : of the trials that were learnt from, None where that is not known
    predicted : array of shape (n_test,), of the held-out trials in the response's unit, NaN where
        refused; None unless predictions are kept
    seconds : of fit and predictions; the one thing that is not the same when it is done again
    why : what stood in the way, or ""
    """

    held: Scores | None = None
    training: Scores | None = None
    predicted: FloatArray | None = None
    seconds: float = 0.0
    why: str = ""


def scored(y: FloatArray, predicted: FloatArray) -> Scores:
    """Return scores that JSON can hold: what is too large to be a number is refused, or not known."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = score(y, np.where(np.isfinite(predicted), predicted, np.nan))
    told = asdict(found)
    beyond: dict[str, Any] = {k: None for k, v in told.items() if isinstance(v, float) and not math.isfinite(v)}
    return replace(found, **beyond)


def result_to_plain(result: Result) -> dict[str, Any]:
    """Return a result as JSON can hold it; what is empty is left out."""
    plain: dict[str, Any] = {"seconds": round(result.seconds, 6)}
    for name in ("held", "training"):
        scores = getattr(result, name)
        plain |= {name: to_plain(scores)} if scores is not None else {}
    plain |= {"predicted": finite(to_plain(result.predicted))} if result.predicted is not None else {}
    return plain | ({"why": result.why} if result.why else {})


def result_from_plain(plain: dict[str, Any]) -> Result:
    """Return the result that `result_to_plain` wrote.

    Raises
    ------
    KeyError, TypeError, ValueError, RidgelineError
        If it was written by something else.
    """
    held, training = (from_plain(Scores, plain[name]) if name in plain else None for name in ("held", "training"))
    return Result(held, training, array_of(plain.get("predicted")), float(plain["seconds"]), str(plain.get("why", "")))


@dataclass(frozen=True)
class Split:
    """Which part is held out, and how much of the rest is learnt from.

    Attributes
    ----------
    folds, seed : as users write them
    number, name : of the fold among those
    size : configurations learnt from, None for all
    """

    folds: str
    seed: int
    number: int
    name: str
    size: int | None = None


class Subject(ABC):
    """Trials, or kernels over configurations, under a name."""

    name: str

    @property
    @abstractmethod
    def digest(self) -> str:
        """What results of it depend on: the same for the same contents."""

    @abstractmethod
    def splits(self, folds: str, seed: int, size: int | None) -> tuple[Split, ...]:
        """Return the splits that such folds make.

        Raises
        ------
        RidgelineError
            If the folds are impossible, or leave fewer configurations than `size`.
        """

    @abstractmethod
    def split_digest(self, split: Split) -> str:
        """Return what is the same for splits that learn from the same and hold out the same."""

    @abstractmethod
    def bases(self, texts: Sequence[str]) -> tuple[dict[str, Value], ...]:
        """Return the values that stand in the table for each base; a single empty one where there are no bases."""

    @abstractmethod
    def procedure(self, recipe: str, values: dict[str, Value], base: int, seed: int) -> Any:
        """Return what is fitted: options as a plain frozen value.

        Parameters
        ----------
        base : its number among `bases`
        """

    @abstractmethod
    def fits(self, split: Split, procedures: Sequence[Any], *, predictions: bool) -> tuple[Result, ...]:
        """Fit each procedure to one side of a split and score it on the other; never raises FitError."""
