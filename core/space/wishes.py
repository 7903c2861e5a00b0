"""What is wanted of a design: goals and limits, as formulas over its parameters and what models say of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Self

import numpy as np

from core.codec import BoolArray, Frozen
from core.errors import OptionError
from core.space._constraints import Constraint, Formula, Values, spelt_out
from core.space.design_space import DesignSpace, make_space
from core.space.mix import GEOMEAN, Several, limits_over, over, read_limit, read_mix
from core.space.problem import Problem, at_problem

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
        """Whether more is wanted than one response: then how much work to do may be what is asked."""
        first = self.goals[0]
        return bool(self.limits) or len(self.goals) > 1 or first.formula.names != (first.text,)

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
    defined, conditions = spelt_out([text for text in texts if text not in mixed])
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
    return "".join((_spelt(formula, defined), *rest))


def _formula(
    text: str, sense: str, defined: Mapping[str, str], known: Sequence[str], several: Several | None
) -> Formula:
    """Return what a goal means, with what is defined spelt out."""
    if several is None:
        return Formula.parse(_spelt(text, defined), known)
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


def _spelt(text: str, defined: Mapping[str, str]) -> str:
    """Return a formula with what is defined spelt out."""
    return spelt_out([*(f"{name} = {formula}" for name, formula in defined.items()), f"goal_ = {text}"])[0]["goal_"]


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
