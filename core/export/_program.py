"""A trained model as a handful of plain operations: what every exporter of code prints."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from core.basis import Expression
from core.codec import FloatArray, Frozen, IntArray
from core.trial import Metric


class Logs(Frozen):
    """Each column on its scale: "raw", "log" (only above 0) or "log1p" (only from 0 on)."""

    scales: tuple[str, ...]


class Round(Frozen):
    """The columns, then products of odd parts of some, then ceil(x_i · x_j / m) · m / (x_i · x_j).

    The odd part of x is x, times a half for each k from 1 to `halvings` with x / 2^k a whole number.
    """

    odd: tuple[tuple[int, ...], ...]
    filled: tuple[tuple[int, int, int], ...]
    halvings: int


class Affine(Frozen):
    """((x - offset) / divisor) @ matrix; parts that are None are left out.

    Attributes
    ----------
    offset, divisor : arrays of shape (n_in,)
    matrix : array of shape (n_in, n_out)
    """

    offset: FloatArray | None = None
    divisor: FloatArray | None = None
    matrix: FloatArray | None = None


Step = Logs | Round | Affine


class Nearest(Frozen):
    """The centre with the smallest Σ((x - offset) / divisor - centre)²; the first of several."""

    offset: FloatArray
    divisor: FloatArray
    centres: FloatArray


class Linear(Frozen):
    """constant + Σ coefficient · x_first · x_second, without the last factor where second is -1."""

    constant: float
    first: IntArray
    second: IntArray
    coefficients: FloatArray

    @property
    def plain(self) -> bool:
        """Whether no term is a product."""
        return bool((self.second < 0).all())


_PRIMITIVES = "x number abs sign log2 asinh root power largest plus minus times over where_zero where_infinite"
PRINTED = frozenset(_PRIMITIVES.split())
"""The primitives of expressions that every printer knows."""


class Function(Frozen):
    """function(u) of one column, u = (x - low) / width + shift; refused where u is below floor.

    Attributes
    ----------
    name, exponent : of the basis function, for formats that have a code for each; exponent of the powers
    expression : what it computes of u
    """

    name: str
    exponent: float
    expression: Expression
    column: int
    low: float
    width: float
    shift: float
    floor: float | None

    @property
    def plain(self) -> bool:
        """Whether u is the column itself."""
        return self.low == 0 and self.width == 1 and self.shift == 0


class Terms(Frozen):
    """constant + Σ coefficient · product of functions."""

    constant: float
    coefficients: FloatArray
    terms: tuple[tuple[Function, ...], ...]


class Curves(Frozen):
    """Piecewise cubic functions of one column, each a polynomial of b = (t - origin) · inverse per piece.

    Attributes
    ----------
    log : whether t is log2 of the column (only above 0), or the column
    breaks : array of shape (n_pieces - 1,), where a piece ends and the next begins
    origin, inverse : arrays of shape (n_pieces,)
    powers : array of shape (n_pieces, n_functions, 4), coefficients of 1, b, b², b³
    """

    column: int
    log: bool
    breaks: FloatArray
    origin: FloatArray
    inverse: FloatArray
    powers: FloatArray


class Surfaces(Frozen):
    """constant + Σ over terms of Σ coefficient · one function of each of the term's axes.

    Attributes
    ----------
    terms : (numbers of axes, coefficients of one dimension per axis)
    """

    constant: float
    axes: tuple[Curves, ...]
    terms: tuple[tuple[tuple[int, ...], FloatArray], ...]


class Levels(Frozen):
    """Covariances of one column with the levels of its training points, of mean zero over the levels.

    With p = (t - low) / span and c(p, q) = (1 - rough) exp(-((p - q) / length)² / 2) + rough [|p - q| < 1e-9]
    it is size² (c(p, level) - share_level · mean over levels of c(p, ·)).

    Attributes
    ----------
    log : whether t is log2 of the column (only above 0), or the column
    places, share : arrays of shape (n_levels,)
    """

    column: int
    log: bool
    low: float
    span: float
    length: float
    rough: float
    size: float
    places: FloatArray
    share: FloatArray


class Additive(Frozen):
    """constant + scale · Σ_i weight_i (Σ_a k_a + pairs · Σ_{a<b} k_a k_b), k_a that of codes[i, a]."""

    constant: float
    scale: float
    pairs: float
    axes: tuple[Levels, ...]
    codes: IntArray
    weights: FloatArray


class Trees(Frozen):
    """The sum of trees from `baseline` on, added in order, or their mean.

    Attributes
    ----------
    mean : whether the sum is divided by the number of trees
    single : whether columns are rounded to single precision before they are compared
    feature : column, or -1 in a leaf; right follows where x > threshold
    """

    baseline: float
    mean: bool
    single: bool
    roots: IntArray
    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    value: FloatArray

    @property
    def depth(self) -> int:
        """Most steps from a root to a leaf."""
        at = np.zeros(len(self.feature), dtype=np.int64)
        for i in np.flatnonzero(self.feature >= 0).tolist():  # children come after their parents
            at[self.left[i]] = at[self.right[i]] = at[i] + 1
        return int(at.max())


class Kernels(Frozen):
    """constant + Σ weight_i k(Σ_j ((x_j - offset_j) / divisor_j - point_ij)²).

    Attributes
    ----------
    rate : s is multiplied by it
    bend : k(s) is (1 + r + bend·r²) exp(-r) - 1 with r = √s, by a series where r < 1 (`departure`); exp(-s) if None
    """

    constant: float
    bend: float | None
    rate: float
    offset: FloatArray
    divisor: FloatArray
    points: FloatArray
    weights: FloatArray


class Roof(Frozen):
    """Σ weight · work / capacity (column -1 is 1), times exp of trees or plus them.

    The trees see the `columns`, the sum (its logarithm where `factor`), and ln((1 + first) / (1 + second)).
    """

    work: IntArray
    capacity: IntArray
    weights: FloatArray
    factor: bool
    columns: IntArray
    first: IntArray
    second: IntArray
    trees: Trees


LEAST, MOST = 0.5 - 1e-9, 0.5 + 1e-9
"""Shares of a blend's weight between which it counts as half, as in `core.blend`."""


