"""Predictors of scaling: which is best, what a kept model is worth, which run is next, and time against power."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray, to_plain
from core.report.scaling.kernels import Relative, texts_of
from core.report.scaling.predicted import outcome_of
from core.report.shared.naming import columns_of, fixed, row_of
from core.scaling.outcome import EDP, ENERGY, Outcome
from core.scaling.race import Race
from core.scaling.scaling_model import Predicted, ScalingModel, plain_answer
from core.scaling.study import Study
from core.scaling.surfaces import covariance, next_configurations
from core.scaling.validation import ScalingValidation
from core.trial import point_text


class Finish(Frozen):
    """One row of a race; references have no time of their own."""

    name: str
    label: str
    error: float
    runs: int
    reference: bool = False


def finishes(found: Race) -> tuple[Finish, ...]:
    """Return predictors and references, the smallest error first."""
    rows = [Finish(e.name, e.label, e.validation.mape, 1 + e.n_measurements) for e in found.entries]
    first = found.reference
    if not any(row.name == "mean_surface" for row in rows):
        rows.append(Finish("mean_surface", "The mean surface", first.mean_surface_mape, 1, True))
    rows.append(Finish("best_cluster", "The best possible cluster of 12", first.best_cluster_mape, 1, True))
    return tuple(sorted(rows, key=lambda row: row.error))


def race_table(found: Race) -> pd.DataFrame:
    """Return a row per predictor."""
    errors = "mean error (%): validation.mape | 90 % interval covers (%): validation.scores.coverage_90"
    table = pd.DataFrame(columns_of(found.entries, f"predictor: label | name | {errors} | seconds"))
    table.insert(3, "median error (%)", [float(np.nanmedian(e.validation.error)) for e in found.entries])
    table.insert(5, "runs per kernel", [1 + e.n_measurements for e in found.entries])
    return table


def race_sentence(found: Race) -> str:
    """Say who errs least, and what clusters alone could reach."""
    ones = [e for e in found.entries if not e.n_measurements]
    first = found.reference
    parts = []
    if ones:
        best = ones[0].validation.mape
        parts.append(f"From one run of a kernel, “{ones[0].label}” errs least: {best:.3g} % on kernels held out.")
    more = [e for e in found.entries if e.n_measurements]
    if more:
        best, runs = more[0].validation.mape, 1 + more[0].n_measurements
        parts.append(f"With {runs} runs of each, “{more[0].label}” errs by {best:.3g} %.")
    parts.append(
        f"The mean surface errs by {first.mean_surface_mape:.3g} %, the best possible cluster by "
        f"{first.best_cluster_mape:.3g} %."
    )
    return " ".join(parts)


def worst_table(study_kernels: tuple[str, ...], found: ScalingValidation) -> pd.DataFrame:
    """Return a row per held-out kernel, the worst first."""
    folds = [found.fold_names[i] if i >= 0 else "" for i in found.fold_of_kernel.tolist()]
    rows = pd.DataFrame({"kernel": study_kernels, "held out with": folds, "mean error (%)": found.by_kernel})
    return rows[rows["mean error (%)"].notna()].sort_values("mean error (%)", ascending=False, kind="stable")


class NextRuns(Frozen):
    """Configurations to measure, one after another, and what is left of the variance then, in percent."""

    study: Study
    texts: tuple[str, ...]
    rows: IntArray
    left: FloatArray

    def table(self) -> pd.DataFrame:
        """Return a row per measurement, in order."""
        axes = {str(axis): self.study.grid[self.rows, j] for j, axis in enumerate(self.study.axes)}
        return pd.DataFrame({"run": range(1, len(self.rows) + 1), **axes, "left of the variance (%)": self.left})

    def sentence(self) -> str:
        """Say where to measure first, and what that leaves."""
        said = (
            f"Measure at {self.texts[self.rows[0]]} first: that leaves {self.left[0]:.3g} % of the variance "
            "between the kernels' surfaces"
        )
        if len(self.rows) == 1:
            return f"{said}."
        return f"{said}; {len(self.rows)} measurements leave {self.left[-1]:.3g} %."


def next_runs(of: Relative, n: int) -> NextRuns:
    """Return the n measurements besides the base that tell most of a kernel's surface."""
    rows, left = next_configurations(covariance(of.log), n)
    return NextRuns(of.study, texts_of(of.study.grid, of.study.axes), rows, 100 * left)


class Front(Frozen):
    """Time and power of a kernel over all configurations, and those that no other beats in both."""

    outcome: Outcome
    texts: tuple[str, ...]
    target: int

    def table(self) -> pd.DataFrame:
        """Return a row per configuration of the front, the fastest first."""
        titles = "time (s): time_s | power (W): power_w | energy (J): energy_j | energy-delay (J s): edp_js"
        table = pd.DataFrame({"configuration": self.texts, **row_of(self.outcome, titles)})
        return table.iloc[self.outcome.front].reset_index(drop=True)

    def sentence(self) -> str:
        """Say which configurations are best by energy and by energy-delay."""
        o, energy, edp = self.outcome, self.outcome.best(ENERGY), self.outcome.best(EDP)
        return (
            f"{len(o.front)} of {len(self.texts)} configurations are beaten by none in time and power. Least energy: "
            f"{self.texts[energy]} with {o.energy_j[energy]:.3g} J; least energy-delay: {self.texts[edp]} with "
            f"{o.edp_js[edp]:.3g} J s."
        )


def best_point(model: ScalingModel, front: Front, objective: str) -> dict[str, float]:
    """Return the configuration that is best by `time`, `power`, `energy` or `edp`."""
    return model.point(front.outcome.best(objective))


def front_of(model: ScalingModel, of: Predicted, target: int) -> Front | None:
    """Return the front of time and power; None without both."""
    found = outcome_of(of)
    return None if found is None else Front(found, texts_of(model.grid, model.axes), target)


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
