"""Stargazer made again: table 1, contributions, learning curves, fixed three, main effects and what pruning saves."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn
from core.recipes.stargazer import PAPER, Stargazer, parts_of
from core.report.document.charts import N_LOOKS, Series, Sketch, bars, plot
from core.report.model.contributions import Contributions, contributions
from core.report.model.rounds import rounds
from core.report.shared.naming import short_number
from core.report.space.diversity import frames_by, reactions
from core.report.space.learning import Learning, suggested_sizes
from core.reproduce.artefact import Artefact, Compared, Given, Made, Table, never, paper, percent
from core.trial import Frame, Kind
from core.untold import without_names
from core.validate.learning_curve import UNSEEN, LearningCurve, learning_curve

_AS_PRINTED = Stargazer(variant=PAPER, theta=0.0, phi=0.0)
_TABLE_1 = replace(_AS_PRINTED, theta=0.003)
_OURS = Stargazer()
_DRAWS, _LEARNT, _FACTORS = 5, 300, 8
_WORST = "AES: mean 3.8 %, 98th percentile 21.7 %, largest 31.1 %"
_ENOUGH = 5.0
"""Mean error in percent that section 8.1 asks for."""


@Given.once
def _frames(given: Given) -> dict[str, Frame]:
    """Return the designs of each application, or all under one name."""
    frame = without_names(given.frame)
    names = [m.name for m in frame.metrics if m.kind is Kind.PARAMETER]
    frame = frame.select(names) if names else frame
    return frames_by(frame, "application") if len(given.labels("application")) > 1 else {"all": frame}


def _first(given: Given) -> Frame:
    """Return the designs of the first application; its parameters are those of all, and their names may have colons."""
    return next(iter(_frames(given).values()))


def _learnt(given: Given, frame: Frame) -> Frame:
    """Return as many designs as the paper learns from, drawn by the seed."""
    few = min(_LEARNT, len(frame))
    return frame.take(np.sort(np.random.default_rng(given.seed).choice(len(frame), few, replace=False)))


@Given.once
def _models(given: Given) -> Mapping[str, FittedPipeline]:
    return {name: _AS_PRINTED.fit(_learnt(given, frame)) for name, frame in _frames(given).items()}


def _table1(given: Given, progress: Progress) -> Made:
    name, frame = next(iter(_frames(given).items()))
    found = rounds(_TABLE_1.fit(_learnt(given, frame)), ends=_TABLE_1.limits())
    taken = found.taken
    table = found.table().copy()
    for row, column in found.marks():
        value = table[column].iloc[row]
        table[column] = table[column].astype(object)
        table.loc[table.index[row], column] = f"{value:.4f} ✓"
    return Made(
        (
            Compared("program", "matrix multiply, 256×256", name, "another program on another machine"),
            Compared("first parameter", "#blk, R² 0.719", f"{taken[0].term}, R² {taken[0].r2:.3f}"),
            Compared("terms taken", "#blk, simd, simd:#blk, intra, intra:#blk", ", ".join(r.term for r in taken)),
            Compared("R² of the final model", "0.9745", f"{taken[-1].r2:.4f}"),
        ),
        tables=(Table(f"Candidates of every round, ✓ where one was taken: {name}", table),),
        notes=(f"θ = 0.003, φ = 0, {found.n_trials} designs, the paper's splines and least squares. {found.stopped}",),
    )


def _parameters(frame: Frame) -> tuple[pd.DataFrame, float]:
    """Return each parameter with its values, a text's indicators as one, and how many designs these span."""
    texts = {name.removesuffix(" (label)") for name in frame.labels}
    values: dict[tuple[str, str], list[str]] = {}
    for metric, column in zip(frame.metrics, frame.X.T, strict=True):
        of, sign, value = metric.name.partition("=")
        if sign and of in texts:
            values.setdefault((of, ""), []).append(value)
        else:
            values[metric.name, metric.unit] = [f"{v:g}" for v in np.unique(column)]
    rows = [(*own, ", ".join(levels), len(levels)) for own, levels in values.items()]
    return pd.DataFrame(rows, columns=["parameter", "unit", "values", "points"]), math.prod(map(len, values.values()))


def _space(given: Given, progress: Progress) -> Made:
    frame = _first(given)
    table, n = _parameters(frame)
    compared = (
        Compared("parameters", "10", str(len(table)), "another design space"),
        Compared("possible points", "933,120", f"{n:,.0f}"),
        Compared("measured per application", "500, drawn at random", f"{len(frame):,}"),
    )
    return Made(compared, tables=(Table("Parameters", table),))


def _applications(given: Given, progress: Progress) -> Made:
    rows = [(name, len(frame)) for name, frame in _frames(given).items()]
    here = (Compared("how many", "11", str(len(rows)), "other programs"),)
    return Made(here, tables=(Table("Applications", pd.DataFrame(rows, columns=["application", "designs"])),))


