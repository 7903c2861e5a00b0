"""Scaling as pages of HTML: an experiment's study of predictors, and a model's card."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from core.errors import PredictError, count
from core.experiment.experiment import Scaling
from core.experiment.trials import KernelsSubject
from core.report.document import html
from core.report.document.charts import Series, Sketch, bars, plot
from core.report.scaling import race as outcomes
from core.report.scaling.kernels import slice_along
from core.report.shared.scorecard import percent
from core.scaling.race import Race
from core.scaling.scaling_model import Answer, Kernel, ScalingModel, Surface
from core.scaling.study import Study

_METHOD = (
    "Whole kernels are held out. From its counters and responses at the base alone, each predictor says how a "
    "held-out kernel scales over all other configurations; errors are relative, over these.",
    "Beside the predictors stand the mean surface of the training kernels, and the training cluster nearest to the "
    "truth, which no classifier could beat.",
    "The first predictor of the table is the smallest of several errors on the same kernels, a little too good for "
    "that; “Chosen on folds inside”, where it ran, is not.",
)
_MOST_WORST = 15


def scaling_page(study: Study, races: Sequence[Race], dataset: str) -> bytes:
    """Return the document of a study, a race of predictors per response."""
    named = ", ".join(race.reference.task.response for race in races)
    title = f"How {named} of {dataset} scales"
    first = races[0].reference
    axes = ", ".join(f"{axis} ({len(level)} levels)" for axis, level in zip(study.axes, study.levels, strict=True))
    base = study.shown(first.task.base)
    line = f"{study.n_kernels} kernels over {study.n_configurations} configurations, measured at {base}"
    data = [
        ("Dataset", dataset),
        ("Kernels", f"{study.n_kernels:,}"),
        ("Configurations", f"{study.n_configurations:,}: {axes}"),
        ("Counters", ", ".join(m.name for m in study.counters[:40])),
        ("Folds", f"{first.folds}, {len(first.fold_names)} of them"),
        ("SHA-256 of the study", KernelsSubject("", study, first.task.response, Scaling()).digest),
    ]
    ask = f"A kernel is measured once, at {base}. What is its {named} at all other configurations?"
    parts = [
        html.head("Scaling study", title, escape(line), " ".join(outcomes.race_sentence(race) for race in races)),
        html.section("What was asked", html.paragraph(ask)),
        html.section("What it is answered from", html.facts(data)),
        html.section("How", html.listed(_METHOD)),
        *(html.section(f"How good it is: {escape(race.reference.task.response)}", _good(race)) for race in races),
        *(html.section(f"Hard kernels: {escape(race.reference.task.response)}", _hard(study, race)) for race in races),
        html.section("What is not known", html.listed(_unknown(study, races))),
    ]
    return html.page(title, "scaling study", parts).encode()


def _good(race: Race) -> str:
    ends = outcomes.finishes(race)
    said = ", ".join(f"{end.label} {end.error:.3g} %" for end in (ends[0], ends[-1]))
    alt = f"Mean error on held-out kernels: {said}"
    drawn = bars([f.label for f in ends], np.array([f.error for f in ends]), "mean error (%)", alt)
    return html.figures([drawn]) + html.frame_table(outcomes.race_table(race).drop(columns="seconds"))


def _hard(study: Study, race: Race) -> str:
    worst = outcomes.worst_table(study.kernels, race.best.validation if race.entries else race.reference)
    top = worst.head(_MOST_WORST)
    names, errors = [str(name) for name in top["kernel"]], top["mean error (%)"].to_numpy(dtype=np.float64)
    alt = f"Mean error of the {len(top)} worst kernels; the worst is {names[0]} with {errors[0]:.3g} %"
    drawn = bars(names, errors, "mean error (%)", alt)
    return html.figures([drawn]) + html.folded(f"All {len(worst)} held-out kernels", html.frame_table(worst))


def _unknown(study: Study, races: Sequence[Race]) -> list[str]:
    covers = [e.validation.scores.coverage_90 for race in races for e in race.entries]
    said = [] if all(c is not None for c in covers) else ["With one fold the coverage of intervals is not measured."]
    base = "Another base may be better or worse; ridgeline scale validate --all-bases tries every one."
    same = "Kernels unlike all that were measured, other machines and configurations outside the grid were not tested."
    return [*study.notes, *said, base, same]


_MOST_NAMES = 40


def scaling_model_page(model: ScalingModel, name: str = "", saved: str = "", note: str = "", sha256: str = "") -> bytes:
    """Return the card of a scaling model.

    Parameters
    ----------
    name, saved, note : what it is called, when it was saved and what people say of it, where that is known
    sha256 : of its file
    """
    title = name or outcomes.default_name(model)
    known = f"<blockquote>{escape(note)}</blockquote>" if note else ""
    parts = [
        html.head(
            "Scaling model", title, escape(outcomes.axes_sentence(model)), " ".join(map(_honest, model.answers)), known
        ),
        html.section("How good it is", html.frame_table(outcomes.answers_table(model)) + _errors(model)),
        html.section("What it says of a typical kernel", _typical(model)),
        html.section("Where it holds", _ranges(model)),
        html.section("Limits", html.listed(_limits(model))),
        html.section("How to use it", _use(model)),
        html.section("What it was trained on", html.facts(_facts(model, saved, sha256))),
    ]
    return html.page(title, "scaling model", parts).encode()


def _honest(answer: Answer) -> str:
    better = "" if answer.mape < answer.mean_surface_mape else ", which is better"
    return (
        f"For kernels that it has not seen, {answer.response.name} is off by {percent(answer.mape)} in the mean; if "
        f"every kernel scaled as the mean of all, by {percent(answer.mean_surface_mape)}{better}."
    )


def _errors(model: ScalingModel) -> str:
    names = [text for a in model.answers for text in (a.response.name, "· mean surface")]
    errors = np.array([error for a in model.answers for error in (a.mape, a.mean_surface_mape)])
    alt = "Mean error on held-out kernels, beside that of the mean surface"
    return html.figures([bars(names, errors, "mean error (%)", alt)])


def _typical(model: ScalingModel) -> str:
    """Return a picture per response: the median kernel along the axis with most levels, the others at the base."""
    try:
        found = model.predict(_median_kernel(model)).surfaces
    except PredictError:  # it asks for further measurements, and nobody made any
        return ""
    return html.figures([_curve(model, found[a.response.name]) for a in model.answers])


def _median_kernel(model: ScalingModel) -> Kernel:
    counts = dict(zip((m.name for m in model.counters), model.features.median.tolist(), strict=True))
    medians = dict(zip((m.name for m in model.inputs), model.features.median_response.tolist(), strict=True))
    at_base: Mapping[str, float] = {name: medians.get(name, 1.0) for name in model.responses}
    return Kernel("the median kernel", counts, at_base, {})


def _curve(model: ScalingModel, surface: Surface) -> Sketch:
    along = max(range(len(model.axes)), key=lambda j: len(np.unique(model.grid[:, j])))
    rows = slice_along(model.grid, model.base, along)
    x, start = model.grid[rows, along], surface.value[model.base]
    lines = {"predicted": surface.value, "90 % interval, from": surface.low, "to": surface.high}
    series = [Series(text, x, values[rows] / start) for text, values in lines.items()]
    name = surface.response.name
    alt = f"{name} of a kernel with median counters along {model.axes[along].name}, the other axes at the base"
    return plot(series, str(model.axes[along]), f"{name}, relative to the base", alt)


def _ranges(model: ScalingModel) -> str:
    metrics = (*model.counters, *model.inputs)
    rows = [
        [html.cell(m.name), html.number(low), html.number(high), html.cell(m.unit or "–")]
        for m, low, high in zip(metrics, model.domain.low.tolist(), model.domain.high.tolist(), strict=True)
    ]
    said = "Smallest and largest value at the base among the training kernels. Beyond them nothing was learnt."
    return html.paragraph(said) + html.long_table(["metric", "from", "to", "unit"], rows, "metrics")


def _limits(model: ScalingModel) -> list[str]:
    said = [
        "Configurations beyond the ends of the axes are refused; between measured ones it interpolates.",
        "Kernels unlike all that it learnt from are marked as outside; how far off it is on them was not tested.",
    ]
    if model.wants:
        said.append(f"It asks for {count(len(model.wants), 'further measurement')} of a kernel besides the base.")
    if any(a.coverage_90 is None for a in model.answers):
        said.append("With one fold the coverage of intervals is not measured.")
    return [*said, *(f"{note[:1].upper()}{note[1:]}." for note in model.notes)]


def _use(model: ScalingModel) -> str:
    names = ["kernel", *model.responses, *(m.name for m in model.counters if m.name not in model.responses)]
    header = ",".join(names[:6]) + (",…" if len(names) > 6 else "")
    code = f"# kernels.csv: {header}\nridgeline scale predict model.json kernels.csv --out surfaces.csv"
    return f"<pre><code>{escape(code)}</code></pre>"


def _facts(model: ScalingModel, saved: str, sha256: str) -> list[tuple[str, str]]:
    made = model.provenance
    axes = (f"{axis.name} ({len(np.unique(model.grid[:, j]))} levels)" for j, axis in enumerate(model.axes))
    counters = ", ".join(m.name for m in model.counters[:_MOST_NAMES])
    kernels = ", ".join(model.kernels[:_MOST_NAMES])
    return [
        ("Dataset", made.dataset),
        ("Kernels", f"{len(model.kernels):,}: {kernels}{', …' if len(model.kernels) > _MOST_NAMES else ''}"),
        ("Configurations", f"{len(model.grid):,}: {', '.join(axes)}"),
        ("Counters", counters),
        ("Predictors", ", ".join(a.predictor for a in model.answers)),
        ("Seed", str(made.seed)),
        ("Saved", saved),
        ("Trials' SHA-256", made.trials_sha256),
        ("Model file's SHA-256", sha256),
        ("Made by", f"Ridgeline {made.version}"),
    ]
