"""A trained model in few numbers and words: its terms and R², the steps to it, its knots, what matters to it."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from core.codec import FloatArray, Frozen
from core.models import FAMILIES
from core.models.base import Model
from core.models.parts.story import Importance, StepRow, adjusted
from core.option import specs
from core.pipeline import FittedPipeline
from core.progress import Progress, silent
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
    labelled : whether they are called as in forms, and their values are words
    options : as a model file keeps them
    """
    from core.recipes import RECIPES  # late: recipes load learners, and a card needs none

    family = options.get("family")
    own = family if isinstance(family, Mapping) else options
    classes = [names[recipe] for names in (RECIPES, FAMILIES) if recipe in names]
    known = {spec.name: spec for cls in classes for spec in specs(cls)}
    inner = {f.name for cls in classes for f in fields(cls)} - known.keys()  # fields that nobody sets
    said = {
        str(name): known[name].text(value) if name in known else text_of(value)
        for name, value in own.items()
        if name not in inner
    }
    if not labelled:
        return said
    words = {"True": "yes", "False": "no"}
    return {known[n].label if n in known else n: words.get(t, t.replace("_", " ")) for n, t in said.items()}


def text_of(value: object) -> str:
    """Return an option's value as people write it."""
    return (", ".join(map(str, value)) or "none") if isinstance(value, list | tuple) else str(value)


class FitSummary(Frozen):
    """A trained model on the trials of a frame.

    Attributes
    ----------
    n_terms : over all clusters, a model that several share counted once
    terms, steps : over all clusters; with several, each begins with "cluster 2: "
    r2 : of the frame's trials, on the scale that the model works on
    adjusted_r2 : the same, adjusted for the number of coefficients; None where there are too many, or
        where a model has none that could be counted, as a forest
    noun, counted : what the terms are, in a word such as "effect" and in a sentence
    notes : what is to be known of the fit, in sentences
    """

    n_trials: int
    n_terms: int
    terms: tuple[str, ...]
    r2: float
    adjusted_r2: float | None
    steps: tuple[StepRow, ...]
    noun: str
    counted: str
    notes: tuple[str, ...]


def fit_summary(model: FittedPipeline, frame: Frame) -> FitSummary:
    """Sum up a model on the trials that it was trained on (or any others that have its metrics)."""
    own = [places[0] for places in by_model(model)]
    fitted = [model.clusters[i].model for i in own]
    pairs = list(zip([f"cluster {i + 1}: " if len(own) > 1 else "" for i in own], fitted, strict=True))
    terms = tuple(mark + term for mark, one in pairs for term in one.terms(model.features))
    steps = tuple(replace(s, term=mark + s.term) for mark, one in pairs for s in one.course(model.features))
    rows = model.rows(frame)
    r2 = _r2(model.forward(frame.y, rows), model.predict_scaled(rows))
    known = [n for one in fitted if (n := one.n_coefficients) is not None]
    of_trials = adjusted(r2, len(frame), sum(known)) if len(known) == len(fitted) else None
    nouns = {(one.noun, one.counted) for one in fitted}
    noun, counted = nouns.pop() if len(nouns) == 1 else (Model.noun, Model.counted)
    notes = (*model.notes, *(mark + said for mark, one in pairs for said in one.remarks()))
    return FitSummary(len(frame), len(terms), terms, r2, of_trials, steps, noun, counted, notes)


def by_model(model: FittedPipeline) -> list[list[int]]:
    """Return the clusters, counted from 0, in groups that share one model."""
    found: dict[int, list[int]] = {}
    for i, member in enumerate(model.clusters):
        found.setdefault(id(member.model), []).append(i)
    return list(found.values())


def _r2(z: FloatArray, predicted: FloatArray) -> float:
    known = np.isfinite(z) & np.isfinite(predicted)
    if known.sum() < 2:
        return float("nan")
    total = float(((z[known] - z[known].mean()) ** 2).sum())
    left = float(((z[known] - predicted[known]) ** 2).sum())
    return 1 - left / total if total > 0 else float("nan")


def knots_table(model: FittedPipeline, cluster: int = 0) -> "pd.DataFrame | None":
    """Return a row per coefficient: the term, where its knot is, and what it adds there; None without splines.

    A coefficient is the value of a term at one knot (or at one knot of each of its parameters) against
    the first knot, where every term is 0; between knots it is the natural cubic spline through them.
    """
    import pandas as pd

    rows = model.clusters[cluster].model.knots(model.features)
    if not rows:
        return None
    unit = f"ln {model.response.name}" if model.scale.name == LOG else str(model.response)
    unit = symbol_on_scale(model) if model.scale.relative else unit
    return pd.DataFrame(rows, columns=["term", "at", f"adds ({unit})"])


@np.errstate(over="ignore", invalid="ignore")  # a model file may hold any numbers
def importance(model: FittedPipeline, cluster: int = 0) -> Importance | None:
    """Return what matters to one cluster's model; None if its family does not tell."""
    return model.clusters[cluster].model.importances(feature_terms(model))


def why_no_selection(model: FittedPipeline) -> str:
    """Say why there is neither a selection nor an importance to show."""
    families = sorted({FAMILIES.name_of(type(m.model)) for m in model.clusters})
    return (
        f"This model of the family {', '.join(families)} keeps neither the steps that led to it nor what matters "
        "to it, so there is nothing to tell here; the Effects view shows how each metric moves its predictions."
    )


REPEATS = 5


def permutation_importance(
    model: FittedPipeline, frame: Frame, groups: Sequence[Sequence[str]], progress: Progress = silent
) -> Importance:
    """Return the mean absolute percentage error that a model gains when metrics are permuted.

    Metrics that tell the same are permuted together: alone, each would look needless, as the others speak for it.

    Parameters
    ----------
    groups : of metrics; those that the model does not take are left out

    References
    ----------
    Breiman 2001, Random forests, section 10; Fisher, Rudin, Dominici 2019 for models of any kind.
    """
    rows = model.rows(frame)
    before = _error(model, rows, frame.y)
    rng = np.random.default_rng(0)
    places = [[model.names.index(name) for name in group if name in model.names] for group in groups]
    known = [(group, own) for group, own in zip(groups, places, strict=True) if own]
    gained = np.zeros(len(known))
    for i, (group, columns) in enumerate(known):
        progress(i / len(known), f"permuting {group[0]}")
        for _ in range(REPEATS):
            mixed = rows.copy()
            mixed[:, columns] = rows[rng.permutation(len(rows))][:, columns]
            gained[i] += (_error(model, mixed, frame.y) - before) / REPEATS
    order = [int(i) for i in np.argsort(-gained, kind="stable") if gained[i] > 0]
    return Importance(
        "error added by permuting",
        "% points",
        "How much larger the mean error on these trials gets when the metric's values are dealt out anew among them, "
        "which tells how much the model leans on it. Metrics that tell the same are dealt out together.",
        tuple(f"{own[0]} and {len(own) - 1} alike" if len(own) > 1 else own[0] for own in (known[i][0] for i in order)),
        gained[order],
    )


def _error(model: FittedPipeline, rows: FloatArray, y: FloatArray) -> float:
    """Return the mean absolute percentage error; a refused prediction counts as 100 %."""
    predicted = model.predict(rows).value
    there = y != 0
    ape = 100 * np.abs(predicted[there] / y[there] - 1)
    return float(np.where(np.isfinite(ape), ape, 100.0).mean()) if there.any() else 0.0
