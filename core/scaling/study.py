"""Kernels over configurations, on a grid that may be irregular and have holes; which of them are held out together."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, OptionError
from core.texts import ranked
from core.trial import Metric, point_text
from core.validate.folds import Fold, FoldPlan, deal, parse_folds, whole_of

_NAMED = ("highest", "middle", "lowest")


class Study(Frozen):
    """Responses and counters of kernels, each over the configurations of a machine.

    Attributes
    ----------
    kernels : names, one per kernel
    axes : the machine's parameters
    grid : array of shape (n_configurations, n_axes), one row per configuration, ascending
    responses : what was measured: time, power and the like
    values : array of shape (n_responses, n_kernels, n_configurations), NaN where nothing was measured
    counters : what a kernel is recognised by
    counts : array of shape (n_kernels, n_configurations, n_counters), NaN where nothing was measured;
        of shape (n_kernels, 1, n_counters) where no counter depends on the configuration
    labels : texts per kernel, "application" among them
    notes : what was left out or noticed on the way here
    """

    kernels: tuple[str, ...]
    axes: tuple[Metric, ...]
    grid: FloatArray
    responses: tuple[Metric, ...]
    values: FloatArray
    counters: tuple[Metric, ...]
    counts: FloatArray
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def n_kernels(self) -> int:
        """How many kernels there are."""
        return len(self.kernels)

    @property
    def n_configurations(self) -> int:
        """How many configurations there are."""
        return len(self.grid)

    @cached_property
    def levels(self) -> tuple[FloatArray, ...]:
        """The different values of each axis, ascending."""
        return tuple(np.unique(column) for column in self.grid.T)

    @property
    def is_complete_grid(self) -> bool:
        """Whether every combination of the axes' levels is a configuration."""
        return int(np.prod([len(level) for level in self.levels])) == len(self.grid)

    @property
    def is_scattered(self) -> bool:
        """Whether most configurations were measured with one of several kernels alone, so that none can be compared."""
        return self.n_kernels > 1 and bool(2 * (self.n_measured > 1).sum() < self.n_configurations)

    @cached_property
    def n_measured(self) -> IntArray:
        """How many kernels have all responses at each configuration, array of shape (n_configurations,)."""
        return np.asarray(np.isfinite(self.values).all(axis=0).sum(axis=0), dtype=np.int64)

    def response(self, name: str) -> int:
        """Return the place of a response, or raise OptionError that lists what there is."""
        names = [m.name for m in self.responses]
        if name not in names:
            raise OptionError(f"There is no response '{name}' in this study; there are: {', '.join(names)}.")
        return names.index(name)

    def surface(self, response: str) -> FloatArray:
        """Return one response, array of shape (n_kernels, n_configurations), NaN where not measured."""
        return np.asarray(self.values[self.response(response)])

    def counts_at(self, base: int) -> FloatArray:
        """Return the counters at a configuration, array of shape (n_kernels, n_counters)."""
        return self.counts[:, min(base, self.counts.shape[1] - 1)]

    def take(self, kernels: IntArray) -> "Study":
        """Return the study of some kernels, in the order given."""
        labels = {name: tuple(texts[i] for i in kernels) for name, texts in self.labels.items()}
        names = tuple(self.kernels[i] for i in kernels)
        return replace(self, kernels=names, values=self.values[:, kernels], counts=self.counts[kernels], labels=labels)

    def configuration(self, text: str) -> int:
        """Return the configuration that `core_mhz=1164,mem_mhz=3505` or a name such as `highest` stands for.

        `highest` and `lowest` are the last and the first of the grid; `middle` the one nearest to its middle.

        Raises
        ------
        OptionError
            If an axis is unknown or left out, or no configuration has these values.
        """
        missing = [a.name for a in self.axes if text.strip() not in _NAMED and a.name not in self._given(text)]
        if missing:
            raise OptionError(f"A configuration needs a value for each axis; '{missing[0]}' is missing in '{text}'.")
        return int(self.matching(text)[0])

    def matching(self, text: str) -> IntArray:
        """Return the configurations that a text stands for; with some axes left out, all that agree on the others.

        Raises
        ------
        OptionError
            If an axis is unknown, or no configuration has these values.
        """
        if text.strip() in _NAMED:
            middle = (self.grid.min(axis=0) + self.grid.max(axis=0)) / 2
            return np.array([{"highest": len(self.grid) - 1, "lowest": 0}.get(text.strip(), self.nearest(middle))])
        given, names = self._given(text), [axis.name for axis in self.axes]
        point = np.array([given.get(name, np.nan) for name in names])
        asked = np.array([name in given for name in names])
        found = np.flatnonzero(np.isclose(self.grid[:, asked], point[asked], rtol=1e-9, atol=0.0).all(axis=1))
        if not len(found):
            near = "" if not asked.all() else f"; the nearest is {self.shown(self.nearest(point))}"
            raise OptionError(f"No configuration has {text}{near}. Choose one that was measured.")
        return found.astype(np.int64)

    def nearest(self, point: FloatArray) -> int:
        """Return the configuration nearest to a point, each axis measured by its range."""
        span = np.ptp(self.grid, axis=0)
        return int((((self.grid - point) / np.where(span > 0, span, 1.0)) ** 2).sum(axis=1).argmin())

    def shown(self, configuration: int) -> str:
        """Return a configuration as people write it, such as `core_mhz=1164, mem_mhz=3505`."""
        return point_text({a.name: x for a, x in zip(self.axes, self.grid[configuration].tolist(), strict=True)})

    def _given(self, text: str) -> dict[str, float]:
        """Return the values that a text gives, by axis; at least one."""
        pairs = point_of(text, ", or highest, middle or lowest")
        names = [axis.name for axis in self.axes]
        for name in pairs:
            if name not in names:
                raise OptionError(f"'{name}' is no axis of this study; the axes are: {', '.join(names)}.")
        return pairs


