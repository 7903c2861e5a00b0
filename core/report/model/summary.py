"""A trained model in few numbers and words: what it is of, its options, terms and R², the steps to it, its knots."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from core.codec import FloatArray
from core.models import FAMILIES
from core.models.anova import AnovaModel
from core.models.base import Model
from core.models.parts.linear import LinearModel, SumModel
from core.models.splines import SplinesModel
from core.models.stepwise import StepwiseModel
from core.option import specs
from core.pipeline import ClusterModel, FittedPipeline
from core.report.shared.naming import component_terms
from core.scale import LOG
from core.trial import Frame

if TYPE_CHECKING:
    import pandas as pd


def symbol_on_scale(model: FittedPipeline) -> str:
    """Return the left side of the model's formula, such as `ln(time / time on K40)`."""
    name = _ratio(model, " / ")
    scale = model.scale
    if scale.factor != 1 or scale.power != 1:
        own = f"({model.response.name} / {scale.factor:.4g})^{1 / scale.power:.4g}"
        name = name.replace(model.response.name, own, 1)
    return f"ln({name})" if model.scale.log else name


def feature_terms(model: FittedPipeline) -> tuple[str, ...]:
    """Name the model's variables as its terms show them: components with what they are made of, metrics as they are."""
    return component_terms(model.features, model.names, model.loadings)


def words_on_scale(model: FittedPipeline) -> str:
    """Return what the model is of in words, such as `the logarithm of time`."""
    name = _ratio(model, " as a ratio to ")
    return f"the logarithm of {name}" if model.scale.log else name


def _ratio(model: FittedPipeline, between: str) -> str:
    name = model.response.name
    if not model.scale.relative or model.reference is None:
        return name
    return f"{name}{between}{model.names[model.reference]}"


def options_in_words(recipe: str, options: Mapping[str, Any], labelled: bool = False) -> dict[str, str]:
    """Return the options of a recipe, or of the family that is one, written as `--set` takes them.

    Parameters
    ----------
    recipe : its name; options of one that is not known are written too
    labelled : whether they are called as in forms
    options : as a model file keeps them
    """
    from core.recipes import RECIPES  # late: recipes load learners, and a card needs none

    family = options.get("family")
    own = family if isinstance(family, Mapping) else options
    known = {spec.name: spec for names in (RECIPES, FAMILIES) if recipe in names for spec in specs(names[recipe])}
    said = {str(name): known[name].text(value) if name in known else _text(value) for name, value in own.items()}
    return {known[name].label if name in known else name: text for name, text in said.items()} if labelled else said


def _text(value: object) -> str:
    return (", ".join(map(str, value)) or "none") if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True)
