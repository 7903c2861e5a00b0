"""The rounds of a selection of splines: what every candidate was worth, as in Stargazer's Table 1."""

import pandas as pd

from core.codec import FloatArray, Frozen
from core.errors import count
from core.models.parts.splines_search import SplineStep
from core.models.parts.story import Limits, RoundStory
from core.pipeline import FittedPipeline
from core.report.model.summary import feature_terms

MEASURES = {"adjusted_r2": "adjusted R²", "aic": "AIC", "aicc": "AICc", "t_test": "p-value"}
"""What the candidates of a round are compared by; the first round is by R²."""
_OTHERS = ("round", "values are", "taken", "R² then")
_LOWER_IS_BETTER = ("AIC", "AICc", "p-value")


class Round(Frozen):
    """One round: candidates, and what became of them.

    Attributes
    ----------
    number : from 1
    newest : the parameter whose interactions are tried; "" in a round of parameters
    terms : the candidates
    places : per candidate the parameter under which a table shows it: itself, or its partner
    measure : what `values` are: "R²", "adjusted R²", "AIC", "AICc" or "p-value"
    values : array of shape (n_candidates,)
    best : number of the best candidate
    taken : whether it was taken
    before, r2 : R² of the model before and after the round
    adjusted_r2 : of the model after the round
    needed : what the best candidate's value had to pass; None where there is no such bound
    crossed : whether the best candidate is an interaction
    given : whether the term was fixed beforehand, so that nothing was chosen
    """

    number: int
    newest: str
    terms: tuple[str, ...]
    places: tuple[str, ...]
    measure: str
    values: FloatArray
    best: int
    taken: bool
    before: float
    r2: float
    adjusted_r2: float
    needed: float | None
    crossed: bool = False
    given: bool = False

    @property
    def term(self) -> str:
        """The best candidate."""
        return self.terms[self.best]

    @property
    def gain(self) -> float:
        """What the round adds to R²."""
        return self.r2 - self.before

    @property
    def tried(self) -> str:
        """What was tried, in words."""
        if self.given:
            return "a term that was given"
        if self.newest:
            return f"interactions of {self.newest}"
        return "each parameter alone" if self.number == 1 else "each further parameter"

    @property
    def lower_is_better(self) -> bool:
        """Whether the smallest value is the best."""
        return self.measure in _LOWER_IS_BETTER