def is_time(metric: Metric) -> bool:
    """Whether less of a response is more performance: its unit says so, or without one its name."""
    return metric.is_time or _dimension(metric) == "time"


def is_speed(metric: Metric) -> bool:
    """Whether a response tells how fast a kernel is; a power, an energy or a temperature is never bound by anything."""
    return _dimension(metric) in ("time", "throughput", "ratio", "count", "share")


def _dimension(metric: Metric) -> str:
    from core.ingest import dimension

    return dimension(metric.unit, metric.name)


def family(kernel: str) -> str:
    """Return what a kernel's name has in common with its relatives: all before the first part that is a number.

    `fadd_dram_10_90_64p` and `fadd_dram_95_5_64p` are of the family `fadd_dram`.
    """
    parts = kernel.split("_")
    kept = [part for i, part in enumerate(parts) if i == 0 or not any(p[:1].isdigit() for p in parts[1 : i + 1])]
    return "_".join(kept)


def groups_of(study: Study, column: str) -> tuple[str, ...]:
    """Return what each kernel is held out with: a label's text, or the family of its name for `family`."""
    if column in study.labels:
        return study.labels[column]
    if column == "family":
        return tuple(family(name) for name in study.kernels)
    known = ", ".join(["family", *study.labels])
    raise FitError(f"There is no label '{column}' to hold kernels out by; there are: {known}.")


def point_of(text: str, others: str = "") -> dict[str, float]:
    """Return the configuration in `core_mhz=1000,mem_mhz=3505`; names of axes may have commas.

    Raises
    ------
    OptionError
        If it is none; it says `others` that could be given.
    """
    first, *rest = text.split("=")
    cut = [part.partition(",") for part in rest]
    names = [name.strip(" ,") for name in (first, *(name for _, _, name in cut))]
    try:
        if names.pop() or not cut or not all(names):
            raise ValueError
        return {name: float(value) for name, (value, _, _) in zip(names, cut, strict=True)}
    except ValueError:
        raise OptionError(f"A configuration is AXIS=VALUE,AXIS=VALUE{others}; got '{text}'.") from None


_FOLDS = 10
KERNEL = "whole kernel"
"""The label that says which kernels are one, where text parameters tell them apart: they are held out together."""


def text_parameters(
    kernels: Sequence[str], points: FloatArray, settings: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the texts that differ between trials of a kernel at a point.

    Parameters
    ----------
    kernels, points, settings : of each trial; the last are texts that were set before it
    """
    from pandas import DataFrame

    if not settings:
        return ()
    place = DataFrame(points).assign(kernel=kernels)
    cell = place.groupby(list(place), sort=False).ngroup().to_numpy()
    apart = (DataFrame(dict(settings)).groupby(cell).nunique() > 1).any()
    return tuple(name for name in settings if apart[name])


def kernel_folds(study: Study, text: str, seed: int = 0) -> tuple[Fold, ...]:
    """Return the folds that `kfold:10`, `loo`, `holdout:20%`, `by:family` or `by:LABEL` stands for.

    `by:family` holds out kernels whose names are alike up to their first number. Random folds are
    dealt by a hash of the seed and the kernels' names, so that their order changes nothing.

    Raises
    ------
    OptionError
        If the text is none of these.
    FitError
        If there are fewer kernels or groups than folds.
    """
    plan = parse_folds(text)
    whole = whole_of(_together(study, plan), str(plan))
    return whole if plan.how == "by" and not plan.count else deal(whole, plan, seed, "kernels", "kernels", left=2)


def placed(study: Study, base: int) -> Study:
    """Return the kernels of which all responses are known at the base: others cannot be asked what they take."""
    return study.take(np.flatnonzero(np.isfinite(study.values[:, :, base]).all(axis=0)))


def usual_folds(study: Study, base: int) -> str:
    """Return ten random folds: of whole applications where some were measured on several inputs, or else of kernels.

    A kernel that was never measured is seldom one of those measured on another input. Of fewer than ten kernels each is
    held out once.
    """
    study, usual = placed(study, base), "kfold:10"
    n = len(set(study.labels.get("application", ())))
    if _FOLDS <= n < study.n_kernels:
        return "kfold:10:application"
    return usual if len(set(_together(study, parse_folds(usual)))) >= _FOLDS else "loo"


def groups_for(study: Study, text: str) -> IntArray:
    """Return numbers that are equal for kernels that such folds hold out together."""
    return ranked(_together(study, parse_folds(text)))


def _together(study: Study, plan: FoldPlan) -> tuple[str, ...]:
    """Return what is held out as one: a group, or a kernel, those as one that text parameters alone tell apart."""
    return groups_of(study, plan.column) if plan.how == "by" else study.labels.get(KERNEL, study.kernels)
