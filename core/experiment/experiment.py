"""An experiment: one question asked of many settings, folds, seeds and numbers of trials."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from core.errors import OptionError

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


@dataclass(frozen=True)
class Sweep:
    """An option and the values that it takes, in the order of the table.

    Attributes
    ----------
    log : whether the values are a logarithmic range, so that figures have a logarithmic axis
    """

    name: str
    values: tuple[Value, ...]
    log: bool = False


@dataclass(frozen=True)
class Scaling:
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


@dataclass(frozen=True)
class Experiment:
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