def _contributions(given: Given, progress: Progress) -> Made:
    found = contributions(_models(given))
    top, r2 = found.factors[0], found.r2
    worst, known = found.applications[int(r2.argmin())], _first(given).names
    pairs = ", ".join(f for f in found.factors[:12] if f not in known)
    compared = (
        Compared("dominant factor", "simd, 0.78 of R² on average", f"{top}, {found.average[0]:.2f} on average"),
        Compared("average R²", "0.976", f"{r2.mean():.3f}"),
        Compared("lowest R²", "AES, 0.902", f"{worst}, {r2.min():.3f}"),
        Compared("interactions", "all with #blk", pairs or "none of the first"),
    )
    return _factors(found, compared)


def _factors(found: Contributions, compared: Sequence[Compared]) -> Made:
    """Show what factors add, beside what the paper prints."""
    alt = f"Average contribution to R² of {min(_FACTORS, len(found.factors))} factors: {found.factors[0]} adds most"
    drawn = bars(found.factors[:_FACTORS], found.average[:_FACTORS], "R² added, average over applications", alt)
    other = f"R² of each application's model, from {found.r2.min():.3f} to {found.r2.max():.3f}"
    each = bars(found.applications, found.r2, "R² of the training designs", other)
    table = Table("What each factor adds to R²", found.fewer(_FACTORS).table())
    return Made(compared, [drawn, each], (table,))


def _fixed_parameter(given: Given, progress: Progress) -> Made:
    """Fix the dominant parameter at its highest level, as figure 3b fixes the width of the SIMD units."""
    first = _first(given)
    top = parts_of(contributions(_models(given)).factors[0], first.names)[0]
    models = {}
    for name, frame in _frames(given).items():
        column = frame.X[:, frame.names.index(top)]
        rest = [n for n in frame.names if n != top]
        models[name] = _AS_PRINTED.fit(_learnt(given, frame.take(np.flatnonzero(column == column.max())).select(rest)))
    found = contributions(models)
    high = float(first.X[:, first.names.index(top)].max())
    compared = (
        Compared("fixed", "simd = 32", f"{top} = {high:g}", "the factor that dominates here"),
        Compared("then dominant", "#blk, 0.696 on average", f"{found.factors[0]}, {found.average[0]:.3f} on average"),
    )
    return _factors(found, compared)


@Given.once
def _curves(given: Given, progress: Progress) -> Learning:
    """Learn from more and more designs, with the paper's method and beside it with its three fixed terms.

    Sizes are those that the application of the fewest designs allows, as curves of the same sizes are compared.
    """
    top, frames = _top_three(given), _frames(given)
    asked = min(map(suggested_sizes, frames.values()), key=lambda one: one.n_designs)
    own, beside = dict[str, LearningCurve](), dict[str, LearningCurve]()
    for told, (name, frame) in in_turn(progress, frames.items()):
        for curves, recipe in ((own, _AS_PRINTED), (beside, replace(_AS_PRINTED, fixed=top))):
            how = (frame, asked.sizes, asked.n_test, _DRAWS, given.seed, told)
            curves[name] = learning_curve(recipe.asking(UNSEEN).fit, *how)
    return Learning("stargazer", own, beside, f"fixed terms {', '.join(top)}")


def _top_three(given: Given) -> tuple[str, ...]:
    """Return the two parameters and the interaction that contribute most, as 7.4 takes simd, #blk and simd:#blk."""
    factors, known = contributions(_models(given)).factors, _first(given).names
    return (*[f for f in factors if f in known][:2], *[f for f in factors if f not in known][:1])


def _learning(given: Given, progress: Progress) -> Made:
    found = _curves(given, progress)
    at = int(np.argmax(found.sizes))
    last = found.last()
    worst = last.iloc[0]
    mean, most, largest = (percent(worst[c]) for c in ("mean error (%)", "98 % within (%)", "largest (%)"))
    here = f"{worst['application']}: mean {mean}, 98th percentile {most}, largest {largest}"
    compared = (
        Compared("average error, largest sample", "1.1 % (300 designs)", percent(float(found.average[at]))),
        Compared("worst application", _WORST, here, "other programs; the sample has flat regions and sharp edges"),
    )
    names = list(found.curves)[:N_LOOKS]
    drawn = [_over_sizes(found, names, kind) for kind in ("mean", "largest")]
    terms = [(name, *_terms(model)) for name, model in _models(given).items()]
    listed = pd.DataFrame(terms, columns=["application", "parameters", "pairs"])
    left = f" The first {len(names)} of {len(found.curves)} applications are drawn."
    more = left if len(found.curves) > len(names) else ""
    note = f"{_DRAWS} draws, the same unseen designs for all sizes of a draw; θ = φ = 0, as in the figure.{more}"
    tables = {"At the largest sample": last, "Every size": found.table(), "Terms, as in the legend": listed}
    return Made(compared, drawn, [Table(title, table) for title, table in tables.items()], (note,))


