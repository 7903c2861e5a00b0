"""A race as a document: question, trials, method, honest errors, winner, and what is not known."""

from collections.abc import Sequence
from html import escape

import numpy as np

from core.race.result import STOCK, Race
from core.report.compare.race_table import Line, race_lines, race_table, winner_sentence
from core.report.document import html
from core.report.document.axes import thinned
from core.report.document.charts import Sketch, bars, over_measured
from core.report.shared.naming import predictors
from core.report.shared.scorecard import folds_in_words, percent, score_card
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.scores import Scores

_METHOD = (
    "All entries are trained on the same folds. Scale, weights and options of an entry are chosen on inner folds of "
    "the training trials, which ask the same question as the outer ones, so that no fold's score depends on the fold.",
    "The winner is made anew without each fold, from inner errors alone, and predicts the fold: its error below is no "
    "minimum over the entries of the table.",
    "The stock entry to beat is scikit-learn's extremely randomised trees.",
)
_DRAWN = 1500
"""Held-out trials in the figure at most."""
_SHOWN = ("model", "MAPE (%)", "± over folds (%)", "median error (%)", "within 10 % (%)", "within 20 % (%)", "features")


def race_page(frame: Frame, race: Race, dataset: str, asked: str = "", untried: Sequence[str] = ()) -> bytes:
    """Return the document of a race.

    Parameters
    ----------
    asked : of host and target, "Haswell → Skylake"
    untried : entries that were left out of it
    """
    lines = race_lines(frame, race)
    question = f"{frame.response} of {dataset}" + (f", {asked}" if asked else "")
    title = f"Which model predicts {frame.response.name} of {dataset}?"
    parts = [
        html.head(
            "Race", title, escape(f"{question}; tested with {folds_in_words(race.folds)}"), winner_sentence(race)
        ),
        html.section("What was asked", html.paragraph(_asked(frame, race))),
        html.section("What it is answered from", _data(frame, race, dataset, asked)),
        html.section("How", html.listed(_METHOD)),
        html.section("How good it is", _good(frame, race)),
        html.section("All entries", _entries(frame, race, lines)),
        html.section("What is not known", html.listed(_unknown(frame, race, lines, untried))),
    ]
    return html.page(title, "race", parts).encode()


def _asked(frame: Frame, race: Race) -> str:
    under = f"{folds_in_words(race.folds)} ({race.folds})"
    asked = f"How well can {frame.response} be predicted from {predictors(frame.names)}, tested with {under}"
    return f"{asked}, and by which kind of model?"


def _data(frame: Frame, race: Race, dataset: str, asked: str) -> str:
    pairs = [
        ("Dataset", dataset),
        ("Host and target", asked),
        ("Trials", f"{race.n_trials:,}"),
        ("Metrics", ", ".join(frame.names[:40]) + (" …" if len(frame.names) > 40 else "")),
        ("Seed of the folds", str(race.seed)),
        ("SHA-256 of the trials", race.trials_sha256),
    ]
    return html.facts(pairs)


def _good(frame: Frame, race: Race) -> str:
    if race.nested is None:
        return html.paragraph("No entry can run on these trials.")
    card = score_card({"winner, made anew": race.nested.scores, **_others(race)}, frame.response)
    return html.score_table(card) + html.figures([_predicted(frame, race.nested)])


def _others(race: Race) -> dict[str, Scores]:
    found = {"one entry, picked anew": race.picked.scores} if race.picked is not None else {}
    stock = race.validation(STOCK)
    return found | ({"extremely randomised trees": stock.scores} if stock is not None else {})


def _predicted(frame: Frame, found: Validation) -> Sketch:
    """Draw held-out predictions over what was measured; of many trials so many, evenly chosen."""
    rows = np.flatnonzero(np.isfinite(found.predicted))
    rows = rows[thinned(len(rows), _DRAWN)]
    y, predicted, response = frame.y[rows], found.predicted[rows], str(frame.response)
    known = y != 0
    error = 100 * np.abs(predicted[known] / y[known] - 1)
    said = f"half are within {percent(float(np.median(error)))}" if len(error) else "no relative error is known"
    alt = f"predicted over measured {response} of {len(y):,} held-out trials; {said}"
    return over_measured(y, predicted, response, alt).saying(f"P{alt[1:]}.")


def _entries(frame: Frame, race: Race, lines: Sequence[Line]) -> str:
    able = [line for line in lines if line.mape is not None]
    if not able:
        return ""
    errors = np.array([min(line.mape or 0.0, 10 * (able[0].mape or 1.0)) for line in able])
    best = able[0]
    alt = f"Mean error of {len(able)} entries on held-out trials; {best.label} has the smallest, {best.mape:.3g} %"
    drawn = bars([line.label for line in able], errors, "mean error (%)", alt)
    cut = f" Bars end at {errors.max():.3g} %." if any((line.mape or 0) > errors.max() for line in able) else ""
    known = race_table(frame, lines, race.winner)
    return html.figures([drawn.saying(f"{alt}.{cut}")]) + html.frame_table(known[[c for c in _SHOWN if c in known]])


def _unknown(frame: Frame, race: Race, lines: Sequence[Line], untried: Sequence[str]) -> list[str]:
    lame = [f"{line.label} cannot run here: {line.error}" for line in lines if line.validation is None]
    tried = [f"Not tried: {', '.join(untried)}."] if untried else []
    refused = race.nested.scores.n_refused if race.nested is not None else 0
    none = [f"{refused:,} held-out trials got no prediction and are not in the errors."] if refused else []
    outside = "The errors are for what the folds ask; for trials outside the range of these nothing was tested."
    return [*lame, *none, *frame.notes, *tried, outside]
