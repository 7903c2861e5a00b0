"""The paper's classifier: a three-layer network from counters to clusters, hundreds of them trained at once."""

from typing import Any

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, hold
from core.threads import HELD

assert HELD  # linear algebra runs on one thread from here on

Single = npt.NDArray[np.float32]

GROW, SHRINK = 1.2, 0.65
"""How a step grows while its gradient keeps its sign, and shrinks when it turns (Riedmiller, Braun 1993)."""
FIRST_STEP, SMALLEST_STEP, LARGEST_STEP = 0.1, 1e-6, 5.0
AT_ONCE = 500_000
"""Hidden and output values that are in memory at a time."""


class Networks(Frozen):
    """Trained networks of one shape: sigmoid(W2 · sigmoid(W1 · x + b1) + b2), one output per cluster.

    Attributes
    ----------
    first : array of shape (n_networks, n_inputs + 1, n_hidden), the last row being the bias b1
    second : array of shape (n_networks, n_hidden + 1, n_clusters), the last row being the bias b2
    loss : array of shape (n_networks,), what training ended with
    """

    first: FloatArray
    second: FloatArray
    loss: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    def outputs(self, X: FloatArray) -> FloatArray:
        """Return every output, between 0 and 1.

        Parameters
        ----------
        X : array of shape (n_networks, n, n_inputs), or (n, n_inputs) for all networks alike

        Returns
        -------
        ndarray of shape (n_networks, n, n_clusters)
        """
        hidden = _sigmoid(X @ self.first[:, :-1] + self.first[:, -1:])
        return np.asarray(_sigmoid(hidden @ self.second[:, :-1] + self.second[:, -1:]))

    def choose(self, X: FloatArray) -> IntArray:
        """Return the cluster with the highest output, array of shape (n_networks, n)."""
        return np.asarray(self.outputs(X).argmax(axis=-1).astype(np.int64))

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Return outputs that sum to 1 over the clusters."""
        raw = self.outputs(X) + 1e-12
        return np.asarray(raw / raw.sum(axis=-1, keepdims=True))

    def check(self, n_inputs: int, n_clusters: int) -> None:
        """Hold the arrays of a file against what they are used for."""
        n, hidden = len(self.first), self.first.shape[-1]
        fits = self.first.shape == (n, n_inputs + 1, hidden) and self.second.shape == (n, hidden + 1, n_clusters)
        fits = fits and self.loss.shape == (n,) and n >= 1
        hold(fits, "The model file does not hold together: its network does not fit its counters.")


def train_networks(
    X: FloatArray, labels: IntArray, n_clusters: int, *, penalty: float = 1e-4, iterations: int = 80, seed: int = 0
) -> Networks:
    """Train one network per leading index of X, all as batched arrays.

    The loss is the cross entropy of each output against "is this the cluster", summed over the
    outputs and averaged over the kernels, plus penalty / (2 n) times the squared weights: what
    scikit-learn's MLPClassifier minimises for one-hot targets. It is minimised over all kernels at
    once by resilient propagation. All networks start from the same weights, so a network does not
    depend on those that are trained beside it.

    Parameters
    ----------
    X : array of shape (n_networks, n_kernels, n_inputs), standardised counters
    labels : array of shape (n_kernels,) or (n_networks, n_kernels), clusters from 0 on; the hidden layer is as wide as
        there are clusters, as in the paper

    Raises
    ------
    FitError
        If a counter is not finite.

    References
    ----------
    Greathouse, Loh 2018, section 4 and figure 6. Igel, Hüsken 2003, Empirical evaluation of the
    improved Rprop learning algorithms (iRprop−).
    """
    if not np.isfinite(X).all():
        raise FitError("A counter is missing or infinite for a kernel, so no network can learn from it.")
    n_networks, n, n_inputs = X.shape
    start = _first_weights(n_inputs, n_clusters, seed)
    targets = (np.atleast_2d(labels)[..., None] == np.arange(n_clusters)).astype(np.float32)
    size = max(1, AT_ONCE // (n * (n_inputs + 3 * n_clusters)))
    parts = []
    for first in range(0, n_networks, size):
        rows = slice(first, first + size)
        inputs = np.concatenate([X[rows], np.ones((*X[rows].shape[:-1], 1))], axis=-1).astype(np.float32)
        parts.append(_train(inputs, targets[rows] if len(targets) > 1 else targets, start, penalty, iterations))
    return Networks(*[np.concatenate([part[i] for part in parts]) for i in range(3)])


def loss_of(networks: Networks, X: FloatArray, labels: IntArray, penalty: float = 1e-4) -> FloatArray:
    """Return what training minimises, array of shape (n_networks,)."""
    out = np.clip(networks.outputs(X), 1e-12, 1 - 1e-12)
    hit = np.atleast_2d(labels)[..., None] == np.arange(out.shape[-1])
    n = out.shape[1]
    entropy = -np.where(hit, np.log(out), np.log1p(-out)).sum(axis=(1, 2)) / n
    squares = (networks.first[:, :-1] ** 2).sum(axis=(1, 2)) + (networks.second[:, :-1] ** 2).sum(axis=(1, 2))
    return np.asarray(entropy + penalty * squares / (2 * n))


def _first_weights(n_inputs: int, n_clusters: int, seed: int) -> tuple[Single, Single]:
    """Draw weights as scikit-learn does for sigmoid layers: uniform within ±sqrt(2 / (fan in + fan out))."""
    rng = np.random.default_rng(seed)
    drawn = []
    for width in (n_inputs, n_clusters):
        bound = np.sqrt(2.0 / (width + n_clusters))
        drawn.append(rng.uniform(-bound, bound, (1, width + 1, n_clusters)).astype(np.float32))
    return drawn[0], drawn[1]


def _train(
    inputs: Single, targets: Single, start: tuple[Single, Single], penalty: float, iterations: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights and losses of some networks; `inputs` end in a column of ones."""
    count, n = inputs.shape[:2]
    weights = [np.repeat(w, count, axis=0) for w in start]
    walks = [_Walk(w) for w in weights]
    decay = np.float32(penalty / n)
    backwards = np.ascontiguousarray(inputs.transpose(0, 2, 1))
    hidden = np.ones((count, n, weights[0].shape[2] + 1), dtype=np.float32)
    for _ in range(iterations):
        hidden[..., :-1] = _sigmoid(np.matmul(inputs, weights[0]))
        out = _sigmoid(np.matmul(hidden, weights[1]))
        out -= targets
        out *= np.float32(1.0 / n)  # ∂loss/∂(input of the output layer) = (output − target) / n
        second = np.matmul(hidden.transpose(0, 2, 1), out)
        back = np.matmul(out, weights[1][:, :-1].transpose(0, 2, 1))
        back *= hidden[..., :-1]
        back *= 1 - hidden[..., :-1]
        first = np.matmul(backwards, back)
        for walk, weight, gradient in zip(walks, weights, (first, second), strict=True):
            gradient[:, :-1] += decay * weight[:, :-1]
            walk.step(weight, gradient)
    networks = Networks(weights[0].astype(np.float64), weights[1].astype(np.float64), np.zeros(count))
    labels = targets.argmax(axis=-1)
    return networks.first, networks.second, loss_of(networks, inputs[..., :-1].astype(np.float64), labels, penalty)


class _Walk:
    """The steps of resilient propagation for one array of weights."""

    def __init__(self, weights: Single) -> None:
        self.size = np.full_like(weights, FIRST_STEP)
        self.before = np.zeros_like(weights)
        self.room = np.empty_like(weights)

    def step(self, weights: Single, gradient: Single) -> None:
        """Move each weight against the sign of its gradient; a turn shrinks the step and waits once.

        Factors are sums of products, because choosing among them costs several times as much.
        """
        turn = np.multiply(self.before, gradient, out=self.room)
        on, back = turn > 0, turn < 0
        factor = np.multiply(on, np.float32(GROW - 1), out=self.room)
        factor += np.float32(1)
        factor -= back * np.float32(1 - SHRINK)
        self.size *= factor
        np.clip(self.size, SMALLEST_STEP, LARGEST_STEP, out=self.size)
        gradient *= ~back
        weights -= np.multiply(np.sign(gradient, out=self.room), self.size, out=self.room)
        self.before = gradient


def _sigmoid(z: Any) -> Any:
    """1 / (1 + exp(−z)) through tanh, which never overflows; the array is used up."""
    z *= 0.5
    np.tanh(z, out=z)
    z += 1
    z *= 0.5
    return z
