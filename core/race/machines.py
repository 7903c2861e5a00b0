"""Which machine is best for some workloads: measured where they ran, else predicted, with joint uncertainty."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, OptionError
from core.grouped import all_but
from core.progress import Progress, part, silent
from core.race.workloads import Across, Workloads, learn, workloads
from core.registry import unknown
from core.texts import ranked
from core.trial import Frame

TOTAL, GEOMEAN = GOALS = ("total", "geomean")
_MOST = 1e100
"""Of a weight or price: of larger ones sums are too large to be numbers."""
DRAWS, FOLDS = 4000, 5


class Trust(Frozen):
    """How far predictions were off on applications held out (workloads of an only one), against what was believed.

    Attributes
    ----------
    scale : factor of the believed deviations
    alike, own : share of the error's variance that all held-out workloads have in common on a machine, and that those
        of one application have in common besides
    error : mean |ln(predicted / measured)|
    n : predictions
    """

    scale: float
    alike: float
    own: float
    error: float
    n: int


class Standing(Frozen):
    """A machine among others.

    Attributes
    ----------
    value, low, high : the goal there, and its 90 % interval
    best : probability that it is the best
    n_measured : of the workloads, those that ran there
    cost, cheapest : what the workloads cost there, and the probability that it is least; NaN without a price
    """

    machine: str
    value: float
    low: float
    high: float
    best: float
    n_measured: int
    cost: float = float("nan")
    cheapest: float = float("nan")


class Ranking(Frozen):
    """Machines for some workloads, the most probably best first.

    Attributes
    ----------
    beats : array of shape (n_machines, n_machines), probability that the row's machine beats the column's
    runs : workload, machine and share of the doubt between the two first that a run of it would take away
    """

    goal: str
    more: bool
    applications: tuple[str, ...]
    n_workloads: int
    standings: tuple[Standing, ...]
    beats: FloatArray
    trust: Trust
    runs: tuple[tuple[str, str, float], ...]

    @property
    def cheapest(self) -> Standing | None:
        """The machine that is most probably the cheapest; None without prices."""
        priced = [s for s in self.standings if np.isfinite(s.cheapest)]
        return max(priced, key=lambda s: s.cheapest) if priced else None


def rank(
    frame: Frame,
    applications: Sequence[str] = (),
    *,
    weights: Mapping[str, float] | None = None,
    prices: Mapping[str, float] | None = None,
    goal: str = "",
    more: bool = False,
    seed: int = 0,
    progress: Progress = silent,
) -> Ranking:
    """Rank machines for the workloads of some applications; all of them if none are named.

    Parameters
    ----------
    weights : of applications, 1 where not named: how often each runs
    prices : per unit of the response of machines, for a cost
    goal : the weighted sum of responses, or their weighted geometric mean; the latter if "" and more is better
    more : whether more is better, as of a throughput

    Raises
    ------
    FitError
        If machines cannot be compared.
    OptionError
        If an application or a machine is unknown, a weight or price not above 0, or prices are of a rate.
    """
    goal = goal or (GEOMEAN if more else TOTAL)  # a sum of rates is no rate of anything
    found = workloads(frame)
    asked = tuple(applications) or tuple(sorted(set(found.applications)))
    _check(asked, found.applications, "application")
    _check(weights or {}, asked, "application")
    _check(prices or {}, found.machines, "machine")
    if any(not 0 < v <= _MOST for v in [*(weights or {}).values(), *(prices or {}).values()]):
        raise OptionError(f"Weights and prices are numbers above 0, up to {_MOST:g}.")
    if more and prices:
        raise OptionError(
            f"A price is what one unit of {frame.response.name} costs, and of that more is better: the slowest machine "
            "would be the cheapest. Give a time or an energy as the response, or no price."
        )
    rows = found.rows_of(asked)
    trust = held_out(found, rows, part(progress, 0.0, 0.8))
    learnt = learn(found.Z, found.noise, found.X)
    weight = np.array([(weights or {}).get(found.applications[i], 1.0) for i in rows])
    drawn = draws(learnt, found, rows, trust, seed)
    values, sign = _goal(drawn, weight, goal), -1.0 if more else 1.0
    best, beats = _chances(sign * values)
    every = _standings(found.machines, values, best, np.isfinite(found.Z[rows]).sum(axis=0), prices or {})
    order = sorted(range(len(every)), key=lambda j: (-best[j], sign * every[j].value, found.machines[j]))
    runs = _runs(found, rows, drawn, weight, goal, order[:2])
    standings = tuple(every[j] for j in order)
    return Ranking(goal, more, asked, len(rows), standings, beats[np.ix_(order, order)], trust, runs)


def _check(names: Sequence[str] | Mapping[str, float], known: Sequence[str], noun: str) -> None:
    for name in names:
        if name not in known:
            raise OptionError(unknown(noun, name, sorted(set(known))))


def _goal(drawn: FloatArray, weight: FloatArray, goal: str) -> FloatArray:
    """Return the goal on each machine of each draw, of draws of shape (n_draws, n_workloads, n_machines)."""
    if goal == TOTAL:
        return np.asarray(np.einsum("w,dwm->dm", weight, np.exp(drawn)))
    return np.asarray(np.exp(np.einsum("w,dwm->dm", weight / weight.sum(), drawn)))


def draws(learnt: Across, found: Workloads, rows: IntArray, trust: Trust, seed: int) -> FloatArray:
    """Return what the logarithms may be, array of shape (n_draws, n_workloads, n_machines): they err together."""
    means, covariances = learnt.told(found.Z[rows], found.noise[rows], found.X[rows])
    values, vectors = np.linalg.eigh(covariances)
    roots = np.einsum("wij,wj,wkj->wik", vectors, np.sqrt(np.maximum(values, 0.0)), vectors)
    scale = np.where(np.isfinite(found.Z[rows]), 1.0, trust.scale)
    rng, m = np.random.default_rng(seed), len(found.machines)
    applications, of = np.unique([found.applications[i] for i in rows], return_inverse=True)
    alike, own, alone = np.sqrt([trust.alike, trust.own, max(1 - trust.alike - trust.own, 0.0)])
    result = np.empty((DRAWS, len(rows), m))
    for block in row_blocks(DRAWS, len(rows) * m):
        errors = rng.standard_normal((len(result[block]), 1 + len(applications) + len(rows), m))
        common, shared, single = np.split(errors, [1, 1 + len(applications)], axis=1)
        error = alike * common + own * shared[:, of] + alone * single
        result[block] = means + scale * np.einsum("wmk,dwk->dwm", roots, error)
    return result


def held_out(found: Workloads, rows: IntArray, progress: Progress = silent) -> Trust:
    """Return how far predictions are off where, of applications held out, only some machines are known.

    Those are the machines that some workload asked for ran on alone, in the way that most of these did.
    """
    known = _usual(np.isfinite(found.Z[rows]))
    if known.all():
        return Trust(1.0, 0.0, 0.0, float("nan"), 0)
    _check_linked(found)
    of = ranked(found.applications if len(set(found.applications)) > 1 else found.names)
    order = np.random.default_rng(0).permutation(of.max() + 1)
    scores, errors = np.full_like(found.Z, np.nan), []
    n = min(FOLDS, len(order))
    for k in range(n):
        progress(k / n, f"fold {k + 1} of {n}")
        test = np.flatnonzero(np.isin(of, order[k::n]))
        score, error = _tested(found, test, known)
        scores[test] = score
        errors.append(error[np.isfinite(error)])
    if not np.isfinite(scores).any():
        raise FitError(
            "Too few workloads were measured on several machines to try predictions on some that are held out. "
            "Measure more of them on all machines, or leave machines out (--where machine!=NAME)."
        )
    off = np.concatenate(errors)
    z = scores[np.isfinite(scores)]
    scale = float(np.sqrt((z**2).mean()))
    alike, own = _shares(scores / max(scale, 1e-12), found.applications)
    return Trust(scale, alike, own, float(np.abs(off).mean()), len(off))


def _check_linked(found: Workloads) -> None:
    """Raise FitError where no workload, nor a chain of them, leads from some machines to the others."""
    from scipy.sparse.csgraph import connected_components

    measured = np.isfinite(found.Z).astype(np.float64)
    side = connected_components(measured.T @ measured, directed=False)[1]
    if side.any():
        one, other = (", ".join(np.array(found.machines)[own]) for own in (side == 0, side > 0))
        raise FitError(
            f"No workload ran on one of {one} and on one of {other}, so that these cannot be compared. "
            "Measure some on both, or leave the machines of one side out (--where machine!=NAME)."
        )


def _usual(measured: np.ndarray) -> np.ndarray:
    """Return where most of the workloads that lack a machine ran; all machines where none lacks one."""
    lacking = measured[~measured.all(axis=1)]
    if not len(lacking):
        return np.ones(measured.shape[1], dtype=bool)
    patterns, counts = np.unique(lacking, axis=0, return_counts=True)
    return np.asarray(patterns[counts.argmax()])


def _tested(found: Workloads, test: IntArray, known: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Return standard scores and errors of what was hidden of some workloads, NaN elsewhere."""
    seen = np.where(known, found.Z[test], np.nan)
    able = np.isfinite(seen).any(axis=1)
    train = all_but(len(found.names), test)
    train = train[np.isfinite(found.Z[train]).any(axis=1)]
    shape = found.Z[test].shape
    scores, errors = np.full(shape, np.nan), np.full(shape, np.nan)
    if not able.any() or not np.isfinite(found.Z[train]).any(axis=0).all():
        return scores, errors
    learnt = learn(found.Z[train], found.noise[train], found.X[train])
    means, covariances = learnt.told(seen[able], found.noise[test][able], found.X[test][able])
    deviation = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2) + found.noise[test][able])
    errors[able] = np.where(known, np.nan, means - found.Z[test][able])
    scores[able] = errors[able] / deviation
    return scores, errors


