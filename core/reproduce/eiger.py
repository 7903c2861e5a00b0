"""Eiger made again: figures 2 to 6 with MAPE and MSE annotated, tables I to IV, and the structure of one model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.experiment.experiment import measure_title
from core.experiment.grid import make_grid
from core.experiment.run import run
from core.experiment.toml_text import experiment_of
from core.experiment.trials import trials_subjects
from core.progress import Progress
from core.recipes import make_recipe
from core.recipes import validate as validated
from core.report.document.charts import Series, Sketch, over_measured, plot
from core.report.experiment.best import bests
from core.report.experiment.presets import quick_folds, random_folds
from core.report.experiment.results import Point, points
from core.report.shared.naming import short_number
from core.report.shared.scorecard import folds_in_words
from core.report.shared.svg import axis_for, thinned
from core.report.trials.components import ComponentOptions, components
from core.reproduce.artefact import DIAGRAM, Artefact, Compared, Given, Made, Make, Table, counted, paper, percent
from core.trial import Kind
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan, parse_folds

_FORMER = {"variant": "ridgeline-1", "extrapolation": "clamp"}
"""One number of components, terms and clusters as given, as in the paper's figures."""
_COUNTED = (
    "components, clusters and terms as given (variant ridgeline-1, pool signed), the response on a log scale, metrics "
    "held at the edge of their trained range"
)
_MOST_PANELS, _MOST_DOTS, _MOST_FOLDS = 9, 400, 100
_KEPT = 9
"""Components of the model that section III-D tells of."""
_SIGNED = ("x", "x²", "asinh x", "sign(x)√|x|", "x·y")
_CENTRED = (
    "components are centred, and powers and logarithms of negative scores are not defined: table1 shifts them, signed "
    "has functions that are defined everywhere"
)
_TABLE_1 = ("x⁻²", "x⁻¹", "x⁻¹ᐟ²", "log₂ x", "x¹ᐟ²", "x", "x²", "x·y")


def _sweep(figure: int, option: str, values: Sequence[Any], said: str, paper: str) -> Make:
    """Return what varies an option on honest folds and on random ones."""

    def make(given: Given, progress: Progress) -> Made:
        frame = given.frame
        most = len(frame.names)
        used = [v for v in values if option != "components" or v <= most]
        folds = list(dict.fromkeys([str(quick_folds(frame)), random_folds(frame)]))
        asked = {"name": said, "dataset": given.source.dataset, "response": frame.response.name, "recipe": "eiger"}
        how = {"folds": folds, "seeds": [given.seed], "options": _FORMER, "vary": {option: used}}
        grid = make_grid(experiment_of(asked | how), trials_subjects(frame))
        results = run(grid, {}, lambda pairs: None, progress)
        own = {m: replace(grid, experiment=replace(grid.experiment, measure=m)) for m in ("mape", "mse")}
        by = {m: points(one, results) for m, one in own.items()}
        best = bests(grid.experiment, by["mape"])[("", folds[0])]
        differs = "the figure's numbers are not printed"
        here = Compared("where the error is smallest", paper, best.sentence(), differs)
        unit = frame.response.unit
        drawn = [_curves(found, folds, option, m, unit, figure) for m, found in by.items()]
        table = pd.DataFrame([_row(a, b, option, unit) for a, b in zip(by["mape"], by["mse"], strict=True)])
        note = f"Eiger with {_COUNTED}; {folds_in_words(folds[0])}, and {folds_in_words(folds[-1])} beside."
        return Made((here,), drawn, (Table("MAPE and MSE of every setting", table),), (note,))

    return make


def _row(mape: Point, mse: Point, option: str, unit: str) -> dict[str, Any]:
    return {
        option: mape.setting.values[option],
        "folds": mape.folds,
        "MAPE (%)": mape.error,
        f"MSE (({unit})²)": mse.error,
        "training MAPE (%)": mape.training,
        "± standard error (%)": mape.standard_error,
    }


def _curves(found: Sequence[Point], folds: Sequence[str], option: str, measure: str, unit: str, figure: int) -> Sketch:
    """Draw held-out errors over the option's values, a curve per kind of folds, and the training error."""
    own = {kind: [p for p in found if p.folds == kind] for kind in folds}
    x = np.array([p.setting.values[option] for p in own[folds[0]]], dtype=np.float64)
    told = {_short(kind): [p.error for p in of] for kind, of in own.items()}
    told["training"] = [p.training for p in own[folds[0]]]
    y = {name: np.array([np.nan if v is None else v for v in values]) for name, values in told.items()}
    title = measure_title(measure) if measure == "mape" else f"MSE (({unit})²)"
    up = axis_for(title, np.concatenate([v[np.isfinite(v) & (v > 0)] for v in y.values()]))
    honest = y[_short(folds[0])]
    at = int(np.nanargmin(honest))
    alt = f"Figure {figure}: {title} over {option}; smallest held out with {x[at]:g}: {short_number(float(honest[at]))}"
    series = [Series(name, x, values) for name, values in y.items()]
    return plot(series, option, up, alt)


