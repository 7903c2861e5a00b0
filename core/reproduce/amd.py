"""Greathouse and Loh made again: scaling curves, clusters, classifier, base map, boxes, errors, segments."""

from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.errors import FitError
from core.progress import Progress
from core.report.document.charts import Series, Sketch, bars, boxes, heat, plot, spans
from core.report.scaling.application import example, timeline
from core.report.scaling.bases import Grouped, across_and_up, base_sentence, branches, grouped, groups_table, panes
from core.report.scaling.kernels import Relative, moving, relative, slice_along, texts_of
from core.report.scaling.predicted import known_kernel, typical_seconds
from core.report.shared.svg import axis_for
from core.reproduce.artefact import DIAGRAM, Artefact, Compared, Given, Made, Table, never, paper, percent
from core.scaling.application import make_application
from core.scaling.base_map import BaseMap, base_map, errors_by_clusters
from core.scaling.clusters import Clustering, is_memory
from core.scaling.gather import study_from_measured
from core.scaling.lesson import make_task
from core.scaling.predictors.network import Network
from core.scaling.race import fit_scaling
from core.scaling.segments_file import Device
from core.scaling.study import Study
from core.scaling.surfaces import default_base
from core.scaling.validation import ScalingValidation, validate_scaling
from core.space.plan import shown
from core.trial import Kind, Metric

_FOLDS, _HELD_OUT = "kfold:5", "holdout:20%"
_COUNTS = (1, 2, 4, 6, 8, 12, 16, 24)
_DRAWN = 5
"""Clusters in the pictures of figures 3 and 5, so that each can be told apart."""


class Kernels(Frozen):
    """A study of kernels, and the configuration that new ones are measured at."""

    study: Study
    response: str
    base: int

    @property
    def axes(self) -> tuple[int, int, int]:
        """The axis across and the one up of a map, and the one that is left: the first again where there is none."""
        across, up = across_and_up(self.study.grid)
        memory = next((i for i in moving(self.study.grid) if is_memory(self.study.axes[i].name)), up)
        first = across if across != memory else up
        rest = [i for i in moving(self.study.grid) if i not in (first, memory)]
        return first, memory, rest[0] if rest else first


@Given.once
def kernels_of(given: Given) -> Kernels:
    """Return the study of the trials, measured at the highest configuration.

    Raises
    ------
    RidgelineError
        If nothing varies but what ran, or too few kernels were measured.
    """
    study = study_from_measured(given.source.measured(), (given.source.response,))
    if len(moving(study.grid)) < 2:
        raise FitError("kernels over at least two parameters are needed, and one or none varies.")
    return Kernels(study, given.source.response, default_base(study))


@Given.once
def _relative(given: Given) -> Relative:
    own = kernels_of(given)
    return relative(own.study, own.response, own.base)


def _behaviours(given: Given, progress: Progress) -> Made:
    own, of = kernels_of(given), _relative(given)
    labels = [b.label for b in of.behaviours]
    pictures = [_surface(own, of, labels, label) for label in dict.fromkeys(sorted(labels))]
    counted = ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(sorted(labels)))
    kinds = "compute-bound, bandwidth-bound, balanced, not scaling"
    compared = (
        Compared("kernels × configurations", "267 × 891", f"{own.study.n_kernels} × {own.study.n_configurations}"),
        Compared("behaviours", kinds, counted, "labels by elasticities"),
    )
    return Made(compared, pictures)


def _surface(own: Kernels, of: Relative, labels: list[str], label: str) -> Sketch:
    """Draw the typical kernel of a behaviour as a map: the one nearest to the mean of its kind."""
    rows = np.flatnonzero(np.array(labels, dtype=object) == label)
    row = int(rows[int(np.abs(of.log[rows] - of.log[rows].mean(axis=0)).mean(axis=1).argmin())])
    alt = f"{label}: performance of {of.names[row]}, times that at {own.study.shown(own.base)}"
    return _map(own, np.exp(of.log[row]), alt)