def _shares(scores: FloatArray, applications: Sequence[str]) -> tuple[float, float]:
    """Return the mean product of two workloads' scores on a machine: of all applications, and what more of one.

    Products of pairs are squares of sums, of an application and of all, less squares of what is in them.
    """
    of = ranked(applications)

    def pairs(values: FloatArray) -> tuple[float, float]:
        own = np.zeros((of.max() + 1, values.shape[1]))
        np.add.at(own, of, values)
        every, inside = float((own.sum(axis=0) ** 2).sum()), float((own**2).sum())
        return every - inside, inside - float((values**2).sum())

    sums = zip(pairs(np.nan_to_num(scores)), pairs(np.isfinite(scores).astype(np.float64)), strict=True)
    apart, within = (min(max(total / n, 0.0), 1.0) if n else None for total, n in sums)
    alike = apart or 0.0
    return alike, max(within - alike, 0.0) if within is not None else 0.0


def _standings(
    machines: Sequence[str], values: FloatArray, best: FloatArray, measured: IntArray, prices: Mapping[str, float]
) -> list[Standing]:
    """Return how machines stand, in their own order, by the goal on each of them in each draw."""
    rates = np.array([prices.get(name, np.nan) for name in machines])
    priced, cheapest = np.flatnonzero(np.isfinite(rates)), np.full(len(rates), np.nan)
    if len(priced):
        cheapest[priced] = _chances((values * rates)[:, priced])[0]
    middle, low, high = np.quantile(values, [0.5, 0.05, 0.95], axis=0)
    told = (v.tolist() for v in (middle, low, high, best, measured, middle * rates, cheapest))
    return [Standing(*one) for one in zip(machines, *told, strict=True)]