def _short(folds: str) -> str:
    plan = parse_folds(folds)
    return f"new {plan.column}" if plan.how == "by" else "random folds"


def _left_out(figure: str, role: str, paper: str) -> Artefact:
    def make(given: Given, progress: Progress) -> Made:
        if len(given.labels(role)) < 2:
            return Made(absent=f"Only one {role} was measured, so none can be left out.")
        found = _validated(given, progress, role)
        table = _groups(given, found, role)
        panels = [_panel(given, found, role, str(name)) for name in _chosen(table)]
        here = f"MAPE {percent(found.scores.mape)}, MSE {short_number(found.scores.mse or 0.0)} over all trials"
        differs = "the paper annotates each panel with its MSE; MAPE stands beside it here"
        shown = "" if len(panels) == len(table) else f"{len(panels)} of {len(table)} are drawn: best, middle and worst."
        note = f"{found.folds}; Eiger with as many components as explain 95 % and {_COUNTED}. {shown}"
        compared = (Compared(f"each {role} from all others", paper, here, differs),)
        return Made(compared, panels, (Table(f"Every {role}", table),), (note,))

    return Artefact(f"{figure}: each {role} from all others", make)


@Given.once
def _validated(given: Given, /, progress: Progress, role: str, **options: str) -> Validation:
    n = len(given.labels(role))
    plan = FoldPlan("by", _MOST_FOLDS if n > _MOST_FOLDS else 0, role)
    recipe = make_recipe("eiger", {**_FORMER, **options})
    return validated(recipe, given.frame, plan, given.seed, progress=progress)


def _rows_of(given: Given, role: str, name: str) -> Any:
    return np.flatnonzero(np.array(given.frame.labels[role], dtype=object) == name)


def _groups(given: Given, found: Validation, role: str) -> pd.DataFrame:
    """Return MAPE and MSE of each application or machine, the smallest MAPE first."""
    rows = []
    for name in given.labels(role):
        of = _rows_of(given, role, name)
        y, said = given.frame.y[of], found.predicted[of]
        known = np.isfinite(said)
        ape = 100 * np.abs(said[known] / y[known] - 1)
        mse = (said[known] - y[known]) ** 2
        means = (float(errors.mean()) if known.any() else np.nan for errors in (ape, mse))
        rows.append((name, *means, len(of)))
    columns = [role, "MAPE (%)", f"MSE (({given.frame.response.unit})²)", "trials"]
    return pd.DataFrame(rows, columns=columns).sort_values("MAPE (%)", kind="stable").reset_index(drop=True)


def _chosen(table: pd.DataFrame) -> list[Any]:
    """Return the first, middle and last names of a table."""
    if len(table) <= _MOST_PANELS + 3:
        return list(table.iloc[:, 0])
    third, middle = _MOST_PANELS // 3, len(table) // 2
    places = [*range(third), *range(middle - 1, middle - 1 + third), *range(len(table) - third, len(table))]
    return [table.iloc[i, 0] for i in places]


def _panel(given: Given, found: Validation, role: str, name: str) -> Sketch:
    of = _rows_of(given, role, name)
    of = of[np.isfinite(found.predicted[of])]
    y, said = given.frame.y[of], found.predicted[of]
    mape, mse = float(100 * np.abs(said / y - 1).mean()), float(((said - y) ** 2).mean())
    few = thinned(len(y), _MOST_DOTS)
    errors = f"MAPE {percent(mape)}, MSE {short_number(mse)}"
    alt = f"{name}, from models of all other {role}s: {errors} over {len(y)} trials"
    return over_measured(y[few], said[few], str(given.frame.response), alt)


def _pool(given: Given, progress: Progress) -> Made:
    signed = _validated(given, progress, _honest(given))
    table1 = _validated(given, progress, _honest(given), pool="table1")
    pools = f"pool table1: {', '.join(_TABLE_1)}; pool signed: {', '.join(_SIGNED)}"
    refused = f"MAPE {percent(table1.scores.mape)}, {table1.scores.n_refused:,} refused near a pole"
    here = f"table1: {refused}; signed: MAPE {percent(signed.scores.mape)}"
    functions = Compared("functions", "xᵢ⁻² xᵢ⁻¹ xᵢ⁻¹ᐟ² log₂ xᵢ xᵢ¹ᐟ² xᵢ xᵢ² xᵢ·xⱼ", pools, _CENTRED)
    return Made((functions, Compared(f"each {_honest(given)} from all others", "not printed", here)))


