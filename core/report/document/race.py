"""Documents that answer a question: a race, which model predicts best; a decision, which design to choose."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from core.codec import FloatArray
from core.pipeline import FittedPipeline
from core.race.result import STOCK, Race
from core.report.compare.race_table import Line, race_lines, race_table, winner_sentence
from core.report.document import html
from core.report.document.charts import Series, Sketch, bars, over_measured, plot
from core.report.shared.naming import predictors, short_number
from core.report.shared.scorecard import folds_in_words, honest_sentence, percent, score_card
from core.report.shared.svg import thinned
from core.report.space.decision import decision_table, doubts, goal_metric, goal_title, runs_sentence, sentence
from core.space.designs import Decision
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.record import recorded
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


_DECIDED = (
    "Constraints of the space and limits are checked for every design; what breaks one is never offered.",
    "The first design is the best by what the models expect. Each further one is that which may turn out better where "
    "those before it turn out worse, so that the few differ where it matters; a parameter that changes nothing is any.",
    "Probabilities come from the models' joint uncertainty, learnt from trials held out, not from separate intervals.",
)


def space_page(found: Decision, space: str, models: Mapping[str, str], dataset: str = "", runs: str = "") -> bytes:
    """Return the document of a decision.

    Parameters
    ----------
    space : what the design space is called
    models : by the name that formulas call it, the SHA-256 of each model's file; "" where it is none
    runs : what further runs would gain, in a sentence, if other than usual
    """
    title = f"Which design of {space}?"
    offered = found.offered
    counted = f"{offered.how}; {offered.n_feasible:,} of {offered.n_designs:,} designs may be offered"
    parts = [
        html.head("Design decision", title, escape(_wishes(found)), sentence(found)),
        html.section("What was asked", html.listed(_goals(found))),
        html.section("What it is answered from", _models_told(found, space, models, dataset)),
        html.section("How", html.listed([*_DECIDED, f"{counted[0].upper()}{counted[1:]}."])),
        html.section("How good the models are", _models_good(found)),
        html.section("Designs to choose from", html.figures(_drawn(found)) + html.frame_table(decision_table(found))),
        html.section("Whether further runs would pay", html.paragraph(runs or runs_sentence(found))),
        html.section("What is not known", html.listed(_doubted(found))),
    ]
    return html.page(title, "design decision", parts).encode()


def _wishes(found: Decision) -> str:
    wishes = found.question.wishes
    goals = ", ".join(f"{goal_metric(found, goal).name} ({goal.sense})" for goal in wishes.goals)
    return goals + (f" within {'; '.join(wishes.texts)}" if wishes.texts else "")


def _goals(found: Decision) -> list[str]:
    wishes = found.question.wishes
    goals = [f"Goal: {goal_title(found, goal)}." for goal in wishes.goals]
    return [*goals, *(f"Limit: {text}." for text in wishes.texts)]


def _models(found: Decision) -> list[tuple[str, FittedPipeline]]:
    return [(n, b.evidence.model) for n, b in found.question.responses.items() if b.evidence.model is not None]


def _models_told(found: Decision, space: str, models: Mapping[str, str], dataset: str) -> str:
    pairs = [("Space", f"{space}: {', '.join(found.question.space.names)}"), ("Dataset", dataset)]
    for name, model in _models(found):
        made = model.provenance
        pairs.append((f"Model {name}", f"{made.recipe}, learnt from {made.n_trials:,} trials"))
        pairs.append((f"SHA-256 of the trials of {name}", made.trials_sha256))
        pairs.append((f"SHA-256 of the model {name}", models.get(name, "")))
    return html.facts(pairs)


def _models_good(found: Decision) -> str:
    said = list(found.question.notes)
    for name, model in [] if said else _models(found):
        kept = recorded(model.validation)
        honest = honest_sentence(kept.folds, kept.scores) if kept.scores is not None and kept.folds else ""
        said.append(f"{name}: {honest or 'it was never tested on trials that it had not seen.'}")
    return html.listed(said)


def _drawn(found: Decision) -> list[Sketch]:
    goals = found.question.wishes.goals
    names = [f"{i + 1}" for i in range(len(found.alternatives))]
    drawn = list[Sketch]()
    for i, goal in enumerate(goals):
        values = np.array([one.goals[i] for one in found.alternatives])
        ends = np.array([[one.low[i], one.high[i]] for one in found.alternatives])
        low, high = short_number(values.min()), short_number(values.max())
        alt = f"{goal_title(found, goal)} of each design: from {low} to {high}"
        told = f"{alt}, in the order of the table; whiskers hold 90 % of what it may turn out to be."
        drawn.append(bars(names, values, goal_title(found, goal), alt, ends).saying(told))
    if found.sure:
        best = 100 * np.array([one.best for one in found.alternatives])
        alt = f"Probability that no other design shown is better: the first has {best[0]:.0f} %"
        drawn.append(bars(names, best, "probability (%)", alt))
    return [*drawn, *(_front(found) if len(goals) > 1 else [])]


def _front(found: Decision) -> list[Sketch]:
    """Draw all designs of the front over the first two goals."""
    goals = found.question.wishes.goals[:2]
    front = [goal.sign * worth for goal, worth in zip(goals, found.offered.worth, strict=False)]
    shown: Sequence[FloatArray] = [np.array([one.goals[i] for one in found.alternatives]) for i in range(2)]
    across, up = (goal_title(found, goal) for goal in goals)
    named = " over ".join(goal_metric(found, goal).name for goal in goals[::-1])
    alt = f"The front of {len(front[0]):,} designs that no other beats in every goal, {named}"
    series = [
        Series("front", front[0], front[1], line=False),
        Series("shown in the table", shown[0], shown[1], line=False),
    ]
    return [plot(series, across, up, alt)]


def _doubted(found: Decision) -> list[str]:
    out = sum(one.outside for one in found.alternatives)
    outside = f"{out} of the designs shown lie outside the evidence: nothing like them was measured." if out else ""
    kept = "Designs outside the evidence were not offered." if not found.question.outside else ""
    notes = [f"{name}: {note}" for name, model in _models(found) for note in model.notes]
    measured = "" if any(one.measured for one in found.alternatives) else "None of the designs shown was measured."
    return [text for text in (*doubts(found), outside, kept, measured, *notes) if text]