def _chances(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how probably each column is the least, and less than each other; ties share."""
    least = values == values.min(axis=1, keepdims=True)
    best = (least / least.sum(axis=1, keepdims=True)).mean(axis=0)
    less = values[:, :, None] < values[:, None, :]
    same = values[:, :, None] == values[:, None, :]
    return best, np.asarray((less + 0.5 * same).mean(axis=0))


def _runs(
    found: Workloads, rows: IntArray, drawn: FloatArray, weight: FloatArray, goal: str, first: Sequence[int]
) -> tuple[tuple[str, str, float], ...]:
    """Return the runs of the two first machines that take most of the doubt between them, with their shares of it."""
    if len(first) < 2:
        return ()
    parts = drawn[:, :, first]
    each = weight[None, :, None] * (np.exp(parts) if goal == TOTAL else parts)
    whole = (each[:, :, 0] - each[:, :, 1]).sum(axis=1)
    variance = float(whole.var())
    told = []
    for k, column in enumerate(first):
        for i, row in enumerate(rows):
            if np.isnan(found.Z[row, column]) and variance > 0:
                own = each[:, i, k]
                share = float(np.corrcoef(own, whole)[0, 1] ** 2) if own.std() > 0 else 0.0
                told.append((found.names[row], found.machines[column], share))
    return tuple(sorted(told, key=lambda run: (-run[2], run[0], run[1])))
