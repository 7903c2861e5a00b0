"""How differently applications react to the same designs, seen through a model of each (Stargazer, section 8.2)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, OptionError
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn, silent
from core.recipes import Recipe
from core.report.model.contributions import Contributions, contributions
from core.report.shared.naming import short_number
from core.trial import Frame, Metric

MOST_DESIGNS = 2000
_ROUNDING = 1e-9
"""Of the largest reaction: models that differ by less say the same."""
_APART = "Typical difference of two responses to a design, each against its own average"
_OF_SPREAD = f"{_APART}, in % of their standard deviation: the response is not always positive"


class Diversity(Frozen):
    """Applications, and how far apart they are.

    Attributes
    ----------
    applications : alike ones are neighbours
    distance : array of shape (n, n): typical factor between two applications' responses to a design,
        each against its own typical response, less 1; 0 is the same reaction, 0.2 is 20 % apart. Of a response that is
        not always positive the typical difference, over the standard deviation of responses about their own mean
    n_designs : that they were compared on
    measure : what the distances are, as a sentence
    """

    applications: tuple[str, ...]
    distance: FloatArray
    n_designs: int
    measure: str

    @property
    def unlike(self) -> FloatArray:
        """Mean distance of each application to the others, array of shape (n,)."""
        return np.asarray(self.distance.sum(axis=1) / max(len(self.applications) - 1, 1))

    def nearest(self, i: int) -> int:
        """Return the application that reacts most like one."""
        own = self.distance[i].copy()
        own[i] = np.inf
        return int(np.argmin(own))

    def table(self) -> pd.DataFrame:
        """Return a row per application: how unlike it is, its nearest, and all distances, in percent."""
        near = [self.nearest(i) for i in range(len(self.applications))]
        head = {
            "application": self.applications,
            "apart from the others (%)": 100 * self.unlike,
            "most like": [self.applications[j] for j in near],
            "apart from it (%)": [100 * self.distance[i, j] for i, j in enumerate(near)],
        }
        body = {f"{a} (%)": 100 * self.distance[:, j] for j, a in enumerate(self.applications)}
        return pd.DataFrame({**head, **body})


class Reactions(Frozen):
    """The response of applications over one parameter, the others fixed (Stargazer, figure 7).

    Attributes
    ----------
    parameter : with its unit
    levels : array of shape (n_levels,), ascending
    applications : those that react most first
    values : array of shape (n_applications, n_levels), against the response at the first level; NaN where refused
    response : what is predicted
    ratios : whether values are factors; of a response that is not always positive they are differences
    """

    parameter: Metric
    levels: FloatArray
    applications: tuple[str, ...]
    values: FloatArray
    response: Metric
    ratios: bool

    @property
    def spans(self) -> FloatArray:
        """Largest over (or less) smallest response of each application, array of shape (n_applications,)."""
        return _spans(self.values, self.ratios)

    @property
    def title(self) -> str:
        """What the values are."""
        first = f"that at {self.parameter.name} = {short_number(self.levels[0])}"
        return f"response against {first}" if self.ratios else f"{self.response} less {first}"

    def table(self) -> pd.DataFrame:
        """Return a row per level, a column per application."""
        body = {application: self.values[i] for i, application in enumerate(self.applications)}
        return pd.DataFrame({str(self.parameter): self.levels, **body})


def diversity(models: Mapping[str, FittedPipeline], designs: Frame) -> Diversity:
    """Compare applications by what their models predict for the same designs.

    Parameters
    ----------
    models : by application
    designs : the designs; of more than 2,000, so many evenly spread ones are taken

    Raises
    ------
    OptionError
        If there are fewer than two applications, or fewer than two designs that all models predict.
    """
    if len(models) < 2:
        raise OptionError(f"Comparing applications needs at least 2 of them, got {len(models)}.")
    frame = _different(designs)
    values = np.array([model.predict(model.rows(frame)).value for model in models.values()])
    ratios = _ratios(designs)
    known = (np.isfinite(values) & ((values > 0) | (not ratios))).all(axis=0)
    if known.sum() < 2:
        raise OptionError("Fewer than 2 designs have a positive prediction from every application's model.")
    found = np.log(values[:, known]) if ratios else values[:, known]
    found -= found.mean(axis=1, keepdims=True)
    apart = np.sqrt(((found[:, None, :] - found[None, :, :]) ** 2).mean(axis=2))
    apart[apart < _ROUNDING * np.abs(found).max()] = 0.0
    apart = np.expm1(apart) if ratios else apart / (found.std() or 1.0)
    order = leaves_list(linkage(squareform(apart, checks=False), "average", optimal_ordering=True))
    names = tuple(models)
    measure = _APART if ratios else _OF_SPREAD
    return Diversity(tuple(names[i] for i in order), apart[np.ix_(order, order)], int(known.sum()), f"{measure}.")


def reactions(models: Mapping[str, FittedPipeline], designs: Frame, parameter: str) -> Reactions:
    """Vary one parameter and keep the others fixed, in the model of each application.

    Parameters
    ----------
    designs : gives the levels of the parameter, and for the others the middle one of their levels

    Raises
    ------
    OptionError
        If the designs lack the parameter.
    """
    if parameter not in designs.names:
        raise OptionError(f"There is no parameter '{parameter}' here; there are: {', '.join(designs.names)}.")
    fixed = {n: _middle(designs.X[:, j]) for j, n in enumerate(designs.names) if n != parameter}
    place = designs.names.index(parameter)
    levels, ratios = np.unique(designs.X[:, place]), _ratios(designs)
    X = np.tile([fixed.get(n, 0.0) for n in designs.names], (len(levels), 1))
    X[:, place] = levels
    found = np.array([m.predict(X[:, [designs.names.index(n) for n in m.names]]).value for m in models.values()])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = found / found[:, :1] if ratios else found - found[:, :1]
    order = np.argsort(-np.nan_to_num(_spans(values, ratios)), kind="stable")
    names = tuple(models)
    own = tuple(names[i] for i in order)
    return Reactions(designs.metrics[place], levels, own, values[order], designs.response, ratios)


def _ratios(designs: Frame) -> bool:
    """Whether responses have ratios: all that was measured is positive."""
    return bool((designs.y > 0).all())


def _different(designs: Frame) -> Frame:
    first: IntArray = np.sort(np.unique(designs.X, axis=0, return_index=True)[1])
    if len(first) > MOST_DESIGNS:
        first = first[np.linspace(0, len(first) - 1, MOST_DESIGNS).round().astype(np.int64)]
    return designs.take(first)


def _middle(values: FloatArray) -> float:
    levels = np.unique(values)
    return float(levels[len(levels) // 2])


def _spans(values: FloatArray, ratios: bool) -> FloatArray:
    known = np.where(np.isfinite(values), values, values[:, :1])
    low, high = known.min(axis=1), known.max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(high / low if ratios else high - low)


class Applications(Frozen):
    """A model per application, and what comparing them says.

    Attributes
    ----------
    models : by application
    designs : the trials of all, whose designs the models were asked for
    apart : how unlike the applications react
    added : what each factor adds to R² or explains of the variance of each; None if the models do not tell
    """

    models: Mapping[str, FittedPipeline]
    designs: Frame
    apart: Diversity
    added: Contributions | None

    @property
    def moving(self) -> list[str]:
        """The parameters that differ between the designs."""
        return [n for n, x in zip(self.designs.names, self.designs.X.T, strict=True) if np.ptp(x)]

    def over(self, parameter: str) -> Reactions:
        """Return how each reacts to one parameter, the others fixed."""
        return reactions(self.models, self.designs, parameter)


def frames_by(frame: Frame, by: str) -> dict[str, Frame]:
    """Return a frame per value of a label, by its text.

    Raises
    ------
    OptionError
        If there is no such label.
    """
    if by not in frame.labels:
        raise OptionError(f"There is no label '{by}' for --by; there are: {', '.join(frame.labels)}.")
    texts = np.array(frame.labels[by], dtype=object)
    return {str(v) or "(none)": frame.take(np.flatnonzero(texts == v)) for v in sorted(set(texts))}


@contextmanager
def said_of(name: str) -> Iterator[None]:
    """Name one of several things whose trials no model can be fitted to."""
    try:
        yield
    except FitError as error:
        raise FitError(f"{name}: {error}") from None


def compare(recipe: Recipe, frame: Frame, by: str = "application", progress: Progress = silent) -> Applications:
    """Fit a model to the trials of each application, and compare them.

    Parameters
    ----------
    by : the label that tells applications apart

    Raises
    ------
    OptionError
        If there are fewer than two, or no such label.
    FitError
        If an application has too few trials.
    """
    frames = frames_by(frame, by)
    if len(frames) < 2:
        raise OptionError(f"Comparing needs at least 2 different values of {by}, got {len(frames)}.")
    models = {}
    for share, (name, own) in in_turn(progress, frames.items()):
        share(0.0, f"{name}: {len(own)} trials")
        with said_of(name):
            models[name] = recipe.fit(own, share)
    told = all(len(m.clusters) == 1 and m.clusters[0].model.factors() is not None for m in models.values())
    return Applications(models, frame, diversity(models, frame), contributions(models) if told else None)