def _honest(given: Given) -> str:
    return "application" if len(given.labels("application")) >= 2 else "machine"


def _structure(given: Given, progress: Progress) -> Made:
    """Tell of the components and terms of one model, as section III-D does."""
    role, n = _honest(given), min(_KEPT, len(given.frame.names))
    options = {"components": str(n), "threshold": "0.01"}
    table = _groups(given, _validated(given, progress, role, **options), role)
    name, mape = str(table[role].iloc[len(table) // 2]), float(table["MAPE (%)"].iloc[len(table) // 2])
    rest = given.frame.take(np.setdiff1d(np.arange(len(given.frame)), _rows_of(given, role, name)))
    model = make_recipe("eiger", {**_FORMER, **options}).fit(rest)
    terms = pd.DataFrame([(s.term, s.r2, s.adjusted_r2) for s in model.clusters[0].model.course(model.features)])
    terms.columns = pd.Index(["term", "R² with it", "adjusted R²"])
    return Made(
        (
            Compared("left out", "the second eigenvalues kernel", f"{name}, of middling error", "other programs"),
            Compared("MAPE of what is left out", "29.28 %", percent(mape), "other trials, metrics and machines"),
            Compared("terms", "log₂ PC0, log₂ PC8, log₂ PC1, PC2·PC3", ", ".join(terms["term"]), "pool signed"),
        ),
        tables=(Table("Terms in the order they were taken", terms), Table("Components", component_table(given, n))),
        notes=(f"{n} components, one cluster, threshold 0.01, as in the paper.",),
    )


def component_table(given: Given, n: int) -> pd.DataFrame:
    """Return what each of the first components is made of, and the share of the variance that it explains."""
    found = components(given.frame, ComponentOptions(components=n))
    shares = 100 * found.explained[: len(found)]
    rows = [(k + 1, float(share), title) for k, (share, title) in enumerate(zip(shares, found.titles, strict=True))]
    return pd.DataFrame(rows, columns=["number", "variance before rotation (%)", "after varimax, made of"])


def _metrics(kinds: tuple[Kind, ...], paper: str) -> Make:
    def make(given: Given, progress: Progress) -> Made:
        rows = [(m.name, m.unit, m.kind.value) for m in given.frame.metrics if m.kind in kinds]
        if not rows:
            return Made(absent=f"{given.source.dataset} has no metric that is {' or '.join(k.value for k in kinds)}.")
        table = pd.DataFrame(rows, columns=["metric", "unit", "kind"])
        compared = (Compared("how many", paper, str(len(rows)), "other tools measured them"),)
        return Made(compared, tables=(Table("Metrics", table),))

    return make


def _applications(given: Given, progress: Progress) -> Made:
    table = counted(given, "application", "Applications")
    here = f"{len(table.frame)} applications on {len(given.labels('machine'))} machines"
    return Made((Compared("how many", "12 applications on 3 GPUs", here),), tables=(table,))


_SWEPT = (
    (2, "dimensions are varied", "components", (1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 24), "dimensions"),
    (3, "the number of clusters is varied", "clusters", (1, 2, 3, 4, 6, 8, 12), "clusters"),
    (4, "the convergence threshold varies", "threshold", (1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1), "threshold"),
)
_FOUND = (
    "a minimum; 5 to 7 components have a fairly low MSE (section V)",
    "better with clusters, until they have too few points",
    "more functions and a larger variance as it falls",
)
_SWEEPS = tuple(
    Artefact(f"Figure {n}: error as {title}", _sweep(n, option, values, f"Error against {what}", paper))
    for (n, title, option, values, what), paper in zip(_SWEPT, _FOUND, strict=True)
)
EIGER = paper(
    "eiger",
    Artefact("Figure 1: the framework", DIAGRAM),
    Artefact("Table I: the model pool", _pool),
    Artefact("Table II: application metrics", _metrics((Kind.DETERMINISTIC, Kind.COUNTER), "19")),
    Artefact("Table III: machine metrics", _metrics((Kind.MACHINE, Kind.PARAMETER), "8")),
    Artefact("Table IV: applications", _applications),
    *_SWEEPS,
    _left_out("Figure 5", "application", "12 applications, a panel per kernel"),
    _left_out("Figure 6", "machine", "the GTX 480 from the GTX 560 Ti and C2070"),
    Artefact("Section III-D: the structure of one model", _structure),
)