def _terms(model: FittedPipeline) -> tuple[int, int]:
    """Return how many terms are of one parameter and how many of two."""
    crossed = [r.crossed for r in rounds(model).taken]
    return crossed.count(False), crossed.count(True)


def _over_sizes(found: Learning, names: list[str], kind: str) -> Sketch:
    x = np.array(found.sizes, dtype=np.float64)
    values = {name: np.asarray(getattr(found.curves[name], kind), dtype=np.float64) for name in names}
    title = f"{kind} error of unseen designs (%)"
    ends = [float(v[-1]) for v in values.values()]
    alt = f"{kind} error over designs learnt from, an application each: {min(ends):.3g} to {max(ends):.3g} % at the end"
    series = [Series(name, x, v) for name, v in values.items()]
    return plot(series, "designs learnt from", title, alt).saying(f"{alt[0].upper()}{alt[1:]}.")


def _fixed(given: Given, progress: Progress) -> Made:
    found = _curves(given, progress)
    at = int(np.argmax(found.sizes))
    rows = [(n, float(c.mean[at]), float(found.beside[n].mean[at])) for n, c in found.curves.items()]
    table = pd.DataFrame(rows, columns=["application", "automatic (%)", f"{found.beside_name} (%)"])
    both = [percent(float(average[at])) for average in (found.average, found.beside_average)]
    worse = int((table.iloc[:, 1] > table.iloc[:, 2]).sum())
    compared = (
        Compared("fixed terms", "simd, #blk, simd:#blk", ", ".join(_top_three(given)), "the three that add most here"),
        Compared("automatic is worse than fixed", "never", f"{worse} of {len(rows)} applications"),
        Compared("average error, automatic and fixed", "not printed", " and ".join(both)),
    )
    alt = "Mean error of the automatic method and of three fixed terms, by application"
    names = [f"{n}{'' if k == 0 else ', fixed'}" for n, *_ in rows for k in (0, 1)]
    values = np.array([v for _, a, b in rows for v in (a, b)])
    return Made(compared, (bars(names, values, "mean error (%)", alt),), (Table("Errors", table),))


def _effects(given: Given, progress: Progress) -> Made:
    models, first = _models(given), _first(given)
    factors = [f for f in contributions(models).factors if f in first.names]
    drawn, tables = [], []
    for factor in factors[:4]:
        found = reactions(models, first, factor)
        names = found.applications[: N_LOOKS - 1]
        values = found.values[: len(names)]
        most, least = found.applications[0], found.applications[-1]
        alt = f"Response over {found.parameter}, the others fixed: {most} reacts most, {least} least"
        series = [Series(n, found.levels, v) for n, v in zip(names, values, strict=True)]
        drawn.append(plot(series, str(found.parameter), "response, times the first level", alt))
        tables.append(Table(f"Response over {found.parameter}", found.table()))
    here = f"{factors[0]}; the applications that react most first"
    compared = (Compared("parameter and programs", "#blk; LPS reacts more than RAY", here, "other programs"),)
    return Made(compared, drawn, tables)


def _pruning(given: Given, progress: Progress) -> Made:
    found = _curves(given, progress)
    _, n = _parameters(_first(given))
    enough = {name: found.enough(name, _ENOUGH) for name in found.curves}
    known = [v for v in enough.values() if v is not None]
    rows = [(name, "more than measured" if v is None else str(v)) for name, v in enough.items()]
    table = pd.DataFrame(rows, columns=["application", "designs for a mean error of 5 %"])
    saved = f"{short_number(n / max(known), 3)} times" if known else "none"
    here = f"{len(known)} of {len(enough)} applications get there"
    compared = (
        Compared("designs for 5 %", "30 to 60 for all but AES", here),
        Compared("fewer simulations", "about 15,000 times", saved, f"of {n:,.0f} designs where the paper has 933,120"),
    )
    return Made(compared, tables=(Table("How few designs are enough", table),))


_UNTOLD = never("A dataset tells what varies; what was held fixed is not in it.")
_TAIL = never(
    "It needs how much of each run's end only some cores work; no sample has that. Trials that have it are corrected "
    "by the curation rule tail."
)
STARGAZER = paper(
    "stargazer",
    Artefact("Figures 1 and 2: the GPU and the method", never("They are diagrams; nothing in them is computed.")),
    Artefact("Table 1: the rounds of one regression", _table1),
    Artefact("Table 2: the design space", _space),
    Artefact("Table 3: unchanged parameters", _UNTOLD),
    Artefact("Table 4: applications", _applications),
    Artefact("Figure 3a: each factor's contribution to R²", _contributions),
    Artefact("Figure 3b: the same with the dominant parameter fixed", _fixed_parameter),
    Artefact("Figure 4: the tail of a short simulation", _TAIL),
    Artefact("Figure 5: error over the number of designs", _learning),
    Artefact("Figure 6: the automatic method against three fixed terms", _fixed),
    Artefact("Figure 7: main effects", _effects),
    Artefact("Section 8.1: how far the space is pruned", _pruning),
)
