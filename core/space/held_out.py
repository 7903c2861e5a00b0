"""How a model errs, learnt from trials held out: how far predictions lie off, and how errors go together."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import poch, stdtr

from core.codec import FloatArray, Frozen, IntArray
from core.execution.execute import execute_where_it_pays
from core.grouped import all_but
from core.models.forest import resampled
from core.progress import Progress, silent
from core.scale import ResponseScale
from core.space.joint import NORMAL, Doubt, Errors, about, on_scale, told
from core.space.plans.base import Fit
from core.trial import Frame

_TREES = 100
_PAIRS, _MOST_ROWS = 3000, 4000
_TAILS = (3.0, 10.0, NORMAL)
_LIKELY, _SPREAD = (-1.0, -4.0), 3.0
"""Logarithms of `shared` and of `alone` (over the response's variance) where little is known, and their deviation."""
_LEAST_ENDS = 10
"""Trials at least by which the errors of what is predicted lowest, or highest, are known."""
_LEAST = 1e-4
"""Share of the variance of the response that no difference is known better than."""


class Cells(Frozen):
    """Which application and which design each trial is of, as numbers, arrays of shape (n_trials,)."""

    application: IntArray
    design: IntArray

    def take(self, rows: IntArray) -> "Cells":
        """Return those of some trials."""
        return Cells(self.application[rows], self.design[rows])


def held_out(
    fit: Fit, frames: Sequence[Frame], rows: Sequence[IntArray], tests: Sequence[IntArray], progress: Progress = silent
) -> FloatArray:
    """Return what models of frames say of trials that they have not seen, in the response's unit, shape (n_trials,).

    Parameters
    ----------
    rows : per frame, which of the trials it holds; each is in one frame
    tests : the trials that are held out together
    """
    inside = [(k, np.flatnonzero(np.isin(own, test))) for k, own in enumerate(rows) for test in tests]
    tasks = [(k, places) for k, places in inside if len(places)]
    said = np.full(sum(map(len, rows)), np.nan)

    def keep(i: int, values: FloatArray) -> None:
        k, places = tasks[i]
        said[rows[k][places]] = values

    execute_where_it_pays(_without, tasks, (fit, frames), on_result=keep, progress=progress)
    return said


def _without(shared: tuple[Fit, Sequence[Frame]], task: tuple[int, IntArray], progress: Progress) -> FloatArray:
    """Return what is said of some trials of a frame by what was learnt from its others, in any process."""
    fit, frames = shared
    k, test = task
    model = fit(frames[k].take(all_but(len(frames[k]), test)), progress)
    return model.predict(model.rows(frames[k].take(test))).value


def learn_doubt(
    frame: Frame,
    scale: ResponseScale,
    tests: Sequence[IntArray],
    said: FloatArray | None,
    cells: Cells | None,
    seed: int,
) -> Doubt:
    """Return what a model's errors are like, from trials that it has not seen.

    Parameters
    ----------
    tests : the trials that were held out together
    said : what the model said of them, in the response's unit; the trees themselves are the model if None
    cells : of the trials, where there are several applications; only designs of one are compared

    Raises
    ------
    FitError
        If there are too few trials.
    """
    z, features = scale.forward(frame.y), told(frame.X, frame.X)
    mean, fold = np.empty(len(z)), np.empty(len(z), dtype=np.int64)
    apart = np.empty((_TREES, len(z)))
    for k, test in enumerate(tests):
        rest = all_but(len(z), test)
        mean[test], apart[:, test] = about(resampled(features[rest], z[rest], _TREES, seed), features[test])
        fold[test] = k
    block = fold if cells is None else fold + len(tests) * cells.application
    own = mean if said is None else on_scale(scale, frame, said)
    known = np.flatnonzero(np.isfinite(own))
    toward = _toward((z - own)[known], (mean - own)[known], block[known])
    mean = own + toward * (mean - own)
    sizes, orders = _likeliest(z[known], mean[known], apart[:, known], block[known], seed)
    alike = 0.0 if cells is None else _alike(cells.take(known), (z - mean)[known], apart[:, known], block[known], sizes)
    trees, centre = resampled(features, z, _TREES, seed), float(mean[known].mean())
    ends = _ends(z[known], centre + sizes.slope * (mean[known] - centre), apart[:, known], sizes)
    return Doubt(frame, scale, trees, sizes, orders, centre, _noise(frame, z), alike, toward, ends)


def _toward(error: FloatArray, trees: FloatArray, block: IntArray) -> float:
    """Return how far measurements lie on the way from the model's predictions to the trees', by least squares.

    Parameters
    ----------
    error, trees : measurements and what trees say, less what the model says, arrays of shape (n_trials,)
    """
    error, trees = _within(error, block), _within(trees, block)
    return float(np.clip((error @ trees) / max(float(trees @ trees), 1e-300), 0.0, 1.0))


def _ends(z: FloatArray, mean: FloatArray, apart: FloatArray, sizes: Errors) -> tuple[float, float]:
    """Return how much more variance than said the errors have of the tenth predicted lowest, and highest."""
    said = sizes.shared * (apart**2).sum(axis=0) + sizes.alone / 2
    more = ((z - mean) ** 2 - said)[np.argsort(mean, kind="stable")]
    k = min(max(_LEAST_ENDS, len(z) // 10), len(z))
    low, high = (max(0.0, _mean(own)) for own in (more[:k], more[len(more) - k :]))
    return low, high


def _within(values: FloatArray, block: IntArray) -> FloatArray:
    """Return values less the means of their blocks."""
    return np.asarray(values - (np.bincount(block, values) / np.maximum(np.bincount(block), 1))[block])


def _alike(cells: Cells, error: FloatArray, apart: FloatArray, block: IntArray, sizes: Errors) -> float:
    """Return the share of the variance of single designs' errors in which the applications of a design agree.

    The mean product of the errors of two applications at one design is what the same trees explain and that share.
    """
    error = _within(error, block)
    key = cells.design * (cells.application.max() + 1) + cells.application
    first = np.unique(key, return_index=True)[1]  # of repeats one
    design, error, apart = cells.design[first], error[first], apart[:, first]
    n = int(design.max()) + 1
    counts = np.bincount(design, minlength=n)
    pairs = float((counts * (counts - 1)).sum())
    if not pairs:
        return 0.0
    found = (np.bincount(design, error, n) ** 2 - np.bincount(design, error**2, n)).sum() / pairs
    together = np.zeros((n, len(apart)))
    np.add.at(together, design, apart.T)
    trees = ((together**2).sum() - (apart**2).sum()) / pairs
    return float(np.clip((found - sizes.shared * trees) / (sizes.alone / 2), 0.0, 1.0))


def _likeliest(z: FloatArray, mean: FloatArray, apart: FloatArray, fold: IntArray, seed: int) -> tuple[Errors, Errors]:
    """Return the errors by which differences within folds are likeliest, and those by which their signs are."""
    rng = np.random.default_rng(seed)
    rows = np.arange(len(z)) if len(z) <= _MOST_ROWS else np.sort(rng.permutation(len(z))[:_MOST_ROWS])
    first, second = (rows[places] for places in np.triu_indices(len(rows), 1))
    pairs = rng.permutation(np.flatnonzero((fold[first] == fold[second]) & (z[first] != z[second])))[:_PAIRS]
    first, second = first[pairs], second[pairs]
    found, said = z[first] - z[second], mean[first] - mean[second]
    apart_by = ((apart[:, first] - apart[:, second]) ** 2).sum(axis=0)
    unit = float(np.var(z)) or 1.0

    def deviation(theta: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(np.exp(theta[0]) * apart_by + (np.exp(theta[1]) + _LEAST) * unit))

    def far(theta: FloatArray, tails: float) -> float:
        wide = deviation(theta)
        return _mean(np.log(wide)) - _mean(_log_density((found - theta[2] * said) / wide, tails))

    def wrong(theta: FloatArray, tails: float) -> float:
        # a design is in many pairs: together these tell no more than there are designs
        unlikely = ((theta - _LIKELY) ** 2).sum() / (2 * _SPREAD**2 * len(rows))
        return float(unlikely - _mean(_log_share_below(np.sign(found) * said / deviation(theta), tails)))

    sizes, _ = _least(far, [0.0, -3.0, 1.0], _TAILS)
    orders, tails = _least(wrong, _LIKELY, _TAILS)
    return (
        Errors(np.exp(sizes[0]), (np.exp(sizes[1]) + _LEAST) * unit, float(np.clip(sizes[2], 0.0, 1.5))),
        Errors(np.exp(orders[0]), (np.exp(orders[1]) + _LEAST) * unit, tails=tails),
    )


def _mean(values: FloatArray) -> float:
    """Return the mean, 0 of none: of five designs each is a fold, and none is compared."""
    return float(values.sum() / max(len(values), 1))


def _log_density(x: FloatArray, tails: float) -> FloatArray:
    """Return the logarithm of Student's density, as scipy.stats does, which takes ten times as long."""
    at_0 = np.log(poch(0.5 * tails, 0.5)) - 0.5 * (np.log(tails) + np.log(np.pi))
    return np.asarray(at_0 - (tails + 1) / 2 * np.log1p(x * x / tails))


def _log_share_below(x: FloatArray, tails: float) -> FloatArray:
    """Return the logarithm of Student's distribution function."""
    beyond = stdtr(tails, -np.abs(x))
    with np.errstate(divide="ignore"):
        return np.where(x < 0, np.log(beyond), np.log1p(-beyond))


def _least(
    value: Callable[[FloatArray, float], float], start: Sequence[float], among: Sequence[float]
) -> tuple[FloatArray, float]:
    """Return where a value is least, and with which tails."""
    from scipy.optimize import minimize

    tried = [
        (minimize(value, np.array(start), (tails,), "Nelder-Mead", options={"maxiter": 150}), tails) for tails in among
    ]
    best, tails = min(tried, key=lambda one: float(one[0].fun))
    found: FloatArray = best.x
    return found, tails


def _noise(frame: Frame, z: FloatArray) -> float:
    """Return the variance of one measurement among repeats of a configuration."""
    places, block = np.unique(frame.configuration, return_inverse=True)
    return float((_within(z, block) ** 2).sum() / max(len(z) - len(places), 1))
