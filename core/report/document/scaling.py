"""A study of how kernels scale as a document: what was measured, predictors on held-out kernels, what is hard."""

from collections.abc import Sequence
from html import escape

import numpy as np

from core.experiment.experiment import Scaling
from core.experiment.kernels import KernelsSubject
from core.report.document.charts import bars
from core.report.document.html import (
    facts,
    figure,
    figures,
    folded,
    frame_table,
    head,
    listed,
    page,
    paragraph,
    section,
)
from core.report.scaling.race import finishes, race_sentence, race_table, worst_table
from core.scaling.race import Race
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
        head("Scaling study", title, escape(line), " ".join(race_sentence(race) for race in races)),
        section("What was asked", paragraph(ask)),
        section("What it is answered from", facts(data)),
        section("How", listed(_METHOD)),
        *(section(f"How good it is: {escape(race.reference.task.response)}", _good(race)) for race in races),
        *(section(f"Hard kernels: {escape(race.reference.task.response)}", _hard(study, race)) for race in races),
        section("What is not known", listed(_unknown(study, races))),
    ]
    return page(title, "scaling study", parts).encode()


def _good(race: Race) -> str:
    ends = finishes(race)
    said = ", ".join(f"{end.label} {end.error:.3g} %" for end in (ends[0], ends[-1]))
    alt = f"Mean error on held-out kernels: {said}"
    drawn = bars([f.label for f in ends], np.array([f.error for f in ends]), "mean error (%)", alt)
    return figures([figure(drawn, f"{alt}.")]) + frame_table(race_table(race).drop(columns="seconds"))


def _hard(study: Study, race: Race) -> str:
    worst = worst_table(study.kernels, race.best.validation if race.entries else race.reference)
    top = worst.head(_MOST_WORST)
    names, errors = [str(name) for name in top["kernel"]], top["mean error (%)"].to_numpy(dtype=np.float64)
    alt = f"Mean error of the {len(top)} worst kernels; the worst is {names[0]} with {errors[0]:.3g} %"
    drawn = bars(names, errors, "mean error (%)", alt)
    return figures([figure(drawn, f"{alt}.")]) + folded(f"All {len(worst)} held-out kernels", frame_table(worst))


def _unknown(study: Study, races: Sequence[Race]) -> list[str]:
    covers = [e.validation.scores.coverage_90 for race in races for e in race.entries]
    said = [] if all(c is not None for c in covers) else ["With one fold the coverage of intervals is not measured."]
    base = "Another base may be better or worse; ridgeline scale validate --all-bases tries every one."
    same = "Kernels unlike all that were measured, other machines and configurations outside the grid were not tested."
    return [*study.notes, *said, base, same]