class Blend(Frozen):
    """Predictions of several programs as one number, on the scale of the whole; see `core.blend.mixed`.

    A member that refuses, or whose prediction is not positive where a logarithm of it is taken, is left out.

    Attributes
    ----------
    columns : per member, the numbers of its metrics
    weights : array of shape (n_members,), positive
    sum : whether it is Σ weight · prediction, scaled up for those left out; else the weighted mean
    bound : the most that a member counts as away from the weighted median, infinite for none
    log : whether the mean is of logarithms, and the sum's logarithm is taken
    """

    members: tuple["Program", ...]
    columns: tuple[IntArray, ...]
    weights: FloatArray
    sum: bool
    bound: float
    log: bool


Node = Linear | Terms | Surfaces | Additive | Trees | Kernels | Roof | Blend


class Reach(Frozen):
    """Where the training trials were.

    Attributes
    ----------
    low, high : arrays of shape (n_metrics,); beyond them by more than `room` a row is out of range
    centre, directions, furthest : a row of numbers is far if |directions @ (x - centre)|² is above furthest;
        there may be no directions
    """

    low: FloatArray
    high: FloatArray
    room: FloatArray
    centre: FloatArray
    directions: FloatArray
    furthest: float


class Carry(Frozen):
    """Columns beyond whose trained range the output goes on as inside, arrays of shape (n_columns,).

    z is z(edge) + (z(edge) - z(back)): at the edge each of the columns is held within `below` and `above`, and of one
    that is thereby changed `back` is edge · edge / x where `low` and x are above 0, else 2 · edge - x, held within
    `low` and `high`.

    Attributes
    ----------
    low, high : the trained range
    below, above : where the output goes on: `low` and `high`, or infinite
    """

    columns: IntArray
    low: FloatArray
    high: FloatArray
    below: FloatArray
    above: FloatArray


class Span(Frozen):
    """What the model of a cluster is asked of where it refuses: columns, and outputs before they are held."""

    low: FloatArray
    high: FloatArray
    least: float
    most: float


class Band(Frozen):
    """half = widths[cluster] · interp(difficulty, knots, factors), on the model's scale.

    Attributes
    ----------
    by : "none" (factor 1), "leverage" or "prediction"
    """

    widths: FloatArray
    by: str
    knots: FloatArray
    factors: FloatArray
    nominal: float


class Program(Frozen):
    """A trained model, lowered.

    A row has no prediction where a metric is not finite; where, if `refuse`, it is outside the reach; or where the
    reference is not above 0. Otherwise: metrics are held (`clamp`); each step makes the next columns, and where one of
    them is not finite there is no prediction, whether or not a model looks at it; the nearest centre is the cluster;
    its model gives z, which has to be within its span (`spans`) and is held within its bounds; the way back gives the
    value, which has to be finite, and with z ± half the ends, which are told if they are finite and the value between.

    Attributes
    ----------
    clamp : whether metrics are held at low and high before the steps
    refuse : whether there is no prediction outside the reach
    models : the different ones; `model_of` says per cluster which
    bounds : per cluster the smallest and the largest output of its model, infinite where it runs on
    spans : per cluster the lowest and the highest columns that its model is asked of, arrays of shape (n_columns,), and
        the least and the most that it may say before it is held; None where everything is asked
    log, relative, reference, factor, power : the way back: factor · ((exp of) z (· x_reference))^power
    carry : how the output goes on beyond the trained range; None where it does not
    """

    metrics: tuple[Metric, ...]
    response: Metric
    clamp: bool
    refuse: bool
    reach: Reach
    steps: tuple[Step, ...]
    nearest: Nearest | None
    models: tuple[Node, ...]
    model_of: tuple[int, ...]
    bounds: tuple[tuple[float, float], ...]
    spans: tuple[Span, ...] | None
    log: bool
    relative: bool
    reference: int
    factor: float
    power: float
    band: Band | None
    carry: Carry | None
    title: str

    @property
    def holds(self) -> bool:
        """Whether the output of a model is held within bounds."""
        return any(np.isfinite(edge) for pair in self.bounds for edge in pair)

    @property
    def n(self) -> int:
        """How many metrics a prediction takes."""
        return len(self.metrics)


def power(u: str, exponent: float, one: str, general: str) -> str:
    """Return u^exponent in a language with quotients and `sqrt`; the common exponents without its general power."""
    common = {
        -2.0: f"({one} / ({u} * {u}))",
        -1.0: f"({one} / {u})",
        -0.5: f"({one} / sqrt({u}))",
        0.5: f"sqrt({u})",
        1.0: u,
        2.0: f"({u} * {u})",
    }
    return common.get(exponent, general)


def plain_program(program: Program) -> dict[str, Any]:
    """Return what evaluating needs as dicts, lists and numbers; operations have a `kind`."""
    left_out = {"metrics", "response", "title"}
    return {f.name: _plain(getattr(program, f.name)) for f in fields(program) if f.name not in left_out}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Program):
        return plain_program(value)
    if isinstance(value, Expression):
        return value.plain()
    if is_dataclass(value):
        named = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        return {"kind": type(value).__name__.lower(), **named}
    return value
