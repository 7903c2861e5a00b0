"""A decision over a design space in words, as a table and as plain values."""

from typing import Any

import numpy as np
import pandas as pd

from core.codec import fields_of, finite
from core.ingest import more_is_better
from core.pipeline import FittedPipeline
from core.report.shared.naming import chances, quantity, short_number
from core.space.believed import Believed
from core.space.design_space import DesignSpace
from core.space.designs import Alternative, Decision, Levels
from core.space.mix import SLOWDOWN, Mix
from core.space.plan import shown
from core.space.wishes import LOW, SENSES, Goal, Problem, belonging, spoken
from core.trial import Kind, Metric, notes_about


def usual_sense(model: FittedPipeline) -> str:
    """Return whether low or high responses are good, where nobody says: high of rates, but not of negative ones.

    Tuners that minimise write rates below 0.
    """
    response, own = model.response, model.clusters[0].bounds
    minimised = not model.scale.log and own is not None and own[1] < 0
    return SENSES[more_is_better(response.unit, response.name) and not minimised]


NOTHING = 0.005
"""Share of the goal by which further runs must be expected to make it better; else they would change nothing."""
SAFE = 0.9
"""Probability from which a design is said to meet limits."""
MORE_PROBABLE = 0.1
"""What another design must be ahead in probability of the one that is expected to be the best, for it to be said."""
ANY = "any"
_TEN = 10


def sentence(found: Decision) -> str:
    """Say for which problem which design to choose, how sure that is, and which is next."""
    problem = problem_text(found.question.wishes.problem)
    return f"For {problem}: {_choice(found)}" if problem else _choice(found)


def problem_text(problem: Problem) -> str:
    """Return a problem as people write it."""
    return " · ".join(f"{name} {shown(level)}" for name, level in problem.items())


def _choice(found: Decision) -> str:
    if len(found.question.wishes.goals) > 1:
        return _front_sentence(found)
    goal, first = found.question.wishes.goals[0], found.alternatives[0]
    if found.question.wishes.limits and found.sure:
        return _limited_sentence(found, goal)
    known = "is" if first.measured else "should be"
    what = f" {goal.text} is" if isinstance(goal.formula, Mix) else ""
    said = f"{_point(found, first)} {known} the best:{what} {_expected(found, goal, first)}"
    if not found.sure or len(found.alternatives) == 1:
        return f"{said}."
    second, likeliest = found.alternatives[1], max(found.alternatives, key=lambda one: one.best)
    if likeliest.best > first.best + MORE_PROBABLE:
        return (
            f"{said} by these values alone. By the errors on trials held out {_point(found, likeliest)} is the best "
            f"more probably: {chances(likeliest.best)}, against {chances(first.best)}."
        )
    chance = f"The probability that no other design shown is better is {chances(first.best)}"
    if first.measured and second.measured and first.goals[0] == second.goals[0]:
        return f"{said}, and {_point(found, second)} is as good. {chance}."
    return f"{said}. {chance}; for the next, {_point(found, second)}, it is {chances(second.best)}."


def _limited_sentence(found: Decision, goal: Goal) -> str:
    """Say which is the best design that surely meets the limits, and how surely the next better one does."""
    place = next((i for i, one in enumerate(found.alternatives) if one.meets >= SAFE), 0)
    chosen = found.alternatives[place]
    said = (
        f"{_point(found, chosen)} meets {'; '.join(found.question.wishes.texts)} with {chances(chosen.meets)} "
        f"probability at {_expected(found, goal, chosen)}"
    )
    if len(found.alternatives) == 1:
        return f"{said}."
    other = found.alternatives[place - 1 if place else 1]
    which = f"the next {'lower' if goal.sense == LOW else 'higher'}" if place else "the next"
    number = _number(found, goal, float(other.goals[0]))
    return f"{said}; {which}, {_point(found, other)} at {number}, has {chances(other.meets)}."


def told_of(found: Decision, one: Alternative) -> str:
    """Say in plain words what is known of a design: goals, how surely it meets limits, and what others gain on it."""
    wishes, goals = found.question.wishes, []
    for i, goal in enumerate(wishes.goals):
        span = ""
        if found.sure and one.low[i] < one.high[i]:
            span = f", nine in ten chances from {short_number(one.low[i])} to {short_number(one.high[i])}"
        goals.append(f"{goal_metric(found, goal).name} {_number(found, goal, float(one.goals[i]))}{span}")
    known = {"predicted": "expected"}.get(_known(one), _known(one))
    said = f"{_point(found, one)} ({known}): {'; '.join(goals)}"
    if wishes.limits and found.sure:
        said += f". It meets {'; '.join(wishes.texts)} with {chances(one.meets)} probability"
    if found.sure and len(found.alternatives) > 1:
        beaten = "better" if len(wishes.goals) == 1 else "better in a goal and as good in all"
        said += f". The probability that no other design shown is {beaten} is {chances(one.best)}"
    worth = np.array([[goal.sign * value] for goal, value in zip(wishes.goals, one.goals, strict=True)])
    ahead = (found.offered.worth <= worth).all(axis=0) & (found.offered.worth < worth).any(axis=0)
    if len(wishes.goals) > 1 and ahead.any():
        said += f". Designs of the front that are at least as good in every goal: {ahead.sum():,}"
    return f"{said}."


