"""A model written out: the response from its terms, and the terms' variables from the metrics themselves."""

import re

import numpy as np

from core.codec import FloatArray, Frozen
from core.models.base import written_sum
from core.passes.base import FittedPass
from core.passes.scales import FittedLog
from core.pipeline import FittedPipeline
from core.report.model.summary import by_model, symbol_on_scale
from core.report.shared.naming import component_titles

_LN = {"raw": "{}", "log": "ln({})", "log1p": "ln(1 + {})"}


class ClusterFormula(Frozen):
    """The formula of one cluster's model.

    Attributes
    ----------
    clusters : those that use it, from 1
    n_trials : training trials in them
    text : such as "ln(time) = 3.2 + 0.5·RC1"
    """

    clusters: tuple[int, ...]
    n_trials: int
    text: str


class Variable(Frozen):
    """A variable of the formulas, as a linear function of the metrics (or of their logarithms).

    Attributes
    ----------
    name, title : such as "RC1", and with its top loadings; equal where it is a metric itself
    metrics : texts such as "ln(loads)", weightiest first
    weights : one per metric; the variable is constant + Σ weight · metric
    """

    name: str
    title: str
    constant: float
    metrics: tuple[str, ...]
    weights: FloatArray

    @property
    def is_itself(self) -> bool:
        """Whether the variable is a metric as it is, so that there is nothing to say of it."""
        return self.metrics == (self.name,) and self.constant == 0 and bool(self.weights[0] == 1)

    def text(self, limit: int | None = None) -> str:
        """Return the definition, with the `limit` weightiest metrics and the rest counted."""
        shown = len(self.metrics) if limit is None or len(self.metrics) <= limit + 1 else limit
        constant = f"{self.constant:.4g}".replace("-", "−", 1) if self.constant else ""
        parts = written_sum(constant, zip(self.weights[:shown].tolist(), self.metrics, strict=False))
        left = len(self.metrics) - shown
        more = f" + {left} smaller ones" if left else ""
        return f"{self.name} = {' '.join(parts)}{more}"


class Formula(Frozen):
    """A trained model in the metrics' own names.

    Attributes
    ----------
    clusters : one formula per model
    variables : those that occur in them, in the model's order; empty if they cannot be written out
    shifts : definitions of u(…), where functions need a positive argument
    """

    clusters: tuple[ClusterFormula, ...]
    variables: tuple[Variable, ...]
    shifts: tuple[str, ...]

    def text(self, limit: int | None = None) -> str:
        """Return everything as lines of text."""
        where = [*self.shifts, *(v.text(limit) for v in self.variables)]
        return "\n".join([*self._head(), *(["", "where", *where] if where else [])])

    def short_text(self) -> str:
        """Return the formulas, and their variables by name alone, such as "RC1: loads, branches"."""
        where = [*self.shifts, *(v.title for v in self.variables if v.title != v.name)]
        if any(v.name.startswith("z(") for v in self.variables):
            where.append("z(x) is x, or its logarithm, in standard deviations from its mean over the training trials")
        return "\n".join([*self._head(), *(["", "where", *where] if where else [])])

    def _head(self) -> list[str]:
        several = len(self.clusters) > 1
        lines = []
        for cluster in self.clusters:
            if several:
                numbers = ", ".join(str(i) for i in cluster.clusters)
                lines.append(f"cluster {numbers} ({cluster.n_trials} trials):")
            lines.append(cluster.text)
        return lines


def terms_of(right: str) -> list[str]:
    """Return the terms of a sum, each with its sign; a sum within brackets stays whole."""
    terms: list[str] = []
    for part in re.split(r" (?=[+−] )", right):
        if terms and terms[-1].count("(") > terms[-1].count(")"):
            terms[-1] += f" {part}"
        else:
            terms.append(part)
    return terms


def formula(model: FittedPipeline) -> Formula:
    """Write a model out: one formula per cluster, then what its variables are made of."""
    symbols = _symbols(model)
    used = {symbols[j] for member in model.clusters for j in member.model.written()}
    return Formula(
        clusters=_cluster_formulas(model, symbols),
        variables=tuple(v for v in linear_definitions(model) if v.name in used and not v.is_itself),
        shifts=_shifts(model, symbols),
    )


