"""Every way to choose the points to measure, one file each; and how many."""

import math

from core.errors import OptionError
from core.registry import discover
from core.space.design_space import DesignSpace
from core.space.plans.base import Evidence, PlanMethod

DRAWN = ("latin_hypercube", "representative", "sobol", "uniform")
METHODS = discover("core.space.plans", PlanMethod, "plan method", {"drawn": DRAWN})
ALIASES = {"random": "uniform", "lhs": "latin_hypercube"}

MOST = 5_000_000
"""Points of a plan, which take some 3 GB."""

__all__ = ["ALIASES", "METHODS", "Evidence", "PlanMethod", "count", "find_method"]


def find_method(name: str) -> type[PlanMethod]:
    """Return the method called so; `random` and `lhs` are other names of two."""
    return METHODS.find(ALIASES.get(name, name))


def count(
    space: DesignSpace, number: int | None = None, fraction: float | None = None, per_dimension: float | None = None
) -> int:
    """Return how many points to measure, from whichever of the three is given (section 5.1).

    Parameters
    ----------
    number : the points themselves
    fraction : of the allowed points of the space, rounded
    per_dimension : fraction f of each dimension: as many points as there are in the grid that keeps
        ceil(f · levels) levels of every parameter, times the share of combinations that the constraints allow;
        with d parameters and no rounding that is f to the power of d of the space

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer, section 5.1.

    Raises
    ------
    OptionError
        If not exactly one of them is given, a fraction is not over 0 and at most 1, or there would be too many.
    """
    given = [value for value in (number, fraction, per_dimension) if value is not None]
    if len(given) != 1:
        raise OptionError("Give one of a number of points, a fraction of the space, or a fraction of each dimension.")
    found = number if number is not None else _share(space, given[0], each=per_dimension is not None)
    if MOST < found <= space.n_points:
        raise OptionError(f"A plan has at most {MOST:,} points, and this one would have {found:,}.")
    return found


def _share(space: DesignSpace, share: float, *, each: bool) -> int:
    """Return how many points a share of a space has, or a share of each of its dimensions."""
    if not 0 < share <= 1:
        raise OptionError(f"A fraction must be over 0 and at most 1, got {share:g}.")
    if not each:
        return max(1, round(share * space.n_points))
    grid = math.prod(math.ceil(share * size - 1e-9) for size in space.shape)
    return max(1, round(grid * (space.n_points / space.n_combinations)))