def _front_sentence(found: Decision) -> str:
    """Say how many designs no other beats in every goal, and which is the best in each."""
    ends, numbers = [], []
    for i, goal in enumerate(found.question.wishes.goals):
        one = min(found.alternatives, key=lambda a: goal.sign * float(a.goals[i]))
        name, number = goal_metric(found, goal).name, _number(found, goal, one.goals[i])
        numbers.append(f"{name} {number}")
        ends.append(f"{_point(found, one)} has the {_best_of(goal)} {name}, {number}")
    if (n := len(found.offered.codes)) == 1:
        known = "is" if found.alternatives[0].measured else "should be"
        return f"{_point(found, found.alternatives[0])} {known} the best in every goal: {', '.join(numbers)}."
    few = f", {len(found.alternatives)} of them shown" if n > len(found.alternatives) else ""
    return f"A front of {n} designs that no other beats in every goal{few}: {'; '.join(ends)}."


def runs_sentence(found: Decision, least: float = NOTHING, cost: float | None = None) -> str:
    """Say whether further runs would pay; "" where nothing is known of that.

    Parameters
    ----------
    least : share of the goal that ten runs must be expected to gain
    cost : of one run, in the unit of the goal
    """
    if not found.gains:
        return ""
    goal, one, ten = found.question.wishes.goals[0], found.gains[1], found.gains[_TEN]
    if found.gain(_TEN) < least:
        return (
            f"Stop: the next ten runs would change nothing (they are expected to gain {_share(found.gain(_TEN))} "
            f"of {goal_metric(found, goal).name})."
        )
    gain = f"One more run is expected to gain {_number(found, goal, one)} ({_share(found.gain(1))})"
    said = f"{gain}, ten {_number(found, goal, ten)} ({_share(found.gain(_TEN))})"
    if cost is None:
        return f"{said}."
    return f"{said}; a run costs {_number(found, goal, cost)}, so it {'pays' if one > cost else 'does not pay'}."


def doubts(found: Decision) -> list[str]:
    """Say what to know of a choice: of the problem, of runs without outcome, of probabilities, or what is exact."""
    known = found.question.responses.values()
    settled = [*_of_the_problem(found), *_failures(found)]
    if not found.sure:
        return settled + [f"No probabilities: {one.why}" for one in known if one.doubt is None][:1]
    once = any(one.measured for one in found.alternatives) and any((one.measured[2] <= 1).all() for one in known)
    said = (
        "No design was measured twice, so what was measured counts as exact. Run the first again to see how it varies."
    )
    return [*settled, said] if once else settled


def _of_the_problem(found: Decision) -> list[str]:
    """Say of what belongs to the problem, such as its size, that it is no choice, and which one designs are for."""
    wishes = found.question.wishes
    frames = [one.evidence.frame for one in found.question.responses.values() if one.evidence.frame is not None]
    own = belonging(frames, growing=not wishes.trades)
    moving = [p.name for p in found.question.space.parameters if len(p.levels) > 1 and p.name in own]
    if not (names := list(wishes.problem) or moving):
        return []
    worked = {m.name for frame in frames for m in frame.metrics if m.kind is Kind.PARAMETER} & own
    spent = " and ".join(frame.response.name for frame in frames)
    grows = f" ({spent} {'grow' if len(frames) > 1 else 'grows'} with it)"
    said = ", ".join(f"{name}{grows * (name in worked)}" for name in names)
    belong = "belong to the problem and are no choice" if names[1:] else "belongs to the problem and is no choice"
    at = f": designs are for {problem_text(wishes.problem)}" if wishes.problem else ""
    return [f"{said} {belong}{at}."]


def _failures(found: Decision) -> list[str]:
    """Say where runs had no outcome: no model knows of these, so that designs that cannot run look like any other."""
    frames = (one.evidence.frame for one in found.question.responses.values())
    notes = dict.fromkeys(note for frame in frames if frame for note in notes_about(frame.notes, "failures"))
    return [
        f"{note}. If their runs failed, designs like theirs may be offered all the same; exclude these with a limit."
        for note in notes
    ]