def _map(own: Kernels, values: FloatArray, alt: str) -> Sketch:
    """Draw a number per configuration over two axes, the others as at the base."""
    grid, (first, second, _) = own.study.grid, own.axes
    others = [i for i in range(grid.shape[1]) if i not in (first, second)]
    there = (grid[:, others] == grid[own.base, others]).all(axis=1)
    x, y = (np.unique(grid[there, i]) for i in (first, second))
    table = np.full((len(y), len(x)), np.nan)
    table[np.searchsorted(y, grid[there, second]), np.searchsorted(x, grid[there, first])] = values[there]
    named = str(own.study.axes[first]), str(own.study.axes[second])
    return heat([shown(v) for v in x], [shown(v) for v in y], table, named, alt)


@Given.once
def _clustered(given: Given) -> Grouped:
    of = _relative(given)
    return grouped(of, Clustering(n_clusters=_DRAWN, method="ward-spearman").grouped(of.centred), _DRAWN)


def _dendrogram(given: Given, progress: Progress) -> Made:
    found = _clustered(given)
    tree = branches(found)
    series = []
    for group in range(-1, found.n_groups):
        own = np.flatnonzero(tree.group == group)
        x, y = (np.hstack([v[own], np.full((len(own), 1), np.nan)]).ravel() for v in (tree.x, tree.y))
        series.append(Series("above the cut" if group < 0 else f"cluster {group + 1}", x, y))
    series = [*series[1:], series[0]]
    alt = f"Dendrogram of {len(tree.leaves)} kernels by how they scale, cut into {found.n_groups} clusters"
    across = axis_for("kernels", np.array([-1.0, len(tree.leaves)]))
    drawn = plot(series, across, axis_for("linkage distance", np.r_[0.0, tree.y.max()]), alt)
    compared = (Compared("linkage", "Ward on Spearman's correlation, after PCA", "the same, ten components"),)
    table = Table("Clusters", groups_table(found).drop(columns="members"))
    return Made(compared, (drawn,), (table,))


def _clusters(given: Given, progress: Progress) -> Made:
    own, found = kernels_of(given), _clustered(given)
    pictures = []
    for axis in moving(own.study.grid):
        places = slice_along(own.study.grid, own.base, axis)
        x = own.study.grid[places, axis]
        means = [np.exp(mean[places]) for mean in found.means]
        gains = [float(mean[-1] / mean[0]) for mean in means]
        metric = own.study.axes[axis]
        alt = f"Mean of each cluster over {metric}: from {min(gains):.2g} to {max(gains):.2g} times from end to end"
        series = [Series(f"cluster {i + 1}: {found.behaviour(i)}", x, mean) for i, mean in enumerate(means)]
        pictures.append(plot(series, str(metric), str(found.of.what), alt))
    return Made(pictures=pictures)


@Given.once
def _validation(given: Given, progress: Progress) -> ScalingValidation:
    own = kernels_of(given)
    task = make_task(own.study, own.response, own.base)
    return validate_scaling(own.study, task, Network(seed=given.seed), _FOLDS, given.seed, progress=progress)


def _classifier(given: Given, progress: Progress) -> Made:
    v = _validation(given, progress)
    names = ("classifier (the paper's network)", "best possible cluster", "mean surface, no cluster")
    errors = np.array([v.mape, v.best_cluster_mape, v.mean_surface_mape])
    alt = f"The network errs by {percent(v.mape)}, the best possible cluster by {percent(v.best_cluster_mape)}"
    drawn = bars(names, errors, "mean error on held-out kernels (%)", alt)
    how = f"{_FOLDS} of kernels, from the highest configuration"
    compared = (
        Compared("average error", "roughly 15 %", percent(v.mape), how),
        Compared("of which clustering", "not printed", percent(v.best_cluster_mape), "no classifier could do better"),
    )
    return Made(compared, (drawn,))


