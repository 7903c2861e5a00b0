"""A decision over a design space as a document: goals and limits, models, designs, and what is not known."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from core.codec import FloatArray
from core.pipeline import FittedPipeline
from core.report.document import html
from core.report.document.charts import Series, Sketch, bars, plot
from core.report.shared.naming import short_number
from core.report.shared.scorecard import honest_sentence
from core.report.space.decision import decision_table, doubts, goal_metric, goal_title, runs_sentence, sentence
from core.space.designs import Decision
from core.validate.record import recorded

_METHOD = (
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
        html.section("What it is answered from", _data(found, space, models, dataset)),
        html.section("How", html.listed([*_METHOD, f"{counted[0].upper()}{counted[1:]}."])),
        html.section("How good the models are", _good(found)),
        html.section("Designs to choose from", html.figures(_drawn(found)) + html.frame_table(decision_table(found))),
        html.section("Whether further runs would pay", html.paragraph(runs or runs_sentence(found))),
        html.section("What is not known", html.listed(_unknown(found))),
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


def _data(found: Decision, space: str, models: Mapping[str, str], dataset: str) -> str:
    pairs = [("Space", f"{space}: {', '.join(found.question.space.names)}"), ("Dataset", dataset)]
    for name, model in _models(found):
        made = model.provenance
        pairs.append((f"Model {name}", f"{made.recipe}, learnt from {made.n_trials:,} trials"))
        pairs.append((f"SHA-256 of the trials of {name}", made.trials_sha256))
        pairs.append((f"SHA-256 of the model {name}", models.get(name, "")))
    return html.facts(pairs)


def _good(found: Decision) -> str:
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


def _unknown(found: Decision) -> list[str]:
    out = sum(one.outside for one in found.alternatives)
    outside = f"{out} of the designs shown lie outside the evidence: nothing like them was measured." if out else ""
    kept = "Designs outside the evidence were not offered." if not found.question.outside else ""
    notes = [f"{name}: {note}" for name, model in _models(found) for note in model.notes]
    measured = "" if any(one.measured for one in found.alternatives) else "None of the designs shown was measured."
    return [text for text in (*doubts(found), outside, kept, measured, *notes) if text]