def decision_table(found: Decision) -> pd.DataFrame:
    """Return a row per alternative: parameters, goals, what models say, and probabilities."""
    rows = []
    for one in found.alternatives:
        levels = [ANY if level is None else shown(level) for level in one.point]
        row: dict[str, Any] = dict(zip(found.question.space.names, levels, strict=True))
        for i, goal in enumerate(found.question.wishes.goals):
            row[goal_title(found, goal)] = one.goals[i]
            if found.sure and any(other.low[i] < other.high[i] for other in found.alternatives):
                ends = f"{short_number(one.low[i])} to {short_number(one.high[i])}" if one.low[i] < one.high[i] else ""
                row[f"{goal_metric(found, goal).name}, 90 %"] = ends
        for name, value in one.values.items():
            if name not in {goal.text for goal in found.question.wishes.goals}:
                row[name] = value
        if found.sure:
            several = len(found.question.wishes.goals) > 1
            row["unbeaten (%)" if several else "best (%)"] = round(100 * one.best, 1)
            if found.question.wishes.limits:
                row["meets limits (%)"] = round(100 * one.meets, 1)
        row["known"] = _known(one)
        rows.append(row)
    return pd.DataFrame(rows)


def plain(found: Decision, chosen: Alternative | None = None) -> dict[str, Any]:
    """Return all of it as plain values.

    Parameters
    ----------
    chosen : the design that was decided for
    """
    wishes, space = found.question.wishes, found.question.space
    decided = {} if chosen is None else {"chosen": _alternative(found, chosen) | {"sentence": told_of(found, chosen)}}
    whole: dict[str, Any] = {
        **decided,
        "goals": [{"goal": goal.text, "good": goal.sense} for goal in wishes.goals],
        "limits": list(wishes.texts),
        "problem": dict(wishes.problem),
        "sentence": sentence(found),
        "runs": runs_sentence(found),
        "how": found.offered.how,
        "models": list(found.question.notes),
        "notes": doubts(found),
        "n_designs": found.offered.n_designs,
        "n_feasible": found.offered.n_feasible,
        "n_front": len(found.offered.codes) if len(wishes.goals) > 1 else None,
        "alternatives": [_alternative(found, one) for one in found.alternatives],
        "beats": found.beats.tolist(),
        "gains": {str(runs): gain for runs, gain in found.gains.items()},
        "further": [dict(zip(space.names, text, strict=True)) for text in space.texts(found.further)],
    }
    return dict(finite(whole))


def _alternative(found: Decision, one: Alternative) -> dict[str, Any]:
    space = found.question.space
    return {
        "point": dict(zip(space.names, (ANY if v is None else v for v in one.point), strict=True)),
        "design": dict(zip(space.names, space.texts(one.codes[None])[0], strict=True)),
        **fields_of(one, "goals low high predicted=values best meets measured outside"),
    }


def _expected(found: Decision, goal: Goal, one: Alternative) -> str:
    return f"{_number(found, goal, float(one.goals[0]))} ({'measured' if one.measured else 'expected'})"


def _point(found: Decision, one: Alternative) -> str:
    return design_text(found.question.space, one.point)


def design_text(space: DesignSpace, point: Levels) -> str:
    """Return a design as people write it: its levels with their units, without what may be any."""
    named = [
        f"{p.name} {shown(level)} {p.unit}".rstrip()
        for p, level in zip(space.parameters, point, strict=True)
        if level is not None and len(p.levels) > 1
    ]
    return " · ".join(named) or "any design"


def _known(one: Alternative) -> str:
    if one.measured:
        return "measured"
    return "outside the evidence" if one.outside else "predicted"


def _number(found: Decision, goal: Goal, value: float) -> str:
    return quantity(value, goal_metric(found, goal))


def goal_metric(found: Decision, goal: Goal) -> Metric:
    """Return the goal as a metric: with the unit of its response, and called as that is, where it is one."""
    own = goal.formula.parts[0] if isinstance(goal.formula, Mix) and goal.formula.how != SLOWDOWN else goal
    known: Believed | None = found.question.responses.get(own.text)
    if known is None:
        return Metric(goal.text, Kind.RESPONSE)
    model, frame = known.evidence.model, known.evidence.frame
    response = model.response if model is not None else frame.response if frame is not None else None
    if response is None:
        return Metric(goal.text, Kind.RESPONSE)
    return Metric(response.name if spoken(response.name) == goal.text else goal.text, Kind.RESPONSE, response.unit)


def goal_title(found: Decision, goal: Goal) -> str:
    """Return a goal with its unit, and whether low or high is wanted."""
    return f"{goal_metric(found, goal)}, {_best_of(goal)}"


def _best_of(goal: Goal) -> str:
    return "lowest" if goal.sense == LOW else "highest"


def _share(share: float) -> str:
    return f"{100 * share:.2g} %" if np.isfinite(share) else "nothing"
