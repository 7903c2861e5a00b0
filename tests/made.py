"""Numbers that R and Python make alike, so that golden values need no data files."""

import numpy as np

from core.store import Store


def uniform(n: int, seed: int) -> np.ndarray:
    """A small linear congruential generator, exact in floating point.

    In R:
    > lcg <- function(n, seed) { x <- seed; out <- numeric(n)
    >   for (i in 1:n) { x <- (75 * x + 74) %% 65537; out[i] <- x / 65537 }; out }
    """
    x, out = seed, np.empty(n)
    for i in range(n):
        x = (75 * x + 74) % 65537
        out[i] = x / 65537
    return out


def matrix(n: int, p: int, seed: int) -> np.ndarray:
    """In R: matrix(lcg(n * p, seed), n, p, byrow = TRUE)."""
    return uniform(n * p, seed).reshape(n, p)


def regression(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """In R: X <- make(n, p, k); y <- 3*X[,1] - 2*X[,2]*X[,3] + X[,p]^2 + 0.3*lcg(n, 100 + k)."""
    X = matrix(n, p, k)
    return X, 3 * X[:, 0] - 2 * X[:, 1] * X[:, 2] + X[:, p - 1] ** 2 + 0.3 * uniform(n, 100 + k)


def jobs_of(store: Store) -> list[tuple[str, str, str]]:
    """Return (kind, title, state) of the jobs that a database tells of, newest first."""
    found = store._connection.every("SELECT kind, title, state FROM job ORDER BY started DESC, id")
    return [(kind, title, state) for kind, title, state in found]
