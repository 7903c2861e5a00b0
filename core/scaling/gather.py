"""From measured trials, or a frame, to a study: kernels as rows, configurations as columns, holes told."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.curate import counted
from core.errors import FitError, count, first_few
from core.scaling.study import KERNEL, Study, text_parameters
from core.trial import Kind, Measured, Metric

LEAST_KERNELS, LEAST_CONFIGURATIONS = 3, 2
DENSE = 0.2
"""A configuration that a smaller share of the kernels has, or a kernel with a smaller share of those, is left out."""
NAMELESS = "(none)"
MOST_VALUES = 50_000_000
"""Of kernels, configurations and metrics together, where most were not measured."""


def study_from_measured(
    measured: Measured,
    responses: Sequence[str],
    axes: Sequence[str] | None = None,
    counters: Sequence[str] | None = None,
) -> Study:
    """Return the study of a dataset's trials that count.

    Parameters
    ----------
    responses : what to predict, one or more
    axes : the machine's parameters; if None, all metrics of the kind parameter that vary and are known of four
        trials in five, or at all; amounts of work tell kernels apart instead, where there are others
    counters : what a kernel is recognised by; if None, all metrics that are neither axis nor
        response nor a fact of the machine. A counter may be missing on some configurations: a
        model needs those of its base alone.

    Raises
    ------
    FitError
        If a metric is unknown, nothing varies, or too few kernels or configurations are left.
    """
    taken = counted(measured)
    notes = [f"{count(int((~taken).sum()), 'excluded trial')} left out"] if not taken.all() else []
    varying = tuple(axes) if axes is not None else _varying_parameters(measured, taken)
    sizes = _sizes(measured, varying, taken) if axes is None else ()
    chosen = tuple(name for name in varying if name not in sizes)
    if not chosen:
        raise FitError(
            "There is no parameter that varies, so there is nothing to scale over. "
            "Import clocks, cores or bandwidth with --parameter, or name them as axes."
        )
    usual = (m.name for m in measured.metrics if m.kind in (Kind.COUNTER, Kind.DETERMINISTIC))
    others = tuple(name for name in usual if name not in (*chosen, *responses)) if counters is None else tuple(counters)
    points = np.column_stack([measured.column(name) for name in varying])
    keep = np.flatnonzero(taken & np.isfinite(points).all(axis=1))
    if not len(keep):
        raise FitError(f"No trial has a value of each of {first_few(varying)}. Name fewer parameters as axes.")
    if (lost := int(taken.sum()) - len(keep)) > 0:
        notes.append(f"{count(lost, 'trial')} without a value of {', '.join(varying)} left out")
    labels = {"application": measured.application, "input": measured.input, "machine": measured.machine}
    labels = {name: tuple(texts[i] for i in keep) for name, texts in {**measured.labels, **labels}.items()}
    columns = np.column_stack([measured.column(name) for name in (*responses, *others)])[keep]
    known = {m.name: m for m in measured.metrics}
    kernels = _kernel_names(labels)
    apart = text_parameters(kernels, points[keep], {name: labels[name] for name in measured.settings})
    if apart:
        notes.append(f"{first_few(apart, 8)} is set before a run and is no number: kernels are told apart by it")
    if sizes:
        notes.append(f"times grow with {first_few(sizes, 8)}, an amount of work: kernels are told apart by it")
    if apart or sizes:
        labels |= {KERNEL: kernels} if len(set(kernels)) > 1 else {}
        said = [[f"{name} {x:g}" for x in measured.column(name)[keep]] for name in sizes]
        told = zip(kernels, *(labels[name] for name in apart), *said, strict=True)
        kernels = tuple(" · ".join(text for text in parts if text) for parts in told)
    kernels = tuple(name or NAMELESS for name in kernels)
    axis = np.isin(varying, chosen)
    metrics = [tuple(known[n] for n in names) for names in (chosen, responses, others)]
    return _study(kernels, labels, points[keep][:, axis], columns, metrics, notes)


def _varying_parameters(measured: Measured, taken: BoolArray) -> tuple[str, ...]:
    names = [metric.name for metric in measured.metrics if metric.kind is Kind.PARAMETER]
    columns = {name: measured.column(name)[taken] for name in names}
    known = {name: np.isfinite(x) for name, x in columns.items()}
    varying = [name for name, x in columns.items() if len(np.unique(x[known[name]])) > 1]
    return tuple([name for name in varying if known[name].mean() > 1 - DENSE] or varying)


def _kernel_names(labels: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Name each trial's kernel by application and input, and by machine where there are several."""
    roles = ["application", "input"] + (["machine"] if len(set(labels["machine"])) > 1 else [])
    columns = zip(*(labels[role] for role in roles), strict=True)
    return tuple(" · ".join(text for text in parts if text) for parts in columns)


