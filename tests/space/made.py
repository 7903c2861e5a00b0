"""Small design spaces and models made by hand, so that every point can be looked at."""

from collections.abc import Sequence

import numpy as np

from core.models.parts.spline import Axis
from core.models.splines import SplinesModel, SplineTerm
from core.pipeline import ClusterModel, FittedPipeline, Provenance
from core.scale import ResponseScale
from core.space._halves import best_split, factor, make_half
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.sums import Sum
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.domain import learn_domain
from tests.conftest import plain_interval


def grid(*sizes: int, constraints: Sequence[str] = ()) -> DesignSpace:
    """Parameters a, b, c… with levels 1, 2, 4, …"""
    return make_space(
        [Parameter(chr(97 + i), tuple(2.0**k for k in range(n))) for i, n in enumerate(sizes)], constraints
    )


def every(space: DesignSpace) -> np.ndarray:
    """All allowed codes, by brute force."""
    codes = space.codes(np.arange(space.n_combinations))
    return codes[space.allowed(codes)]


def pipeline(
    space: DesignSpace, model: SplinesModel, *, scale: str = "log", extrapolation: str = "flag", shrink: int = 0
) -> FittedPipeline:
    """A fitted value around a model of all parameters, trained on all levels but the `shrink` largest of each."""
    n = len(space.parameters)
    ends = [np.sort(p.numbers)[: max(2, len(p.levels) - shrink)] for p in space.parameters]
    return FittedPipeline(
        metrics=tuple(Metric(p.name, Kind.PARAMETER) for p in space.parameters),
        response=Metric("time", Kind.RESPONSE, "s"),
        scale=ResponseScale(scale),
        extrapolation=extrapolation,
        passes=(),
        features=space.names,
        loadings=np.zeros((n, 0)),
        partition=None,
        clusters=(ClusterModel(model, 50),),
        domain=learn_domain(np.array([[e[0] for e in ends], [e[-1] for e in ends]])),
        notes=(),
        provenance=Provenance("made", {}, 0, "0", "", 50),
        interval=plain_interval(0.1, 0.9, 50, "made"),
    )


def spline_model(
    space: DesignSpace, terms: Sequence[tuple[int, ...]], seed: int = 0, *, log: bool = True
) -> SplinesModel:
    """A sum of random spline terms of some parameters."""
    rng = np.random.default_rng(seed)
    axes = []
    for j, p in enumerate(space.parameters):
        x = np.log2(p.numbers) if log else p.numbers
        axes.append(
            Axis(j, log, np.linspace(x.min(), x.max(), min(len(x), 4)) if len(x) > 1 else np.array([x[0], x[0] + 1]))
        )
    chosen = [SplineTerm(t, rng.standard_normal(int(np.prod([axes[a].width for a in t]))) / len(terms)) for t in terms]
    return SplinesModel(0.3, tuple(axes), tuple(chosen), (), (), 50)


def measured(space: DesignSpace, codes: np.ndarray, noise: float = 0.01, seed: int = 0) -> Frame:
    """Trials at some points, whose time is a product of main effects and one interaction."""
    X = space.numbers(codes)
    L = np.log2(X)
    z = 0.5 * L[:, 0] - 0.3 * L[:, 1] ** 2 / 4 + 0.15 * L[:, 0] * L[:, 1]
    y = np.exp(z + noise * np.random.default_rng(seed).standard_normal(len(z)))
    return make_frame(
        X,
        y,
        [Metric(n, Kind.PARAMETER) for n in space.names],
        Metric("time", Kind.RESPONSE, "s"),
        parameters=[repr(tuple(row)) for row in X.tolist()],
    )


def score_all(model: Sum, space: DesignSpace) -> np.ndarray:
    """Return the value of every combination, constraints not counted, in the order of ranks."""
    a = best_split([model], space)
    left, right = make_half(space, a), make_half(space, [i for i in range(len(space.shape)) if i not in a])
    factors = factor(model, left, right)
    sizes = [space.shape[i] for i in (*left.parameters, *right.parameters)]
    grid = (factors.left @ factors.right).reshape(sizes)
    return grid.transpose(np.argsort([*left.parameters, *right.parameters])).ravel()