def _walk(given: Given, progress: Progress) -> Made:
    """Show one held-out kernel along the curve of its cluster, from the base on."""
    own, v = kernels_of(given), _validation(given, progress)
    errors = v.by_kernel
    known = np.flatnonzero(np.isfinite(errors))
    kernel = int(known[np.argsort(errors[known], kind="stable")[len(known) // 2]])
    axis = own.axes[0]
    places = slice_along(own.study.grid, own.base, axis)
    x, truth = own.study.grid[places, axis], own.study.surface(own.response)[kernel, places]
    said = np.where(places == own.base, truth, v.predicted[kernel, places])
    name, metric = own.study.kernels[kernel], own.study.axes[axis]
    alt = f"{name}, measured at {own.study.shown(own.base)} alone: mean error {percent(float(errors[kernel]))}"
    response = str(own.study.responses[own.study.response(own.response)])
    series = [Series("predicted", x, said), Series("measured", x, truth)]
    return Made(pictures=(plot(series, str(metric), response, alt),))


@Given.once
def _base_map(given: Given, progress: Progress) -> BaseMap:
    own, network = kernels_of(given), Network(seed=given.seed)
    return base_map(own.study, own.response, network, _HELD_OUT, given.seed, seeds=3, progress=progress)


def _heat(given: Given, progress: Progress) -> Made:
    own, found = kernels_of(given), _base_map(given, progress)
    first, second, _ = own.axes
    shares = panes(found, first, second, own.study.axes)
    best, worst = found.best_base, int(np.nanargmax(found.error))
    errors = f"{found.error[best]:.3g} to {found.error[worst]:.3g} % over all"
    of_worst, of_best = (percent(float(found.error[i])) for i in (worst, best))
    alt = f"Mean error from each base, others as at {own.study.shown(own.base)}: {errors}"
    compared = (
        Compared("bases", "448, of which 56 are drawn", f"{len(found.error)}, in {len(shares.panes)} maps"),
        Compared("worst bases", "least memory bandwidth, most compute", own.study.shown(worst), of_worst),
        Compared("best base", "balanced", own.study.shown(best), of_best),
    )
    note = base_sentence(found, own.base, texts_of(own.study.grid, own.study.axes))
    cut = "80 % of the kernels learnt from, as in the paper, drawn three times."
    return Made(compared, (_map(own, found.error, alt),), notes=(note, cut))


def _boxes(given: Given, progress: Progress) -> Made:
    own, found = kernels_of(given), _base_map(given, progress)
    axis = own.axes[2]
    along = found.along(axis)
    name = own.study.axes[axis]
    alt = f"Mean errors of all bases by their {name}: {percent(float(found.error.mean()))} on average"
    drawn = boxes([f"{name.name} = {shown(x)}" for x in along], list(along.values()), "mean error (%)", alt)
    rows = [(x, v.mean(), v.std(), v.min(), v.max()) for x, v in along.items()]
    columns = [str(name), "mean (%)", "standard deviation (%)", "smallest (%)", "largest (%)"]
    compared = (Compared("average error over all bases", "roughly 15 %", percent(float(found.error.mean()))),)
    caption = f"{alt}. Box: a standard deviation to both sides of the mean; whiskers: extremes, as in the paper."
    return Made(compared, (drawn.saying(caption),), (Table("Boxes", pd.DataFrame(rows, columns=columns)),))


def _by_clusters(given: Given, progress: Progress) -> Made:
    own = kernels_of(given)
    counts = [n for n in _COUNTS if n <= own.study.n_kernels // 3] or [1]
    network = Network(seed=given.seed)
    found = errors_by_clusters(own.study, own.response, own.base, counts, network, _FOLDS, given.seed, progress)
    x = np.array([float(c.n_clusters) for c in found])
    told = {"network": [c.error for c in found], "best possible cluster": [c.best_cluster for c in found]}
    best = min(found, key=lambda c: c.error)
    alt = f"Error over the number of clusters: the network's is smallest with {best.n_clusters}, {percent(best.error)}"
    series = [Series(name, x, np.array(values)) for name, values in told.items()]
    up = axis_for("mean error (%)", np.array([0.0, *told["network"]]))
    table = pd.DataFrame({"clusters": x.astype(int), **{f"{n} (%)": v for n, v in told.items()}})
    here = f"smallest error with {best.n_clusters}"
    compared = (Compared("clusters", "studied for power; no numbers printed", here),)
    return Made(compared, (plot(series, "clusters", up, alt),), (Table("Errors", table),))


def _power(given: Given, progress: Progress) -> Made:
    """Show the histogram of power's errors; of the response's, with the reason, where no power was measured."""
    measured = given.source.measured()
    power = next((m for m in measured.metrics if m.kind is Kind.RESPONSE and _is_power(m)), None)
    if power is None:
        found, name = _base_map(given, progress), given.source.response
    else:
        study = study_from_measured(measured, (power.name,))
        network = Network(seed=given.seed)
        found = base_map(study, power.name, network, _HELD_OUT, given.seed, seeds=1, progress=progress)
        name = power.name
    share = 100 * found.counts / found.counts.sum()
    below = float(share[found.edges < 10].sum())
    bins = list(range(0, min(len(share), 17)))
    names = [f"{found.edges[i]:g} to {found.edges[i] + 2.5:g} %" for i in bins[:-1]]
    last = f"{found.edges[bins[-1]]:g} % and more"
    values = np.array([*(share[i] for i in bins[:-1]), share[bins[-1] :].sum()])
    alt = f"Errors of {found.n_predictions:,} predictions of {name}: {below:.3g} % of them are below 10 %"
    drawn = bars([*names, last], values, "share of predictions (%)", alt)
    lacks = "no power was measured here, so this is the response; power may scale otherwise" if power is None else ""
    here = f"{below:.3g} % of predictions of {name}"
    compared = (Compared(f"{name}, below 10 % error", "most configurations, of power", here, lacks),)
    return Made(compared, (drawn,))


def _is_power(metric: Metric) -> bool:
    return metric.unit in ("W", "mW") or "power" in metric.name.lower()


def _segments(given: Given, progress: Progress) -> Made:
    own = kernels_of(given)
    how: dict[str, Any] = {"base": own.base, "folds": _FOLDS, "seed": given.seed, "dataset": given.source.dataset}
    model = fit_scaling(own.study, Network(seed=given.seed), responses=(own.response,), progress=progress, **how)
    there = np.flatnonzero(np.isfinite(own.study.surface(own.response)[:, own.base]))
    kernels = {own.study.kernels[k]: known_kernel(own.study, k, model) for k in there.tolist()}
    clock = 1.0 if own.study.responses[own.study.response(own.response)].unit in ("cycle", "cycles") else float("nan")
    device = Device("device", model, kernels, clock_ghz=clock)
    said = example(list(kernels), "device", typical_seconds(model, own.study, clock), has_power=False)
    application = make_application(said.segments, [Device("host"), device])
    found = timeline(application, application.schedule())
    ends = found.start_s + found.time_s
    alt = f"Segments of an application: {found.path()} is the critical path, {found.total_s:.3g} s"
    drawn = spans(found.names, 1e3 * found.start_s, 1e3 * ends, found.critical, "time (ms)", alt)
    here = f"{len(found.names)} segments; speed up {found.first} first"
    compared = (Compared("segments", "a drawing of parallel segments", here),)
    note = "The application is made up of three of the kernels: theirs are the model's times, the host's are assumed."
    cycles = f" Cycles are at {clock:g} GHz." if np.isfinite(clock) else ""
    picture = drawn.saying(f"{alt}. Segments on the path stand out.")
    return Made(compared, (picture,), (Table("Segments", found.table()),), (note + cycles,))


AMD = paper(
    "amd",
    Artefact("Table 1: heterogeneous systems", never("It lists products; nothing in it is computed.")),
    Artefact("Figure 1: segments of an application", _segments),
    Artefact("Figure 2: how kernels scale", _behaviours),
    Artefact("Figure 3: dendrogram of kernels", _dendrogram),
    Artefact("Figures 4 and 6: flow of the model, and its network", DIAGRAM),
    Artefact("Figure 5: clusters of scaling curves", _clusters),
    Artefact("Figure 7: a kernel along its scaling curve", _walk),
    Artefact("Section 4.1: the classifier against the best possible cluster", _classifier),
    Artefact("Section 4.1: error against the number of clusters", _by_clusters),
    Artefact("Figure 8: error by base configuration", _heat),
    Artefact("Figure 9: errors over all bases", _boxes),
    Artefact("Figure 10: histogram of the power model's errors", _power),
)