def _sizes(measured: Measured, varying: Sequence[str], taken: BoolArray) -> tuple[str, ...]:
    """Return the parameters that are amounts of work by what was measured; none where nothing else varies."""
    from core.work import amounts_of_work  # late: it knows units, and with them all readers, which processes do without

    columns = {name: measured.column(name) for name in varying}
    there = taken & np.isfinite([*columns.values()]).all(axis=0) if columns else taken
    texts = [measured.application, measured.machine, *(measured.labels[name] for name in measured.settings)]
    found: set[str] = set()
    for metric in measured.metrics:
        if metric.kind is Kind.RESPONSE:
            y = measured.column(metric.name)
            if len(rows := np.flatnonzero(there & np.isfinite(y))):
                own = {name: x[rows] for name, x in columns.items()}
                told = [[text[i] for i in rows] for text in texts]
                found |= amounts_of_work(varying, own, told, measured.configuration[rows], metric, y[rows])
    return tuple(name for name in varying if name in found) if len(found) < len(varying) else ()


def _study(
    named: Sequence[str],
    labels: Mapping[str, tuple[str, ...]],
    points: FloatArray,
    columns: FloatArray,
    metrics: Sequence[tuple[Metric, ...]],
    notes: list[str],
) -> Study:
    """Scatter trials into kernels × configurations; repeats of a cell become their median.

    Parameters
    ----------
    metrics : those of points, and of the columns: first responses, then counters
    """
    axes, responses, others = metrics
    kernels, kernel = np.unique(np.array(named, dtype=object), return_inverse=True)
    grid, place = np.unique(points, axis=0, return_inverse=True)
    shape = (len(kernels), len(grid))
    if (n_cells := int(np.prod(shape))) * columns.shape[1] > MOST_VALUES and n_cells * DENSE > len(named):
        raise FitError(
            f"{len(named):,} trials are too few of {len(kernels):,} kernels at {len(grid):,} configurations: kernels "
            "have to share configurations. Choose other axes."
        )
    _refuse_not_positive(columns[:, : len(responses)], responses, named)
    cells, n_repeated = _medians(kernel * len(grid) + place.ravel(), columns, int(np.prod(shape)))
    if n_repeated:
        notes.append(f"{count(n_repeated, 'cell')} measured more than once: the median counts")
    cube = cells.reshape(*shape, columns.shape[1])
    values = np.ascontiguousarray(np.moveaxis(cube[..., : len(responses)], -1, 0))
    first = np.unique(kernel, return_index=True)[1]
    labels = {name: tuple(texts[i] for i in first) for name, texts in labels.items()}
    counts, counters = _without_empty(cube[..., len(responses) :], others, notes)
    names = tuple(map(str, kernels))
    return _dense(Study(names, axes, np.asarray(grid), responses, values, counters, counts, labels), notes)


def _medians(cell: IntArray, columns: FloatArray, n_cells: int) -> tuple[FloatArray, int]:
    """Return the median of the trials of each cell, NaN for none, and how many cells have several."""
    from pandas import DataFrame

    found = np.full((n_cells, columns.shape[1]), np.nan)
    medians = DataFrame(columns).groupby(cell).median()  # without those that are missing
    found[medians.index] = medians.to_numpy()
    return found, int((np.bincount(cell) > 1).sum())


def _refuse_not_positive(values: FloatArray, responses: tuple[Metric, ...], kernel: Sequence[str]) -> None:
    bad = np.argwhere(values <= 0)
    if len(bad):
        i, r = bad[0]
        how = ", with curation's rule zero" if values[i, r] == 0 else ""
        raise FitError(
            f"'{responses[r].name}' of {kernel[i]} is {values[i, r]:g}, and a surface needs positive values. "
            f"Leave such trials out{how}."
        )