class Rounds(Frozen):
    """A whole selection.

    Attributes
    ----------
    parameters : those that could be used, in the order of the columns
    rounds : all, also those that took nothing
    stopped : why it ended, in a sentence
    left_out : (parameter, why) of those that could not be used
    """

    n_trials: int
    parameters: tuple[str, ...]
    rounds: tuple[Round, ...]
    stopped: str
    left_out: tuple[tuple[str, str], ...]

    @property
    def taken(self) -> tuple[Round, ...]:
        """The rounds that added a term."""
        return tuple(r for r in self.rounds if r.taken)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that hold candidates: parameters, then pairs that were tried as threes."""
        places = dict.fromkeys(place for r in self.rounds for place in r.places)
        return (*self.parameters, *(place for place in places if place not in self.parameters))

    def table(self) -> pd.DataFrame:
        """Return a row per round and a column per parameter: R² first, then the criterion with each candidate."""
        values = [dict(zip(r.places, r.values.tolist(), strict=True)) for r in self.rounds]
        return pd.DataFrame(
            {
                "round": [r.number for r in self.rounds],
                "values are": [f"{r.measure}, {r.tried}" for r in self.rounds],
                **{_column(c): [v.get(c, float("nan")) for v in values] for c in self.columns},
                "taken": [r.term if r.taken else "nothing" for r in self.rounds],
                "R² then": [r.r2 for r in self.rounds],
            }
        )

    def marks(self) -> tuple[tuple[int, str], ...]:
        """Return row and column of each candidate that was taken, in `table`."""
        return tuple((i, _column(r.places[r.best])) for i, r in enumerate(self.rounds) if r.taken)


def has_rounds(model: FittedPipeline) -> bool:
    """Whether rounds can be told of this model."""
    return all(m.model.by_rounds() is not None for m in model.clusters)


def rounds(model: FittedPipeline, cluster: int = 0, ends: Limits | None = None) -> Rounds:
    """Tell the rounds of one cluster's model.

    Parameters
    ----------
    model : all of whose clusters have models of splines
    cluster : from 0
    ends : what it was fitted with, if that is known
    """
    story = model.clusters[cluster].model.by_rounds()
    if story is None:
        raise TypeError(f"The model of cluster {cluster} was not selected in rounds")
    names = feature_terms(model)
    told = []
    before = 0.0
    for i, step in enumerate(story.rounds):
        told.append(_round(step, i + 1, before, names, ends))
        before = step.r2
    return Rounds(
        n_trials=story.n_trials,
        parameters=tuple(names[column] for column in story.parameters),
        rounds=tuple(told),
        stopped=_why_stopped(story, told, ends),
        left_out=tuple((names[column], why) for column, why in story.left_out),
    )


def _round(step: SplineStep, number: int, before: float, names: tuple[str, ...], ends: Limits | None) -> Round:
    crossed = step.kind == "interaction"
    measure = "R²" if step.kind == "first" else MEASURES[ends.criterion if ends else "adjusted_r2"]
    tried = [[names[column] for column in term] for term in step.tried]
    return Round(
        number=number,
        newest=tried[0][0] if crossed else "",
        terms=tuple(":".join(term) for term in tried),
        places=tuple(":".join(term[1:] if crossed else term) for term in tried),
        measure=measure,
        values=step.values,
        best=step.best,
        taken=step.taken,
        before=before,
        r2=step.r2,
        adjusted_r2=step.adjusted_r2,
        needed=None if step.kind == "fixed" else _needed(measure, crossed, before, ends),
        crossed=len(step.tried[step.best]) > 1,
        given=step.kind == "fixed",
    )


def _needed(measure: str, crossed: bool, before: float, ends: Limits | None) -> float | None:
    if ends is None or measure in ("R²", "AIC", "AICc"):
        return None
    if measure == "p-value":
        return ends.level
    least = ends.phi if crossed else ends.theta
    return None if least is None else before + (least * before if ends.relative else least)


def _why_stopped(story: RoundStory, told: list[Round], ends: Limits | None) -> str:
    n, last = len(story.chosen), told[-1]
    single = sum(len(columns) == 1 for columns in story.chosen)
    terms = count(n, "term")
    if last.given:
        return f"Its {terms} were given, so nothing was chosen."
    if ends is not None and n >= ends.max_terms:
        return f"It stopped at {terms}, the most that were allowed."
    if ends is not None and ends.target_r2 is not None and last.r2 >= ends.target_r2:
        return f"It stopped after {terms}: R² has reached {ends.target_r2:g}."
    if not last.newest and not last.taken:
        return f"It stopped after {terms}: {_refused(last, ends)}"
    if single == len(story.parameters):
        return f"It stopped after {terms}: every parameter is in the model."
    return f"It stopped after {terms}: nothing is left to explain."


def _refused(last: Round, ends: Limits | None) -> str:
    said = f"the best parameter left, {last.term}, would give"
    value = last.values[last.best]
    if last.measure in ("AIC", "AICc"):
        return f"{said} an {last.measure} of {value:.6g}, no lower than before."
    if last.measure == "p-value":
        level = "the level" if last.needed is None else f"the level of {last.needed:g}"
        return f"{said} a p-value of {value:.2g}, above {level}."
    said = f"{said} an adjusted R² of {value:.4f}; to be taken it must be above {last.before:.4f}, the R² before it"
    if ends is None or ends.theta is None:
        return f"{said}, by more than the threshold."
    return f"{said}, by more than {f'{100 * ends.theta:g} % of it' if ends.relative else f'{ends.theta:g} (θ)'}."


def _column(place: str) -> str:
    """Return the column of a parameter, also where it is called like another column."""
    return f"{place} (parameter)" if place in _OTHERS else place
