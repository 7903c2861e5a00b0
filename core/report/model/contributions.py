"""What each factor adds to R² as the selection proceeds (Stargazer, figure 3), and terms by how much they move."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.report.model.summary import feature_terms

OTHERS = "all others"


class Contributions(Frozen):
    """Gains in R² per application and factor.

    Attributes
    ----------
    applications : in the order of their names
    factors : parameters and interactions a:b, those that contribute most over all applications first
    gains : array of shape (n_applications, n_factors), 0 where a factor is not in the model
    place : array of shape (n_applications, n_factors), when the factor was taken, from 1 on; 0 if never
    of : what gains are parts of
    """

    applications: tuple[str, ...]
    factors: tuple[str, ...]
    gains: FloatArray
    place: FloatArray
    of: str = "R² of the training trials"

    @property
    def r2(self) -> FloatArray:
        """R² of each model, or all shares together, array of shape (n_applications,)."""
        return np.asarray(self.gains.sum(axis=1))

    @property
    def average(self) -> FloatArray:
        """What each factor adds on average over the applications, array of shape (n_factors,)."""
        return np.asarray(self.gains.mean(axis=0))

    def fewer(self, most: int) -> "Contributions":
        """Return the same with all but the first factors summed up."""
        if len(self.factors) <= most:
            return self
        rest = self.gains[:, most:].sum(axis=1, keepdims=True)
        gains, place = np.hstack([self.gains[:, :most], rest]), np.hstack([self.place[:, :most], np.zeros_like(rest)])
        return replace(self, factors=(*self.factors[:most], OTHERS), gains=gains, place=place)

    def table(self) -> pd.DataFrame:
        """Return a row per application: R², then what each factor adds to it; empty where it is not in the model."""
        shown = np.where(self.place > 0, self.gains, np.nan)
        body = {factor: shown[:, j] for j, factor in enumerate(self.factors)}
        return pd.DataFrame({"application": self.applications, "R²": self.r2, **body})

    def plain(self) -> dict[str, Any]:
        """Return, per application, R² and the factors in the order they were taken, for JSON."""
        found = {}
        for i, application in enumerate(self.applications):
            taken = [j for j in np.argsort(self.place[i], kind="stable").tolist() if self.place[i, j]]
            steps = [{"factor": self.factors[j], "gain": float(self.gains[i, j])} for j in taken]
            found[application] = {"r2": float(self.r2[i]), "factors": steps}
        return found


def contributions(models: Mapping[str, FittedPipeline]) -> Contributions:
    """Read what each factor adds from what several models tell: the story of splines, variances of anova.

    Interactions are called alike in all models: a:b and b:a are one factor, named by the order in
    which the parameters first appear.

    Parameters
    ----------
    models : by application, all of one family

    Raises
    ------
    OptionError
        If a model does not tell, or there is none.
    """
    if not models:
        raise OptionError("There is no model to read contributions from.")
    rank = {name: i for i, name in enumerate(dict.fromkeys(n for m in models.values() for n in m.features))}
    told = {application: _told(application, model, rank) for application, model in models.items()}
    stories = {application: story for application, (_, story) in told.items()}
    total: dict[str, float] = {}
    for story in stories.values():
        for factor, gain in story:
            total[factor] = total.get(factor, 0.0) + gain
    factors = sorted(total, key=lambda f: (-total[f], f))
    gains, place = np.zeros((2, len(stories), len(factors)))
    for i, story in enumerate(stories.values()):
        for k, (factor, gain) in enumerate(story, start=1):
            gains[i, factors.index(factor)] = gain
            place[i, factors.index(factor)] = k
    return Contributions(tuple(stories), tuple(factors), gains, place, next(iter(told.values()))[0])


def _told(application: str, model: FittedPipeline, rank: Mapping[str, int]) -> tuple[str, list[tuple[str, float]]]:
    own = model.clusters[0].model.factors()
    if own is None or len(model.clusters) > 1:
        raise OptionError(
            f"The model of '{application or 'all'}' does not tell what each factor adds. Use the recipe stargazer, or "
            "the family splines or anova."
        )
    of, parts = own
    named = [([model.features[c] for c in columns], gain) for columns, gain in parts]
    return of, [(":".join(sorted(names, key=lambda n: rank[n])), gain) for names, gain in named]


@np.errstate(over="ignore", invalid="ignore")  # a term may have a pole
def ranked_terms(model: FittedPipeline, X: FloatArray, cluster: int = 0) -> pd.DataFrame | None:
    """Return a row per term of a cluster's model, that which moves its predictions most first.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics), the trials that it was trained on

    Returns
    -------
    DataFrame
        `term`; `share`, the standard deviation of coefficient times term over the cluster's trials, in those of its
        predictions on the model's own scale: terms that work against each other have more than 1 together. None where
        the model is not a sum of one function per term.
    """
    member, scores = model.clusters[cluster].model, model.scores(X)
    parts, terms = member.parts(), member.terms(feature_terms(model))
    if parts is None or parts.trees or not terms or len(parts.pieces) != len(terms):
        return None
    own = scores[model.assign(scores) == cluster]
    moves = np.array([np.nanstd(piece.of(own[:, list(piece.columns)])) for piece in parts.pieces])
    table = pd.DataFrame({"movement (sd)": moves / (np.nanstd(member.predict(own)) or 1.0), "term": terms})
    return table.sort_values("movement (sd)", ascending=False, kind="stable", ignore_index=True)
