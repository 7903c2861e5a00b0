"""What is wanted of a design: goals and limits, as formulas over parameters and what models say, at one problem."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Self

import numpy as np

from core.codec import BoolArray, Frozen
from core.errors import OptionError
from core.space._constraints import Constraint, Formula, Values, number_spelt_out, spelt_out
from core.space.design_space import DesignSpace, Level, make_space
from core.space.mix import GEOMEAN, Several, limits_over, over, read_limit, read_mix
from core.trial import Frame, Kind
from core.work import amounts_of_work

Problem = Mapping[str, Level]
"""A level of each parameter that belongs to the problem."""
_RAN, _WHERE = ("application", "input"), ("application", "machine")


def problems(space: DesignSpace, frames: Iterable[Frame], *, growing: bool = True) -> tuple[Problem, ...]:
    """Return the problems that were measured, that of most configurations first, of as many the larger.

    A parameter of more than one level belongs to the problem if it is what ran, is known before any run (a
    deterministic metric), or is the amount of work: all else alike, times and energies grow with it, each of them that
    is asked. Where nothing else moves there is no problem, and where sizes alone do besides, what ran is a choice.

    Parameters
    ----------
    frames : of each response that is asked
    growing : whether amounts of work count
    """
    frames = tuple(frames)
    belong = belonging(frames, growing=growing)
    moving = {p.name: p for p in space.parameters if len(p.levels) > 1}
    for frame in frames:
        _, first = np.unique(frame.configuration, return_index=True)
        texts = {role: np.array(frame.labels[role], dtype=object)[first].tolist() for role in _RAN if role in moving}
        values = zip(frame.names, frame.X[first].T, strict=True)
        columns = {name: x for name, x in values if name in belong and name in moving}
        if len({**columns, **texts}) < len(moving):  # else what ran is the choice
            columns |= texts
        if (own := tuple(columns)) and len(own) < len(moving):
            placed = [moving[name].places(values) for name, values in columns.items()]
            codes = np.column_stack([places for places, _ in placed])[np.all([there for _, there in placed], axis=0)]
            found, counts = np.unique(codes, axis=0, return_counts=True)
            order = np.lexsort((*found.T[::-1], counts))[::-1]
            return tuple(
                {name: moving[name].levels[code] for name, code in zip(own, row, strict=True)}
                for row in found[order].tolist()
            )
    return ()


def at_problem(space: DesignSpace, problem: Problem) -> DesignSpace:
    """Return the designs for a problem."""
    own = (replace(p, levels=(problem[p.name],)) if p.name in problem else p for p in space.parameters)
    return replace(space, parameters=tuple(own))


def belonging(frames: Iterable[Frame], *, growing: bool = True) -> frozenset[str]:
    """Return the metrics that belong to the problem in all frames."""
    own = [frozenset(np.array(frame.names, dtype=object)[worked(frame, growing=growing)]) for frame in frames]
    return frozenset.intersection(*own) if own else frozenset()


def worked(frame: Frame, *, growing: bool = True) -> BoolArray:
    """Return which metrics of a frame belong to the problem, array of shape (n_metrics,)."""
    known = np.array([m.kind is Kind.DETERMINISTIC for m in frame.metrics], dtype=bool)
    if not growing:
        return known
    if "amounts of work" not in frame.found:
        varied = [m.name for m in frame.metrics if m.kind is Kind.PARAMETER]
        columns, texts = dict(zip(frame.names, frame.X.T, strict=True)), [frame.labels[role] for role in _WHERE]
        frame.found["amounts of work"] = amounts_of_work(
            varied, columns, texts, frame.configuration, frame.response, frame.y
        )
    return np.asarray(known | np.isin(frame.names, [*frame.found["amounts of work"]]))


LOW, HIGH = SENSES = ("low", "high")
MOST_GOALS = 3


class Goal(Frozen):
    """A number that should be low, or high.

    Attributes
    ----------
    text : as it was written; `formula` has what is defined elsewhere spelt out
    """

    text: str
    formula: Formula
    sense: str = LOW

    @property
    def sign(self) -> float:
        """What the number is multiplied by to be low where it is good."""
        return 1.0 if self.sense == LOW else -1.0


class Wishes(Frozen):
    """Goals and limits over a design space.

    Attributes
    ----------
    limits : those that ask a model
    space : designs that fulfil all the others
    texts : all limits as they were written
    problem : what designs are for, of a space whose parameters tell that too
    """

    goals: tuple[Goal, ...]
    limits: tuple[Constraint, ...]
    space: DesignSpace
    texts: tuple[str, ...] = ()
    problem: Problem = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """What goals and limits speak of."""
        return frozenset(name for one in (*(g.formula for g in self.goals), *self.limits) for name in one.names)

    @property
    def trades(self) -> bool:
        """Whether how much work to do may be asked: of models' limits, and goals that are high or of a parameter."""
        own = set(self.space.names)
        return bool(self.limits) or any(goal.sense == HIGH or own & set(goal.formula.names) for goal in self.goals)

    def for_first(self, problems: Sequence[Problem]) -> Self:
        """Return the same wishes for the first of some problems that has designs within the limits; of none for all."""
        levels = {p.name: p.levels for p in self.space.parameters}
        for problem in problems:
            there = all(level in levels[name] for name, level in problem.items())
            if there and (left := at_problem(self.space, problem)).n_points:
                return replace(self, space=left, problem=problem)
        return self

    def fulfilled(self, values: Values, n: int) -> BoolArray:
        """Return at which of n points all limits hold that ask a model."""
        keep = np.ones(n, dtype=bool)
        for limit in self.limits:
            keep &= limit.holds(values, n)
        return keep


