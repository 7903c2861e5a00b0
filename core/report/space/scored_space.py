"""A scored design space as tables: its best designs, its front, all of it, and shares of the variance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.space._allowed import allowed_points
from core.space.design_space import DesignSpace, Level
from core.space.next_points import Proposal
from core.space.pareto import ParetoFront
from core.space.plan import shown
from core.space.sensitivity import Sensitivity
from core.space.surrogate import surrogate
from core.space.sweep import Design, Sweep
from core.trial import Metric

MOST_ROWS = 200_000
"""Designs up to which the whole space is given as a table."""
_CLOUD = 4000


@dataclass(frozen=True)
class Cloud:
    """Designs drawn at random, as two models see them; arrays of shape (n,), in the responses' units."""

    first: FloatArray
    second: FloatArray


def inside_percent(found: Sweep) -> float | None:
    """Return how many percent of the designs lie in the trained range; None where that is not counted."""
    return 100 * found.n_inside / found.n_points if found.n_inside >= 0 and found.n_points else None


def designs_table(
    space: DesignSpace, designs: Sequence[Design], response: Metric, second: FittedPipeline | None = None
) -> pd.DataFrame:
    """Return a row per design: parameters, prediction, interval, and what a second model says."""
    table = _points(space, [d.point for d in designs])
    table[f"predicted {response}"] = [d.value for d in designs]
    if any(np.isfinite(d.low) for d in designs):
        table["low"], table["high"] = [d.low for d in designs], [d.high for d in designs]
    if second is not None:
        codes = space.codes(np.array([d.rank for d in designs], dtype=np.int64))
        table[_titles([response, second.response])[1]] = surrogate(second, space).values(codes)
    if any(d.why for d in designs):
        table["extrapolating"] = [d.why for d in designs]
    return table


def front_table(space: DesignSpace, front: ParetoFront, first: Metric, second: Metric) -> pd.DataFrame:
    """Return a row per design of a front."""
    table = _points(space, [d.point for d in front.first])
    for title, designs in zip(_titles([first, second]), (front.first, front.second), strict=True):
        table[title] = [d.value for d in designs]
    return table


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
    codes = points.codes(np.arange(points.size, dtype=np.int64))
    table = pd.DataFrame({p.name: np.array(_plain(p.levels))[codes[:, j]] for j, p in enumerate(space.parameters)})
    for title, model in zip(_titles([m.response for m in models]), models, strict=True):
        table[title] = surrogate(model, space).values(codes)
    return table


def cloud(space: DesignSpace, first: FittedPipeline, second: FittedPipeline) -> Cloud:
    """Return some thousand designs as two models see them."""
    points = allowed_points(space)
    few = points.listed and points.size <= _CLOUD
    codes: IntArray = (
        points.codes(np.arange(points.size, dtype=np.int64)) if few else points.draw(_CLOUD, np.random.default_rng(0))
    )
    return Cloud(surrogate(first, space).values(codes), surrogate(second, space).values(codes))


def shares_table(value: Sensitivity) -> pd.DataFrame:
    """Return a row per parameter: shares of the variance in percent, with the ends of their 90 % intervals."""
    rows = []
    for name, own in value.first.items():
        whole = value.total[name]
        rows.append([name, *(100 * v for v in (own.value, own.low, own.high, whole.value, whole.low, whole.high))])
    columns = [
        "parameter",
        "alone (%)",
        "alone low (%)",
        "alone high (%)",
        "in all (%)",
        "in all low (%)",
        "in all high (%)",
    ]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("in all (%)", ascending=False, kind="stable", ignore_index=True)


def interactions_table(value: Sensitivity) -> pd.DataFrame:
    """Return a row per pair of parameters: the share of the variance they explain together, in percent."""
    rows = [(a, b, 100 * s.value, 100 * s.low, 100 * s.high) for (a, b), s in value.interactions.items()]
    return pd.DataFrame(rows, columns=["parameter", "with", "together (%)", "low (%)", "high (%)"])


DOUBT = "doubt (model's scale)"
"""The column that says how unsure a model is of a proposed design."""


def doubt_meaning(model: FittedPipeline) -> str:
    """Return what a number in the column of doubts says, in a sentence."""
    unit = "parts of the prediction (0.1 is about 10 %)" if model.scale.log else "the unit that the model predicts in"
    return f"How far off the prediction may be before the design is measured: one standard deviation, in {unit}."


def proposal_columns(value: Proposal, response: Metric) -> pd.DataFrame:
    """Return what is expected of proposed designs, and how unsure the model is there."""
    return pd.DataFrame({f"expected {response}": value.expected, DOUBT: value.doubt})


def _titles(responses: Sequence[Metric]) -> list[str]:
    """Return a column title per response, also where two models predict the same one."""
    titles = [f"predicted {response}" for response in responses]
    return [t if t not in titles[:i] else f"{t}, model {i + 1}" for i, t in enumerate(titles)]


def _points(space: DesignSpace, points: Sequence[Sequence[Level]]) -> pd.DataFrame:
    return pd.DataFrame({p.name: _plain([point[j] for point in points]) for j, p in enumerate(space.parameters)})


def _plain(levels: Sequence[Level]) -> list[Level]:
    """Return levels as whole numbers where all are."""
    texts = [shown(level) for level in levels]
    whole = all(not isinstance(level, str) and float(level).is_integer() for level in levels)
    return [int(text) for text in texts] if whole else list(levels)