def _without_empty(
    counts: FloatArray, counters: tuple[Metric, ...], notes: list[str]
) -> tuple[FloatArray, tuple[Metric, ...]]:
    """Leave out counters that are never there or never vary; keep one layer of those that are static."""
    if not counters:
        return np.empty((len(counts), 1, 0)), counters
    known = np.isfinite(counts)
    low = np.where(known, counts, np.inf).min(axis=(0, 1))
    high = np.where(known, counts, -np.inf).max(axis=(0, 1))
    varies = high - low > 1e-12 * np.maximum(np.abs(low), np.abs(high))
    if not varies.all():
        gone = [m.name for m, v in zip(counters, varies, strict=True) if not v]
        notes.append(f"counters left out because they never vary: {first_few(gone, 8)}")
    counts, known = counts[..., varies], known[..., varies]
    kept = tuple(m for m, v in zip(counters, varies, strict=True) if v)
    first = np.where(known, counts, np.inf).min(axis=1, keepdims=True)
    if known.all() and bool((np.where(known, counts, -np.inf).max(axis=1, keepdims=True) == first).all()):
        counts = first
    return np.ascontiguousarray(counts), kept


def _dense(study: Study, notes: list[str]) -> Study:
    """Leave out configurations that few kernels have, then kernels that have few of what is left; tell the holes."""
    study = _comparable(study, notes)
    known = np.asarray(np.isfinite(study.values).all(axis=0))
    columns = np.flatnonzero(known.mean(axis=0) >= DENSE)
    kernels = np.flatnonzero(known[:, columns].mean(axis=1) >= DENSE) if len(columns) else np.array([], dtype=np.int64)
    if len(columns) < study.n_configurations:
        gone = first_few([f"({study.shown(c)})" for c in np.setdiff1d(np.arange(study.n_configurations), columns)], 4)
        notes.append(f"configurations left out because fewer than a fifth of the kernels have them: {gone}")
    if len(kernels) < study.n_kernels:
        lost = first_few([study.kernels[k] for k in np.setdiff1d(np.arange(study.n_kernels), kernels)], 4)
        notes.append(f"kernels left out because they have fewer than a fifth of the configurations: {lost}")
    if len(kernels) < LEAST_KERNELS or len(columns) < LEAST_CONFIGURATIONS:
        raise FitError(
            f"Scaling learns of a kernel from others: it needs at least {LEAST_KERNELS} kernels over "
            f"{LEAST_CONFIGURATIONS} configurations, got {len(kernels)} over {len(columns)}. Import more trials, "
            "choose other axes, or make a model of these alone (Model, `ridgeline auto`)."
        )
    holes = int((~known[np.ix_(kernels, columns)]).sum())
    if holes:
        notes.append(
            f"{holes} of {len(kernels) * len(columns)} cells were not measured: "
            "they are estimated for learning, and never scored"
        )
    kept = _part(study, kernels, columns)
    if not kept.is_complete_grid:
        notes.append(f"the grid is irregular: {kept.n_configurations} configurations, not every combination of levels")
    return replace(kept, notes=tuple(notes))


def _part(study: Study, kernels: IntArray, columns: IntArray) -> Study:
    """Return the study of some kernels at some configurations."""
    counts = study.counts if study.counts.shape[1] == 1 else study.counts[:, columns]
    own = replace(study, grid=study.grid[columns], values=study.values[:, :, columns], counts=counts)
    return own.take(kernels.astype(np.int64))


def _comparable(study: Study, notes: list[str]) -> Study:
    """Leave out kernels that share no configuration with most, not by way of others either: of another machine, say."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    kernel, place = np.nonzero(np.isfinite(study.values).all(axis=0))
    n, whole = study.n_kernels, study.n_kernels + study.n_configurations
    if not len(kernel):
        return study
    shared = coo_array((np.ones(len(kernel)), (kernel, n + place)), shape=(whole, whole))
    part = connected_components(shared, directed=False)[1]
    most = np.bincount(part[kernel]).argmax()
    gone = np.flatnonzero((part[:n] != most) & np.isin(part[:n], part[kernel]))
    if not len(gone):
        return study
    lost = first_few([study.kernels[k] for k in gone], 4)
    notes.append(f"{count(len(gone), 'kernel')} left out because they share no configuration with most: {lost}")
    return _part(study, np.flatnonzero(part[:n] == most), np.flatnonzero(part[n:] == most))
