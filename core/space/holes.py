"""Trials as points of a design space, the space that they span, and its holes as constraints that explain them."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.space._constraints import Constraint, nameable
from core.space._holes.evidence import Population, boxes, numbering, population_of
from core.space._holes.rules import Rule, Table, rules_of
from core.space.design_space import DesignSpace, Parameter, make_space
from core.trial import Frame


def on_levels(space: DesignSpace, frame: Frame) -> tuple[IntArray, BoolArray]:
    """Return the trials' codes, shape (n_trials, n_parameters), and which of them stand on levels throughout.

    Raises
    ------
    OptionError
        If the frame lacks a parameter that has more than one level.
    """
    codes = np.zeros((len(frame), len(space.parameters)), dtype=np.int64)
    there = np.ones(len(frame), dtype=bool)
    for j, parameter in enumerate(space.parameters):
        known_by = frame.labels if parameter.categorical else frame.names
        if len(parameter.levels) == 1 and parameter.name not in known_by:
            continue
        found, known = _codes(parameter, frame)
        codes[:, j], there = found, there & known
    return codes, there


def _codes(parameter: Parameter, frame: Frame) -> tuple[IntArray, BoolArray]:
    if parameter.categorical and parameter.name in frame.labels:
        return parameter.places(frame.labels[parameter.name])
    if parameter.name not in frame.names:
        raise OptionError(
            f"The trials have no metric '{parameter.name}', which is a parameter of the design space; "
            f"there are: {', '.join(frame.names[:40])}."
        )
    return replace(parameter, levels=tuple(parameter.numbers)).places(frame.X[:, frame.names.index(parameter.name)])


MOST_LEVELS = 40
"""A metric with more different values counts as continuous."""
_EVEN = 13


def observed_space(frame: Frame, names: Sequence[str] | None = None, title: str = "") -> DesignSpace:
    """Return the space of the levels at which trials were measured; metrics that never vary are left out.

    Of a metric with more than 40 different values at most 13 are levels: those nearest to even steps
    from its smallest to its largest, by the logarithm where they are positive and span more than a decade.

    Raises
    ------
    OptionError
        If no metric varies, or there is no trial.
    """
    chosen = frame if names is None else frame.select(names)
    if not len(chosen):
        raise OptionError("No trial has a value of each of these metrics, so they span no design space. Choose fewer.")
    parameters = [
        Parameter(metric.name, _levels(chosen.X[:, j]), metric.unit)
        for j, metric in enumerate(chosen.metrics)
        if np.ptp(chosen.X[:, j]) > 0
    ]
    if not parameters:
        raise OptionError("No metric of these trials varies, so they span no design space. Choose other metrics.")
    return make_space(parameters, name=title)


def _levels(values: FloatArray) -> tuple[float, ...]:
    levels = np.unique(values)
    if len(levels) <= MOST_LEVELS:
        return tuple(levels.tolist())
    low, high = float(levels[0]), float(levels[-1])
    by_log = low > 0 and high / low > 10
    even = np.geomspace(low, high, _EVEN) if by_log else np.linspace(low, high, _EVEN)
    places = np.clip(np.searchsorted(levels, even), 1, len(levels) - 1)
    near = np.where(even - levels[places - 1] <= levels[places] - even, levels[places - 1], levels[places])
    return tuple(np.unique(near).tolist())


_LARGEST_TABLE = 1 << 17
_CELLS_PER_TRIAL = 4
"""Of four and more parameters, tables with more cells per measured combination tell too little."""
_TRIED = 30.0
"""Rules that are tried per group of parameters, some of them several times."""
_SIZES = (2, 3, 4, 5)
_MOST_REGIONS = 12


class Hole(Frozen):
    """A constraint that every measured combination fulfils.

    Attributes
    ----------
    text : in the grammar of constraints
    n_excluded : combinations of the space that it excludes by itself
    region : whether it is a range without measurements, not an expression that explains them
    """

    text: str
    n_excluded: int
    region: bool = False


class Holes(Frozen):
    """What is known of the combinations of a space that were not measured.

    Attributes
    ----------
    space : the space without the constraints that were inferred
    found : the constraints, in the order in which they were inferred
    n_measured : distinct combinations of levels that were measured
    """

    space: DesignSpace
    found: tuple[Hole, ...]
    n_measured: int

    def constrained(self, dropped: Collection[str] = ()) -> DesignSpace:
        """Return the space with the inferred constraints but some."""
        texts = [hole.text for hole in self.found if hole.text not in dropped]
        known = [c for c in self.space.constraints if c.text not in texts]
        own = (Constraint.parse(text, self.space.names) for text in texts)
        return replace(self.space, constraints=(*known, *own))


def holes_of(space: DesignSpace, frame: Frame) -> Holes:
    """Return the constraints that trials suggest for the space of their levels.

    A constraint is inferred if no measured combination breaks it and so many trials would hardly
    ever miss what it excludes: with probability 0.001 over all rules that were tried, both if the
    combinations had been drawn evenly and if every parameter had been varied on its own. Where
    the constraints leave nothing but what was measured, the first and 3 expected trials are enough.
    Parameters some of whose values are no levels, or that no formula can name, are left out of the search.
    """
    frame = frame.take(np.unique(frame.configuration, return_index=True)[1])  # repeats tell nothing more
    codes, there = on_levels(space, frame)
    varied = [j for j, p in enumerate(space.parameters) if len(p.levels) > 1 and nameable(p.name)]
    kept = [j for j in varied if on_levels(space.part([j], ()), frame)[1].all()]
    n_measured = len(np.unique(space.ranks(codes[there])))
    if len(kept) < 2:
        return Holes(space, (), n_measured)
    part = space.part(kept, ())
    own, on = on_levels(part, frame)
    seen = own[on][np.unique(part.ranks(own[on]), return_index=True)[1]]
    rules = _rules(part, np.asfortranarray(seen))
    beside = space.n_combinations // part.n_combinations
    found = (
        Hole(rule.text, int(rule.forbidden.sum()) * (part.n_combinations // rule.forbidden.size) * beside, region)
        for rule, region in rules
    )
    return Holes(space, tuple(found), n_measured)


def _rules(space: DesignSpace, seen: IntArray) -> list[tuple[Rule, bool]]:
    """Return the rules that hold, and whether each is a region; those that explain everything need less evidence."""
    population = population_of(space, seen)
    if population.complete:
        return []
    candidates = [
        [rule for table in _tables(space, population, seen, size) for rule in rules_of(table)]
        for size in _SIZES
        if size <= len(space.parameters)
    ]
    for strict in (False, True):
        chosen, left = _search(population, candidates, strict)
        if left.complete or strict:
            break
    regions = [] if left.complete else _regions(space, left, seen)
    return [*((rule, False) for rule in _needed(chosen, population)), *((rule, True) for rule in regions)]


def _tables(space: DesignSpace, population: Population, seen: IntArray, size: int) -> Iterator[Table]:
    most = _LARGEST_TABLE if size < 4 else min(_LARGEST_TABLE, _CELLS_PER_TRIAL * len(seen))
    place = numbering(seen, space.shape)
    for group in combinations(range(len(space.parameters)), size):
        shape = tuple(space.shape[j] for j in group)
        if np.prod(shape, dtype=float) <= most:
            measured = np.zeros(shape, dtype=bool)
            measured.ravel()[place(group)] = True
            parameters = tuple(space.parameters[j] for j in group)
            yield Table(parameters, group, measured, population.evidence(group).expected)


def _search(population: Population, candidates: list[list[Rule]], strict: bool) -> tuple[list[Rule], Population]:
    """Take the rule that excludes most, then the one that excludes most of the rest; rules of few parameters first."""
    chosen: list[Rule] = []
    n_candidates = _TRIED * sum(math.comb(len(population.shape), size) for size in _SIZES)
    for rules in candidates:
        left = rules
        while left and not population.complete:
            best, left = _best(population, left, n_candidates, strict)
            if best is None:
                break
            chosen.append(best)
            population = population.without(best)
    return chosen, population


def _best(
    population: Population, rules: list[Rule], n_candidates: float, strict: bool
) -> tuple[Rule | None, list[Rule]]:
    """Return the supported rule that excludes most, and the others that exclude anything."""
    evidence = {group: population.evidence(group) for group in dict.fromkeys(rule.group for rule in rules)}
    ranked = [(evidence[rule.group].gain(rule), rule) for rule in rules]
    # of those that exclude the same, sums last, as they mix units, then the shorter first
    order = [(-gain, " + " in rule.text, len(rule.text), rule.text) for gain, rule in ranked]
    ranked = [ranked[i] for i in sorted(range(len(ranked)), key=order.__getitem__) if ranked[i][0]]
    good = (rule for _, rule in ranked if evidence[rule.group].supports(rule, n_candidates, strict))
    best = next(good, None)
    return best, [rule for _, rule in ranked if rule is not best]


def _needed(chosen: list[Rule], population: Population) -> list[Rule]:
    """Return the rules without those that the others imply; of the later ones first, as they exclude least."""
    places = np.array([population.places(rule) for rule in chosen], dtype=bool)
    kept = list(range(len(chosen)))
    for i in sorted(kept, key=lambda i: int(places[i].sum())):
        others = places[[k for k in kept if k != i]].any(axis=0)
        if not (places[i] & ~others).any():
            kept.remove(i)
    return [chosen[i] for i in kept]


def _regions(space: DesignSpace, population: Population, seen: IntArray) -> Iterator[Rule]:
    """Yield regions without measurements, if most of what is allowed was measured."""
    if population.scale > 1.0 or 2 * population.n_seen < int(population.allowed.sum()):
        return
    n_taken = 0
    for rule, n_possible in boxes(space, population, seen):
        if n_taken < _MOST_REGIONS and population.evidence(rule.group).supports(rule, n_possible, True):
            n_taken += 1
            population = population.without(rule)
            yield rule
