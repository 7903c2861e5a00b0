"""Verdicts of a dataset's kernels, where they lie under a roofline, and how a prediction follows each subsystem."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.errors import OptionError, count
from core.frozen import Frozen
from core.pipeline import FittedPipeline
from core.registry import unknown
from core.report.scaling.bases import Roofline, under_roofs
from core.report.trials.bottleneck.rules import SUBSYSTEMS, Kernel, Verdict, by_subsystem, verdict
from core.scaling.outcome import SECONDS
from core.trial import ROLES, Kind, Metric, levels_of

_PRECISIONS = (("d", "dp"), ("f", "sp"), ("h", "hp"))
_SECTOR = 32


def operations(kernel: Kernel) -> float:
    """Return floating-point operations, a fused multiply-add as two; NaN where none were counted.

    Those of Nsight Compute's instructions by thread, else nvprof's `flop_count_…`, over all precisions counted.
    """
    found = []
    for letter, short in _PRECISIONS:
        name = f"smsp__sass_thread_inst_executed_op_{letter}%s_pred_on.sum"
        add, mul, fma = (kernel.get((name % what,)) for what in ("add", "mul", "fma"))
        found.append(add + mul + 2 * fma if np.isfinite(add + mul + fma) else kernel.get((f"flop_count_{short}",)))
    known = [value for value in found if np.isfinite(value)]
    return float(sum(known)) if known else float("nan")


def traffic(kernel: Kernel) -> float:
    """Return bytes read from and written to device memory; NaN where they were not counted."""
    both = kernel.get(("dram__bytes.sum",))
    parts = [kernel.get((f"dram__bytes_{way}.sum", f"dram__bytes_op_{way}.sum")) for way in ("read", "write")]
    transactions = [kernel.get((f"dram_{way}_transactions",)) for way in ("read", "write")]
    ways = (both, parts[0] + parts[1], _SECTOR * (transactions[0] + transactions[1]))
    return next((value for value in ways if np.isfinite(value)), float("nan"))


def seconds(kernel: Kernel) -> float:
    """Return how long a kernel takes: the first of its outcomes that is a time; NaN where none was measured."""
    times = ((m, v) for m, v in kernel.counters.items() if m.kind is Kind.RESPONSE and m.unit in SECONDS)
    return next((value * SECONDS[metric.unit] for metric, value in times if np.isfinite(value)), float("nan"))


def roofline_of(kernels: Sequence[Kernel]) -> Roofline | None:
    """Return the kernels that count a time, operations and traffic under the highest rates they reach; None if none.

    Kernels of several machines share the roofs, so ask for those of one.
    """
    rows = np.array([(operations(k), traffic(k), seconds(k)) for k in kernels]).reshape(-1, 3)
    known = np.flatnonzero((np.isfinite(rows) & (rows > 0)).all(axis=1))
    if not len(known):
        return None
    names = [kernels[i].name for i in known.tolist()]
    return under_roofs(names, Metric("operations"), Metric("byte of device memory", unit="byte"), "s", rows[known])


_STEP = 1.1
"""Counters of a subsystem are multiplied and divided by this."""


class Limits(Frozen):
    """What limits each kernel of a dataset.

    Attributes
    ----------
    kernels, verdicts : one each
    subsystems : names of counters by subsystem
    elasticities : per kernel and subsystem, by how many % the prediction of a model rises where its counters
        rise by 1 %; empty without a model, NaN where the model has no answer
    """

    kernels: tuple[Kernel, ...]
    verdicts: tuple[Verdict, ...]
    subsystems: dict[str, tuple[str, ...]]
    elasticities: tuple[dict[str, float], ...] = ()

    def sentence(self) -> str:
        """Say how many kernels each thing limits, and what could not be told for want of which counters."""
        counts = Counter(one.limit for one in self.verdicts).most_common()
        n = len(self.kernels)
        said = f"{count(n, 'kernel')}: {', '.join(f'{limit} {n:,}' for limit, n in counts)}."
        lacking = Counter(one.needs for one in self.verdicts if one.needs).most_common(1)
        return said + "".join(f" To tell of {n:,} it needs {'; or '.join(needs)}." for needs, n in lacking)

    def table(self) -> pd.DataFrame:
        """Return a row per kernel."""
        elasticities = self.elasticities or ({},) * len(self.kernels)
        return pd.DataFrame(
            {
                "kernel": kernel.name,
                "limited by": one.limit,
                "because": one.because or "counters are missing",
                "rule": one.rule,
                "trials": kernel.n_trials,
                **{f"% per % of {name}": value for name, value in found.items()},
            }
            for kernel, one, found in zip(self.kernels, self.verdicts, elasticities, strict=True)
        )


def kernels_of(trials: pd.DataFrame, metrics: Sequence[Metric], chosen: Sequence[str] = ()) -> tuple[Kernel, ...]:
    """Return the kernels of trials that count: application, input and machine, with the median of each counter.

    Parameters
    ----------
    trials : as the store gives them, with a column per metric
    chosen : applications alone to use; all if empty

    Raises
    ------
    OptionError
        If an application is unknown, or no trial counts.
    """
    counted = trials[trials["excluded"] == ""] if "excluded" in trials else trials
    known = sorted(set(counted["application"]))
    for name in chosen:
        if name not in known:
            raise OptionError(unknown("kernel", name, known, " here"))
    if chosen:
        counted = counted[counted["application"].isin(chosen)]
    if counted.empty:
        raise OptionError("No trial counts, so there is no kernel to judge. Include some on the page of trials.")
    groups = counted.groupby(list(ROLES), sort=True)
    medians, sizes = groups[[m.name for m in metrics]].median(), groups.size()
    return tuple(
        Kernel(" · ".join(part for part in key if part) or "(unnamed)", dict(zip(metrics, row, strict=True)), int(n))
        for key, row, n in zip(medians.index, medians.to_numpy().tolist(), sizes, strict=True)
    )


def limits(
    trials: pd.DataFrame, metrics: Sequence[Metric], chosen: Sequence[str] = (), model: FittedPipeline | None = None
) -> Limits:
    """Return what limits each kernel; with a model, its elasticities as well. See `kernels_of`."""
    levels = {} if model is None else _levels(trials, model)
    kernels = kernels_of(trials.assign(**{m.name: own for m, own in levels.items()}), [*metrics, *levels], chosen)
    found = tuple(verdict(kernel) for kernel in kernels)
    follows = () if model is None else tuple(elasticities(model, kernel) for kernel in kernels)
    return Limits(kernels, found, by_subsystem(metrics), follows)


def _levels(trials: pd.DataFrame, model: FittedPipeline) -> dict[Metric, "pd.Series[float]"]:
    """Return the metrics of a model such as `layout=row`, 1 in trials of whose kernel most say so and else 0."""
    found = dict[Metric, "pd.Series[float]"]()
    for text, levels in levels_of(model.metrics, list(map(str, trials))).items():
        most = trials.groupby(list(ROLES))[text].transform(lambda own: own.mode()[0])
        found |= {metric: (most == level).astype(float) for level, metric in levels.items()}
    return found


def elasticities(model: FittedPipeline, kernel: Kernel) -> dict[str, float]:
    """Return by subsystem the elasticity of a prediction, all counters of the subsystem together.

    That is (log f(1.1 x) - log f(x / 1.1)) / (2 log 1.1), x the subsystem's counters, at the kernel's medians.

    Raises
    ------
    OptionError
        If the kernel lacks a metric of the model.
    """
    known = {metric.name: value for metric, value in kernel.counters.items()}
    x = np.array([known.get(metric.name, np.nan) for metric in model.metrics])
    if np.isnan(x).any():
        lacks = model.metrics[int(np.flatnonzero(np.isnan(x))[0])]
        raise OptionError(f"{kernel.name} has no {lacks.name}, which the model asks for. Fit a model to this dataset.")
    groups = by_subsystem(model.metrics)
    names = [m.name for m in model.metrics]
    own = {family: np.isin(names, groups[family]) for family in SUBSYSTEMS if family in groups}
    rows = [np.where(mask, x * factor, x) for mask in own.values() for factor in (_STEP, 1 / _STEP)]
    answers = model.predict(np.array(rows).reshape(-1, len(x))).value.reshape(-1, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.diff(-np.log(answers), axis=1)[:, 0] / (2 * np.log(_STEP))
    return dict(zip(own, slopes.tolist(), strict=True))
