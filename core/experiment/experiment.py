"""An experiment: one question asked of many settings, folds, seeds and sizes, on what, and what each fit came to."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from core.codec import FloatArray, Frozen, array_of, finite, from_plain, to_plain
from core.errors import OptionError
from core.validate.scores import Scores, score

Value = bool | int | float | str | tuple[str, ...] | None

MEASURES = MappingProxyType(
    {
        "mape": "mean error",
        "median_ape": "median error",
        "max_ape": "largest error",
        "mse": "mean squared error",
        "rmse": "root mean squared error",
    }
)
"""What settings are compared by, and what it is called; the last two are in the response's unit, squared or not."""
RELATIVE = ("mape", "median_ape", "max_ape")
"""Those in percent."""
SMALL, LARGE = ENDS = ("small", "large")
RECIPE, SIZE, BASE = RESERVED = ("recipe", "configurations", "base")
"""What a setting holds besides options."""
EVERY_BASE = "all"


def measure_title(measure: str) -> str:
    """Return what a measure is called in tables and on axes, such as "mean error (%)"."""
    return f"{MEASURES[measure]} (%)" if measure in RELATIVE else MEASURES[measure]


class Sweep(Frozen):
    """An option and the values that it takes, in the order of the table.

    Attributes
    ----------
    log : whether the values are a logarithmic range, so that figures have a logarithmic axis
    """

    name: str
    values: tuple[Value, ...]
    log: bool = False


class Scaling(Frozen):
    """What a study of kernels needs instead of rows: its axes, and the configurations that kernels are measured at.

    Attributes
    ----------
    bases : points such as `cores=4,clock=1000`, highest, middle or lowest; `all` is each configuration in turn
    axes, counters, inputs : as in `ridgeline scale`; None takes what it takes
    """

    bases: tuple[str, ...] = ("highest",)
    axes: tuple[str, ...] | None = None
    counters: tuple[str, ...] | None = None
    inputs: tuple[str, ...] | None = None


class Experiment(Frozen):
    """Which fits to make: every recipe × every combination of swept options × sizes, on all folds with all seeds.

    Attributes
    ----------
    recipes : recipes or families; predictors where `scaling` is given
    options : of all recipes, where they differ from the defaults
    vary : options swept, the last one fastest
    folds : as in `validate`, one or several kinds
    seeds : of random folds, of what is drawn for sizes, and of recipes that draw
    sizes : configurations to learn from, out of those that a fold leaves; empty for all of them
    each : a label; each of its values is a question of its own, such as one model per application
    measure : what settings are compared by, one of `MEASURES`
    predictions : whether each held-out prediction is kept, to draw it over what was measured
    sample, sample_seed : trials that take part, of a Parquet folder, 0 for as many as usual; and which draw of them
    simpler : towards which end an option is simpler, where Ridgeline does not know or is to think otherwise
    """

    name: str
    dataset: str
    response: str
    recipes: tuple[str, ...]
    options: Mapping[str, Value] = field(default_factory=dict)
    vary: tuple[Sweep, ...] = ()
    folds: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (0,)
    sizes: tuple[int, ...] = ()
    metrics: tuple[str, ...] | None = None
    where: tuple[str, ...] = ()
    repeats: str = "each"
    host: str = ""
    target: str = ""
    host_dataset: str = ""
    each: str = ""
    measure: str = "mape"
    predictions: bool = False
    simpler: Mapping[str, str] = field(default_factory=dict)
    scaling: Scaling | None = None
    about: str = ""
    sample: int = 0
    sample_seed: int = 0

    def __post_init__(self) -> None:
        if not self.recipes or not self.folds or not self.seeds:
            raise OptionError("An experiment needs at least one recipe, one kind of folds and one seed.")
        if self.measure not in MEASURES:
            raise OptionError(f"measure is '{self.measure}', and must be one of {', '.join(MEASURES)}.")
        if bool(self.host) != bool(self.target) or (self.host_dataset and not self.host):
            raise OptionError("host and target belong together: the machine whose counters are known, and the other.")
        if self.scaling is not None and any((self.where, self.each, self.host, self.metrics, self.draws)):
            raise OptionError("An experiment with [scaling] takes no where, each, host, target, metrics or sample.")
        for name, end in self.simpler.items():
            if end not in ENDS:
                raise OptionError(f"simpler.{name} is '{end}', and must be small or large.")

    @property
    def draws(self) -> bool:
        """Whether it says itself which trials of a folder take part."""
        return bool(self.sample or self.sample_seed)

    @property
    def swept(self) -> tuple[str, ...]:
        """Names of what more than one value is tried of, in the order of the table."""
        several = [
            *([RECIPE] if len(self.recipes) > 1 else []),
            *([SIZE] if len(self.sizes) > 1 else []),
            *([BASE] if self.scaling and (len(self.scaling.bases) > 1 or EVERY_BASE in self.scaling.bases) else []),
        ]
        return (*several, *(sweep.name for sweep in self.vary))


class Result(Frozen):
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


class Split(Frozen):
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
    def procedure(self, recipe: str, values: dict[str, Value], base: int, split: Split) -> Any:
        """Return what is fitted: options as a plain frozen value, with the seed and for the question of a split.

        Parameters
        ----------
        base : its number among `bases`
        """

    @abstractmethod
    def fits(self, split: Split, procedures: Sequence[Any], *, predictions: bool) -> tuple[Result, ...]:
        """Fit each procedure to one side of a split and score it on the other; never raises FitError."""
