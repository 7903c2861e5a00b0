"""Designs of a space as tables: of trials, in texts, measured, and all of them scored."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError, count
from core.pipeline import FittedPipeline
from core.report.shared.naming import HIGH_90, LOW_90
from core.report.space.decision import goal_title
from core.scale import ResponseScale
from core.space.allowed import allowed_points
from core.space.design_space import DesignSpace
from core.space.designs import Decision
from core.space.holes import Holes
from core.space.joint import measured
from core.space.offered import Question
from core.space.plan import plain_levels, shown
from core.space.plans.next import Proposal
from core.space.sensitivity import Sensitivity
from core.space.sums import surrogate
from core.space.sweep import Sweep
from core.trial import Frame, Metric

Point = tuple[int, ...]
"""Per parameter, the number of its level."""


def middle_point(space: DesignSpace) -> Point:
    """Return a design near the middle of every parameter that fulfils the constraints, if that is easily found."""
    codes = np.array([[(n - 1) // 2 for n in space.shape]], dtype=np.int64)
    if not space.allowed(codes)[0]:
        codes = allowed_points(space).at(np.full((1, len(space.shape)), 0.5))
    return point(codes[0])


def start_levels(space: DesignSpace) -> dict[str, str]:
    """Return a design to begin with, as texts by parameter: near the middle, and allowed if that is easily found."""
    return texts_of(space, middle_point(space))


def texts_of(space: DesignSpace, point: Point) -> dict[str, str]:
    """Return a point as texts by parameter."""
    return {p.name: shown(p.levels[code]) for p, code in zip(space.parameters, point, strict=True)}


def point_of_texts(space: DesignSpace, texts: Mapping[str, str]) -> Point | None:
    """Return the point that texts by parameter mean; None if one is missing or no level."""
    found = []
    for parameter in space.parameters:
        levels = [shown(level) for level in parameter.levels]
        if texts.get(parameter.name) not in levels:
            return None
        found.append(levels.index(texts[parameter.name]))
    return tuple(found)


def point(codes: IntArray) -> Point:
    """Return a row of codes as a point."""
    return tuple(int(code) for code in codes)


class NearestDesign(Frozen):
    """The measured design that is nearest to one.

    Attributes
    ----------
    same : whether it is the design itself
    value : mean of its trials, in the response's unit
    differs : which parameters differ, and how, such as "load_queue 12"
    """

    same: bool
    value: float
    n_trials: int
    differs: tuple[str, ...]


class MeasuredDesigns(Frozen):
    """Measured designs of a space, the trials of each together.

    Attributes
    ----------
    codes : array of shape (n_designs, n_parameters)
    values : array of shape (n_designs,), mean of each design's trials
    counts : array of shape (n_designs,)
    """

    space: DesignSpace
    codes: IntArray
    values: FloatArray
    counts: IntArray

    def nearest(self, point: Point) -> NearestDesign | None:
        """Return the nearest design: that with the fewest parameters changed, then by the fewest levels."""
        if not len(self.codes):
            return None
        steps = np.abs(self.codes - np.array(point))
        sizes = np.maximum(np.array(self.space.shape) - 1, 1)
        i = int(np.lexsort(((steps / sizes).sum(axis=1), (steps > 0).sum(axis=1)))[0])
        pairs = zip(self.space.parameters, self.codes[i].tolist(), point, strict=True)
        differs = tuple(f"{p.name} {shown(p.levels[c])}" for p, c, asked in pairs if c != asked)
        return NearestDesign(not differs, float(self.values[i]), int(self.counts[i]), differs)


def measured_designs(space: DesignSpace, frame: Frame) -> MeasuredDesigns:
    """Return the designs of a space that were measured, the trials of each together.

    Raises
    ------
    OptionError
        If the frame lacks a parameter that has more than one level.
    """
    ranks, means, counts = measured(frame, ResponseScale("raw"), space)
    return MeasuredDesigns(space, space.codes(ranks), means, counts)


def holes_sentence(holes: Holes) -> str:
    """Return in a sentence what was measured of a space and what its inferred constraints leave."""
    n, allowed = holes.space.n_combinations, holes.constrained().n_points
    one = len(holes.found) == 1
    constraints = f"{count(len(holes.found), 'constraint')} {'was' if one else 'were'} inferred"
    start = f"The trials have {holes.n_measured:,} of {n:,} combinations. From those that never occur"
    if allowed == holes.n_measured:
        return f"{start} {constraints}; {'it explains' if one else 'they explain'} all of them."
    return f"{start} {constraints}, which {'leaves' if one else 'leave'} {allowed:,}."


MOST_ROWS = 200_000
"""Designs up to which the whole space is given as a table."""
_CLOUD = 4000


class Cloud(Frozen):
    """Designs drawn at random.

    Attributes
    ----------
    goals : array of shape (n_goals, n), as they are written
    offered : which may be offered, array of shape (n,)
    """

    goals: FloatArray
    offered: BoolArray


def inside_percent(found: Sweep) -> float | None:
    """Return how many percent of the designs lie in the trained range; None where that is not counted."""
    return 100 * found.n_inside / found.n_points if found.n_inside >= 0 and found.n_points else None


def offered_table(found: Decision, most: int | None = None) -> pd.DataFrame:
    """Return a row per design that may be offered, the best first: parameters, goals, and how sure the models are.

    Parameters
    ----------
    most : how many rows; all that are kept if None
    """
    question, codes = found.question, found.offered.codes[:most]
    space, named = question.space, {goal.text for goal in question.wishes.goals}
    columns: dict[str, Any] = {
        p.name: plain_levels(levels)
        for p, levels in zip(space.parameters, zip(*space.texts(codes), strict=True), strict=True)
    }
    for goal, worth in zip(question.wishes.goals, found.offered.worth, strict=True):
        columns[goal_title(found, goal)] = goal.sign * worth[:most]
    for name, one in question.responses.items():
        if name not in named:
            columns[name] = one.values(codes)
        told = one.asked is None or (found.sure and name in named)  # the alternatives say what it may turn out to be
        said = None if told or one.asked is None else one.asked.model.predict(one.asked.columns.rows(codes))
        if said is not None and np.isfinite(said.low).any():
            columns |= {f"{name}, {LOW_90}": one.level * said.low, f"{name}, {HIGH_90}": one.level * said.high}
    if question.outside:
        columns["outside the evidence"] = question.leaves(codes)
    return pd.DataFrame(columns)


def whole_table(space: DesignSpace, models: Sequence[FittedPipeline]) -> pd.DataFrame:
    """Return every allowed design with the predictions of some models.

    Raises
    ------
    OptionError
        If there are more than 200,000.
    """
    points = allowed_points(space)
    if not points.listed or points.size > MOST_ROWS:
        raise OptionError(f"The space has more than {MOST_ROWS:,} designs; use `ridgeline sweep --out` for all of it.")
    codes = points.every
    table = pd.DataFrame(
        {p.name: np.array(plain_levels(p.levels))[codes[:, j]] for j, p in enumerate(space.parameters)}
    )
    for title, model in zip(_titles([m.response for m in models]), models, strict=True):
        table[title] = surrogate(model, space).values(codes)
    return table


def cloud(question: Question) -> Cloud:
    """Return the goals of some thousand designs, and which of them may be offered."""
    codes = allowed_points(question.space).some(_CLOUD)
    known = {name: one.values(codes) for name, one in question.responses.items()}
    values = {**question.space.values(codes), **known}
    goals = np.array([goal.formula.of(values, len(codes)) for goal in question.wishes.goals])
    return Cloud(goals, np.isfinite(question.worth(codes)[0]))


def shares_table(value: Sensitivity) -> pd.DataFrame:
    """Return a row per parameter: shares of the variance in percent, with the ends of their 90 % intervals."""
    rows = []
    for name, own in value.first.items():
        whole = value.total[name]
        rows.append([name, *(100 * v for v in (own.value, own.low, own.high, whole.value, whole.low, whole.high))])
    columns = [f"{kind}{end} (%)" for kind in ("alone", "in all") for end in ("", f", {LOW_90}", f", {HIGH_90}")]
    table = pd.DataFrame(rows, columns=["parameter", *columns])
    return table.sort_values("in all (%)", ascending=False, kind="stable", ignore_index=True)


def interactions_table(value: Sensitivity) -> pd.DataFrame:
    """Return a row per pair of parameters: the share of the variance they explain together, in percent."""
    rows = [(a, b, 100 * s.value, 100 * s.low, 100 * s.high) for (a, b), s in value.interactions.items()]
    return pd.DataFrame(rows, columns=["parameter", "with", "together (%)", f"{LOW_90} (%)", f"{HIGH_90} (%)"])


DOUBT, GAIN = "doubt (model's scale)", "expected gain"
"""The columns that say how unsure a model is of a proposed design, and what that is expected to gain."""
GAIN_MEANING = "By how much the best is expected to get better with this design, once those above it are measured."


def doubt_meaning(model: FittedPipeline) -> str:
    """Return what a number in the column of doubts says, in a sentence."""
    unit = "parts of the prediction (0.1 is about 10 %)" if model.scale.log else "the unit that the model predicts in"
    return f"How far off the prediction may be before the design is measured: one standard deviation, in {unit}."


def proposal_columns(value: Proposal, response: Metric) -> pd.DataFrame:
    """Return what is expected of proposed designs, how unsure the model is there, and what each may gain."""
    found = pd.DataFrame({f"expected {response}": value.expected, DOUBT: value.doubt})
    return found if value.gain is None else found.assign(**{GAIN: value.gain})


def _titles(responses: Sequence[Metric]) -> list[str]:
    """Return a column title per response, also where two models predict the same one."""
    titles = [f"predicted {response}" for response in responses]
    return [t if t not in titles[:i] else f"{t}, model {i + 1}" for i, t in enumerate(titles)]
