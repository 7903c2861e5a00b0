"""Goals over several applications: their weighted mean, their geometric mean, the worst, or the worst slow-down."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, Frozen
from core.errors import OptionError
from core.registry import unknown
from core.space._constraints import Constraint, Formula, Values, spelt_out

GEOMEAN, MEAN, WORST, SLOWDOWN = HOWS = ("geomean", "mean", "worst", "slowdown")
_OVER = r"(.+?)\s+over\s+(?P<role>application|input|machine)s\s+by\s+(\w+)(?:\s+with\s+(.+?))?"
_GOAL = re.compile(_OVER, re.DOTALL)
_LIMIT = re.compile(rf"(?P<goal>{_OVER})\s*(?P<sign><=|>=|<|>)\s*(?P<end>[^<>=]+)", re.DOTALL)


class Several(Frozen):
    """Applications that one design is to be good for, each with a model of each response.

    Attributes
    ----------
    role : what tells them apart: application, input or machine
    names : of the applications
    best : the smallest and the largest measured value, by response and application
    """

    role: str
    names: tuple[str, ...]
    responses: tuple[str, ...]
    best: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def own(self, response: str, name: str) -> str:
        """Return what formulas call the response of one application, such as `time_gemm`."""
        known = [re.sub(r"\W", "_", one) for one in self.names]
        place = self.names.index(name)
        found = known[place]
        return f"{response}_{found}" if known.count(found) == 1 else f"{response}_{found}_{place + 1}"

    @property
    def called(self) -> tuple[str, ...]:
        """What formulas call all responses of all applications."""
        return tuple(self.own(response, name) for response in self.responses for name in self.names)

    def each(self, text: str) -> tuple[str, ...]:
        """Return a formula or condition once per application, of its own responses."""
        own = [[f"{response} = {self.own(response, name)}" for response in self.responses] for name in self.names]
        return tuple(spelt_out([*defined, text])[1][0] for defined in own)


class Mix(Formula):
    """A number per application, made one.

    Attributes
    ----------
    parts : the number of each application that counts
    weights : theirs, above 0
    how : one of HOWS
    best : what each is held against, where that is asked for
    low : whether low is good, so that the largest is the worst
    """

    parts: tuple[Formula, ...]
    weights: tuple[float, ...]
    how: str
    best: tuple[float, ...]
    low: bool

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights, which sum to 1."""
        return tuple(weight / sum(self.weights) for weight in self.weights)

    def _found(self, values: Values, n: int) -> npt.NDArray[Any]:
        each: FloatArray = np.array([part.of(values, n) for part in self.parts])
        if self.how in (GEOMEAN, MEAN):
            shares = np.array(self.shares)[:, None]
            with np.errstate(all="ignore"):
                logs = np.log(each) if self.how == GEOMEAN else each
                found: FloatArray = (shares * logs).sum(axis=0)
            return np.exp(found) if self.how == GEOMEAN else found
        each /= np.array(self.best)[:, None]
        weights = np.array(self.weights)[:, None]  # of twice the weight is what is the worst from half as far on
        return np.asarray((each * weights).max(axis=0) if self.low else (each / weights).min(axis=0))


class MixLimit(Constraint):
    """An end that a number over several applications must keep.

    Attributes
    ----------
    mix : the number
    sign : `<`, `<=`, `>` or `>=`
    end : what it is held against
    """

    mix: Mix
    sign: str
    end: float

    def _found(self, values: Values, n: int) -> npt.NDArray[Any]:
        number, low = self.mix.of(values, n), self.sign[0] == "<"
        inside: npt.NDArray[Any] = number < self.end if low else number > self.end
        return inside | (number == self.end) if self.sign[1:] else inside


def read_limit(text: str, several: Several, parse: Callable[[str], Formula]) -> MixLimit:
    """Return what a limit such as "time over applications by mean <= 5" means.

    Raises
    ------
    OptionError
        As `read_mix`, or if the end is no number.
    """
    found = _LIMIT.fullmatch(text.strip())
    assert found is not None, "no limit over several"
    sign, end = found["sign"], found["end"].strip()
    mix = read_mix(found["goal"], several, sign[0] == "<", parse)
    assert isinstance(mix, Mix), "a goal over several"
    try:
        return MixLimit(text.strip(), mix.names, mix, sign, float(end))
    except ValueError:
        raise OptionError(f"'{text}': a limit over {several.role}s ends in a number, got '{end}'.") from None


def limits_over(text: str) -> bool:
    """Whether a text is a limit over several applications."""
    return _LIMIT.fullmatch(text.strip()) is not None


def over(text: str) -> str:
    """Return which role a goal or limit such as "time over applications by geomean" is over; "" if over none."""
    found = _LIMIT.fullmatch(text.strip()) or _GOAL.fullmatch(text.strip())
    return found["role"] if found else ""


def with_mix(formula: str, role: str, how: str, weights: str = "") -> str:
    """Return a goal over applications as text."""
    return f"{formula} over {role}s by {how}" + (f" with {weights}" if weights else "")


def read_mix(text: str, several: Several, low: bool, parse: Callable[[str], Formula]) -> Formula:
    """Return what a goal over applications means.

    Parameters
    ----------
    low : whether low is good
    parse : reads a formula

    Raises
    ------
    OptionError
        If it cannot be read, or speaks of a response without saying of which application.
    """
    found = _GOAL.fullmatch(text.strip())
    if found is None:
        return parse(text)
    formula, role, how, said = found.groups()
    if how not in HOWS:
        raise OptionError(f"'{text}': {unknown('way to make one of several', how, HOWS)}")
    if role != several.role:
        raise OptionError(f"'{text}': goals over {several.role}s and over {role}s cannot be asked for together.")
    weights = _weights(said or "", text, several)
    kept = [i for i, name in enumerate(several.names) if weights[name] > 0]
    parts = [parse(several.each(formula)[i]) for i in kept]
    best = _best(formula.strip(), text, several, low) if how == SLOWDOWN else [1.0] * len(several.names)
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    chosen = tuple(weights[several.names[i]] for i in kept)
    return Mix(text.strip(), names, tuple(parts), chosen, how, tuple(best[i] for i in kept), low)


def _weights(said: str, text: str, several: Several) -> dict[str, float]:
    found = dict.fromkeys(several.names, 1.0)
    for part in filter(None, (one.strip() for one in said.split(","))):
        name, _, number = (one.strip() for one in part.rpartition("="))
        if name not in found:
            raise OptionError(f"'{text}': {unknown(several.role, name or number, several.names)}")
        try:
            found[name] = float(number)
        except ValueError:
            raise OptionError(f"'{text}': the weight of {name} is a number, got '{number}'.") from None
    if not all(math.isfinite(w) and w >= 0 for w in found.values()) or not any(found.values()):
        raise OptionError(f"'{text}': weights are numbers from 0 on, and one at least is above 0.")
    return found


def _best(response: str, text: str, several: Several, low: bool) -> Sequence[float]:
    """Return the best that was measured of each application."""
    if any((response, name) not in several.best for name in several.names):
        raise OptionError(
            f"'{text}': a slow-down is of what was measured, one of: {', '.join(several.responses)}. "
            f"Take such a response alone, or {WORST} for formulas."
        )
    found = [several.best[response, name][0 if low else 1] for name in several.names]
    if min(found) <= 0:
        raise OptionError(f"'{text}': a slow-down needs values above 0, got {min(found):g}. Take {WORST}.")
    return found
