"""What is kept beside a scaling model's file, how well it predicts, and the surfaces that it predicts as one table."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.codec import to_plain
from core.report.shared.naming import columns_of, fixed
from core.scaling.scaling_model import Predicted, ScalingModel, plain_answer
from core.trial import point_text

SCALING = "scaling"
"""What a kept scaling model has in place of a recipe."""
KERNELS_HELD_OUT = {
    "kfold:10": "A tenth of the kernels at a time",
    "kfold:10:application": "A tenth of the applications at a time",
    "kfold:5": "A fifth of the kernels at a time",
    "loo": "One kernel at a time",
    "by:family": "A family of kernels at a time",
    "holdout:20%": "A fifth of the kernels, once",
}
"""Folds of kernels in words."""
_ANSWERS = (
    "predictor | mean error (%): mape | mean surface (%): mean_surface_mape | 90 % interval covers (%): coverage_90"
)


def card_values(model: ScalingModel) -> dict[str, Any]:
    """Return what a store keeps beside the model's file; scores are those of the first response."""
    made, first = model.provenance, model.answers[0]
    scores = {"mape": first.mape, "coverage_90": first.coverage_90}
    return {
        "dataset": made.dataset,
        "recipe": SCALING,
        "response": ", ".join(model.responses),
        "n_trials": made.n_trials,
        "scores": {"folds": first.folds, "scores": scores, "responses": [plain_answer(a) for a in model.answers]},
        "options": to_plain(dict(made.options)),
    }


def default_name(model: ScalingModel) -> str:
    """Return what a model is called if nobody says otherwise."""
    predictors = dict.fromkeys(answer.predictor for answer in model.answers)
    return " ".join([model.provenance.dataset, "scaling", *predictors]).strip()


def answers_table(model: ScalingModel) -> pd.DataFrame:
    """Return a row per response: what predicts it, and how well it did on kernels held out."""
    names, held = zip(*((str(a.response), KERNELS_HELD_OUT.get(a.folds, a.folds)) for a in model.answers), strict=True)
    table = pd.DataFrame({"response": names, **columns_of(model.answers, _ANSWERS)})
    return table.assign(**{"kernels held out": held})


_MUCH_LEFT = 0.5
"""Share of the mean surface's error beyond which, in each study of docs/scaling.md, another predictor was better."""


def doubt_of(response: str, mape: float, mean_surface_mape: float) -> str:
    """Say so where kernels held out are predicted hardly better than by the mean surface of the others; else ""."""
    if not mape > _MUCH_LEFT * mean_surface_mape:
        return ""
    if not mape > mean_surface_mape:
        return (
            f"{response}: more than half of the mean surface's error, {fixed(mean_surface_mape, 2)} %, is left. "
            "Another predictor may have less: race the predictors."
        )
    return (
        f"{response}: no better than the mean surface of all other kernels, which is off by "
        f"{fixed(mean_surface_mape, 2)} %. What is counted does not tell how a kernel scales: race the predictors, or "
        "count more."
    )


def warnings(model: ScalingModel) -> tuple[str, ...]:
    """Return what is said of each response that is predicted hardly better than by the mean surface."""
    said = (doubt_of(a.response.name, a.mape, a.mean_surface_mape) for a in model.answers)
    return tuple(filter(None, said))


def axes_sentence(model: ScalingModel) -> str:
    """Say over which configurations it predicts, and where a kernel has to be measured."""
    ends = zip(model.axes, model.grid.min(axis=0).tolist(), model.grid.max(axis=0).tolist(), strict=True)
    ranges = ", ".join(f"{axis.name} {low:.15g} to {high:.15g} {axis.unit}".rstrip() for axis, low, high in ends)
    base = point_text(model.base_point)
    return f"{len(model.grid):,} configurations: {ranges}. A kernel has to be measured at {base}."


def kernels_table(model: ScalingModel, found: Sequence[Predicted]) -> pd.DataFrame:
    """Return a row per kernel and configuration, with value, low and high of each response."""
    return pd.concat([_rows(model, p) for p in found], ignore_index=True)


def _rows(model: ScalingModel, p: Predicted) -> pd.DataFrame:
    columns: dict[str, Any] = {"kernel": [p.name] * len(model.grid)}
    columns |= {axis.name: model.grid[:, j] for j, axis in enumerate(model.axes)}
    for name, surface in p.surfaces.items():
        columns |= {name: surface.value, f"{name} low": surface.low, f"{name} high": surface.high}
    return pd.DataFrame({**columns, "in_domain": p.in_domain, "why": p.why})