def spoken(name: str) -> str:
    """Return what formulas call a response: its name, with `_` for what no formula can hold."""
    return re.sub(r"\W", "_", name)


def read_wishes(
    goals: Mapping[str, str],
    limits: Sequence[str],
    models: Sequence[str],
    space: DesignSpace,
    several: Several | None = None,
) -> Wishes:
    """Return the wishes that texts mean.

    Parameters
    ----------
    goals : per formula, such as "time" or "time * power", whether "low" or "high" is good; at most three
    limits : such as "power < 250" or "area = 3.1*l2_kib + 40*cores <= 600", which defines `area` too
    models : what formulas call what is predicted
    several : applications that have a model of each of these; goals are "time over applications by geomean" or
        speak of one, as `time_gemm` does; a limit on `time` is one on each of them, `time over applications by mean
        <= 5` is one on all

    Raises
    ------
    OptionError
        If a text cannot be understood, a model is called as a parameter is, or no design fulfils the limits.
    """
    twice = [name for name in (*models, *(several.called if several else ())) if name in space.names]
    if twice:
        raise OptionError(f"A model and a parameter are both called '{twice[0]}'. Give the model another name.")
    if not 1 <= len(goals) <= MOST_GOALS or set(goals.values()) - set(SENSES):
        raise OptionError(f"A design has one to {MOST_GOALS} goals, each low or high, got {dict(goals)}.")
    texts = tuple(text.strip() for text in limits if text.strip())
    mixed = [text for text in texts if limits_over(text)]
    if several is None and (asked := [text for text in (*goals, *mixed) if over(text)]):
        raise OptionError(f"'{asked[0]}': there are no {over(asked[0])}s here. Give --dataset with trials of several.")
    taken = (*space.names, *models, *((*several.called, *several.responses) if several else ()))
    defined, conditions = spelt_out([text for text in texts if text not in mixed], taken)
    known = (*space.names, *(several.called if several else models))
    wanted = tuple(Goal(text, _formula(text, sense, defined, known, several), sense) for text, sense in goals.items())
    read = [Constraint.parse(one, known) for text in conditions for one in _each(text, several)]
    own = [limit.text for limit in read if set(limit.names) <= set(space.names)]
    asking = tuple(limit for limit in read if limit.text not in own)
    parse = partial(Formula.parse, known=known)
    joint = tuple(read_limit(_spelt_over(text, defined), several, parse) for text in mixed) if several else ()
    return Wishes(wanted, (*asking, *joint), narrowed(space, own), texts)


def _spelt_over(text: str, defined: Mapping[str, str]) -> str:
    """Return a goal or limit over several applications with what is defined spelt out."""
    formula, *rest = re.split(r"(\s+over\s+)", text.strip(), maxsplit=1)
    return "".join((number_spelt_out(formula, defined), *rest))


def _formula(
    text: str, sense: str, defined: Mapping[str, str], known: Sequence[str], several: Several | None
) -> Formula:
    """Return what a goal means, with what is defined spelt out."""
    if several is None:
        return Formula.parse(number_spelt_out(text, defined), known)
    spelt = _spelt_over(text, defined)
    if not over(text) and set(Formula.parse(spelt, (*known, *several.responses)).names) & set(several.responses):
        raise OptionError(
            f"'{text}' is not said of which {several.role}. Write such as '{text} over {several.role}s by "
            f"{GEOMEAN}', or name one: {', '.join(several.called[:8])}."
        )
    return read_mix(spelt, several, sense == LOW, partial(Formula.parse, known=known))


def _each(text: str, several: Several | None) -> tuple[str, ...]:
    """Return a condition, or one per application where it speaks of a response of each."""
    return (text,) if several is None else tuple(dict.fromkeys(several.each(text)))


def narrowed(space: DesignSpace, conditions: Sequence[str]) -> DesignSpace:
    """Return a space with further conditions, such as "load_queue <= 12".

    A condition on one parameter leaves levels out, so that what is exact without constraints stays exact.

    Raises
    ------
    OptionError
        If one cannot be understood, or no design fulfils them all.
    """
    further = [text.strip() for text in conditions if text.strip()]
    if not further:
        return space
    whole = make_space(space.parameters, [*(c.text for c in space.constraints), *further], space.name)
    found = _with_fewer_levels(whole)
    if found is None or found.n_points == 0:
        raise OptionError(f"No design fulfils {' and '.join(further)}. Loosen one of the conditions.")
    return found


def _with_fewer_levels(space: DesignSpace) -> DesignSpace | None:
    """Return the same designs with levels left out instead of constraints on one parameter; None if none are left."""
    parameters = []
    for p in space.parameters:
        own = tuple(c for c in space.constraints if c.names == (p.name,))
        good = DesignSpace((p,), own).allowed(np.arange(len(p.levels), dtype=np.int64)[:, None])
        if not good.any():
            return None
        parameters.append(replace(p, levels=tuple(np.array(p.levels, dtype=object)[good])))
    others = tuple(c for c in space.constraints if len(c.names) != 1)
    return replace(space, parameters=tuple(parameters), constraints=others)