@np.errstate(over="ignore", invalid="ignore")  # a model file may hold any numbers
def linear_definitions(model: FittedPipeline) -> tuple[Variable, ...]:
    """Return every variable as constant + Σ weight · metric, where the passes are linear after logarithms.

    The passes are probed at 0 and at one unit per column: f(x) = f(0) + Σ x_j (f(e_j) - f(0)). If
    a further point does not agree, nothing is returned.
    """
    texts, steps, spread = _linear_part(model)
    width = len(model.metrics)
    probes = np.vstack([np.zeros(width), np.eye(width), np.linspace(-1.0, 2.0, width)])
    values = probes
    for step in steps:
        values = step.apply(values)
    constant, weights = values[0], values[1:-1] - values[0]
    size = 1 + np.abs(probes[-1]) @ np.abs(weights) + np.abs(constant)
    if not (np.abs(probes[-1] @ weights + constant - values[-1]) < 1e-6 * size).all():
        return ()
    symbols = _symbols(model)
    titles = component_titles(symbols, model.names, model.loadings)
    return tuple(
        _variable(name, title, float(constant[j]), texts, weights[:, j], spread)
        for j, (name, title) in enumerate(zip(symbols, titles, strict=True))
    )


def _symbols(model: FittedPipeline) -> tuple[str, ...]:
    """Name the variables: components as they are, a metric x that passes have changed as z(x)."""
    if not model.passes or not set(model.features) & set(model.names):
        return model.features
    return tuple(f"z({name})" for name in model.features)


def _variable(
    name: str, title: str, constant: float, texts: tuple[str, ...], weights: FloatArray, spread: FloatArray
) -> Variable:
    order = np.argsort(-np.abs(weights) * spread, kind="stable")
    order = order[np.abs(weights[order]) > 0]
    return Variable(name, title, constant, tuple(texts[j] for j in order), weights[order])


def _linear_part(model: FittedPipeline) -> tuple[tuple[str, ...], tuple[FittedPass, ...], FloatArray]:
    """Return what enters the linear part, as texts, the passes of that part, and the trained range of each column."""
    texts, steps, ends = model.names, model.passes, np.vstack([model.domain.low, model.domain.high])
    if steps and isinstance(first := steps[0], FittedLog):
        texts = tuple(_LN[s].format(n) for n, s in zip(model.names, first.scales, strict=True))
        steps, ends = steps[1:], first.apply(ends)
    return texts, steps, np.asarray(np.ptp(ends, axis=0))


def _cluster_formulas(model: FittedPipeline, symbols: tuple[str, ...]) -> tuple[ClusterFormula, ...]:
    left = symbol_on_scale(model)
    return tuple(
        ClusterFormula(
            clusters=tuple(i + 1 for i in places),
            n_trials=sum(model.clusters[i].n_trials for i in places),
            text=f"{left} = {model.clusters[places[0]].model.formula(symbols)}",
        )
        for places in by_model(model)
    )


def is_formula(model: FittedPipeline) -> bool:
    """Whether the model can be written as a sum that names its variables; a forest cannot."""
    return all(m.model.is_written for m in model.clusters)


def notation(model: FittedPipeline) -> tuple[str, ...]:
    """Return what a reader of the formula has to know, in sentences."""
    said = ["Numbers are rounded to four digits here; the downloaded JSON has them all. ln is the natural logarithm."]
    for one in (m.model for m in model.clusters):
        said += [f"{text} The Effects view draws them." if one.curved else text for text in one.notation()]
    if not is_formula(model):
        said.append(
            "This family has no formula that people could read: its trees, or its trials and their weights, are in the "
            "downloaded JSON. The Effects view shows how each metric moves the prediction."
        )
    return tuple(dict.fromkeys(said))


def _shifts(model: FittedPipeline, symbols: tuple[str, ...]) -> tuple[str, ...]:
    several = len(model.clusters) > 1
    pairs = ((i, text) for i, member in enumerate(model.clusters, 1) for text in member.model.shifts(symbols))
    return tuple(f"{text} in cluster {i}" if several else text for i, text in pairs)
