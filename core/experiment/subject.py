"""What experiments are made on: splits of it, and fits on a split, however the trials are laid out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.experiment.experiment import Value
from core.experiment.result import Result


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