class StepRow:
    """One step of a selection: the term it added, R² and adjusted R² with it."""

    term: str
    r2: float
    adjusted_r2: float


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster's model.

    Attributes
    ----------
    number : counted from 1, largest cluster first
    n_trials : training trials in the cluster
    note : why the model of all trials stands in, or ""
    """

    number: int
    n_trials: int
    terms: tuple[str, ...]
    steps: tuple[StepRow, ...]
    note: str


@dataclass(frozen=True)
class FitSummary:
    """A trained model on the trials of a frame.

    Attributes
    ----------
    n_terms : over all clusters, a model that several share counted once
    terms, steps : over all clusters; with several, each begins with "cluster 2: "
    r2 : of the frame's trials, on the scale that the model works on
    adjusted_r2 : the same, adjusted for the number of coefficients; None where there are too many, or
        where a model has none that could be counted, as a forest
    noun : what the terms are: "term", "effect" or "metric"
    """

    n_trials: int
    n_terms: int
    terms: tuple[str, ...]
    r2: float
    adjusted_r2: float | None
    steps: tuple[StepRow, ...]
    clusters: tuple[ClusterSummary, ...]
    noun: str = "term"


def fit_summary(model: FittedPipeline, frame: Frame) -> FitSummary:
    """Sum up a model on the trials that it was trained on (or any others that have its metrics)."""
    clusters = tuple(_cluster(i, member, model.features) for i, member in enumerate(model.clusters))
    own = _once(model.clusters)
    several = len(own) > 1
    terms = tuple(_marked(clusters[i], term, several) for i in own for term in clusters[i].terms)
    counts = [n_coefficients(model.clusters[i].model) for i in own]
    steps = tuple(
        StepRow(_marked(clusters[i], s.term, several), s.r2, s.adjusted_r2) for i in own for s in clusters[i].steps
    )
    rows = model.rows(frame)
    r2 = _r2(model.forward(frame.y, rows), model.predict_scaled(rows))
    known = [n for n in counts if n is not None]
    adjusted = _adjusted(r2, len(frame), sum(known)) if len(known) == len(counts) else None
    return FitSummary(len(frame), len(terms), terms, r2, adjusted, steps, clusters, _noun(model))


def steps_of(model: Model, features: tuple[str, ...]) -> tuple[StepRow, ...]:
    """Return the steps of a model that was built term by term, none for any other."""
    if isinstance(model, StepwiseModel):
        told = [(s.r2, s.adjusted_r2) for s in model.steps]
    elif isinstance(model, SplinesModel):
        told = [(s.r2, s.adjusted_r2) for s in model.steps if s.taken]
    elif isinstance(model, LinearModel) and _one_by_one(model):
        told = [(s.r2, _adjusted(s.r2, model.n_trials, s.n_terms) or s.r2) for s in model.steps[1:]]
    else:
        return ()
    return tuple(StepRow(t, *numbers) for t, numbers in zip(model.terms(features), told, strict=False))


def _one_by_one(model: LinearModel) -> bool:
    """Whether each step but the first added one of the columns, in their order."""
    return [s.added for s in model.steps[1:]] == [(j,) for j in model.columns.tolist()]


def n_coefficients(model: Model) -> int | None:
    """Return how many coefficients a model has beside its constant; None where that says nothing."""
    if isinstance(model, LinearModel):
        return len(model.columns)
    if isinstance(model, SumModel):
        return len(model.chosen)
    if isinstance(model, SplinesModel):
        return model.steps[-1].rank - 1 if model.steps else sum(len(t.coefficients) for t in model.chosen)
    return None


def _noun(model: FittedPipeline) -> str:
    kinds = {type(m.model) for m in model.clusters}
    if all(issubclass(kind, SumModel | SplinesModel) for kind in kinds):
        return "term"
    return "effect" if kinds == {AnovaModel} else "metric"


def _cluster(i: int, member: ClusterModel, features: tuple[str, ...]) -> ClusterSummary:
    model = member.model
    note = member.note or (model.note if isinstance(model, LinearModel) else "")
    return ClusterSummary(i + 1, member.n_trials, tuple(model.terms(features)), steps_of(model, features), note)


def _once(clusters: tuple[ClusterModel, ...]) -> list[int]:
    """Return the clusters that bring a model of their own, or the first to use a shared one."""
    seen: set[int] = set()
    first = []
    for i, member in enumerate(clusters):
        if id(member.model) not in seen:
            first.append(i)
        seen.add(id(member.model))
    return first


def _marked(cluster: ClusterSummary, term: str, several: bool) -> str:
    return f"cluster {cluster.number}: {term}" if several else term


def _r2(z: FloatArray, predicted: FloatArray) -> float:
    known = np.isfinite(z) & np.isfinite(predicted)
    if known.sum() < 2:
        return float("nan")
    total = float(((z[known] - z[known].mean()) ** 2).sum())
    left = float(((z[known] - predicted[known]) ** 2).sum())
    return 1 - left / total if total > 0 else float("nan")


def _adjusted(r2: float, n: int, k: int) -> float | None:
    return 1 - (1 - r2) * (n - 1) / (n - k - 1) if n - k - 1 > 0 else None


def knots_table(model: FittedPipeline, cluster: int = 0) -> "pd.DataFrame | None":
    """Return a row per coefficient: the term, where its knot is, and what it adds there; None without splines.

    A coefficient is the value of a term at one knot (or at one knot of each of its parameters) against
    the first knot, where every term is 0; between knots it is the natural cubic spline through them.
    """
    import pandas as pd

    fitted = model.clusters[cluster].model
    if not isinstance(fitted, SplinesModel):
        return None
    names = model.features
    rows: list[tuple[str, str, float]] = [("constant", "", fitted.intercept)]
    for term in fitted.chosen:
        own = [(names[a.column], np.exp2(a.knots) if a.log else a.knots) for a in (fitted.axes[i] for i in term.axes)]
        places = product(*([f"{name} = {v:.4g}" for v in knots[1:]] for name, knots in own))
        text = fitted.term_name(term.axes, names)
        rows += [(text, ", ".join(p), float(c)) for p, c in zip(places, term.coefficients, strict=True)]
    unit = f"ln {model.response.name}" if model.scale.name == LOG else str(model.response)
    unit = symbol_on_scale(model) if model.scale.relative else unit
    return pd.DataFrame(rows, columns=["term", "at", f"adds ({unit})"])
