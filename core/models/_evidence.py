"""What Gaussian processes share: how likely a covariance makes what was measured, and the search for the likeliest."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core.codec import FloatArray

Found = tuple[float, FloatArray]
Value = Callable[[FloatArray], Found]
Told = Callable[[], None]

JITTER = 1e-10
"""Added to the noise's variance, so that points that are alike leave the covariance invertible."""
NEVER = 1e10
"""Said of a covariance that cannot be inverted."""


def evidence(K: FloatArray, z: FloatArray) -> tuple[float, FloatArray, FloatArray] | None:
    """Return the negative log likelihood, K⁻¹z, and K⁻¹ with zeros above its diagonal.

    Parameters
    ----------
    K : array of shape (n, n), the covariance of z, used up; None is returned where it cannot be inverted

    References
    ----------
    Rasmussen, Williams 2006, Gaussian Processes for Machine Learning, equations 5.8 and 5.9.
    """
    from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

    factor, failed = dpotrf(K.T, lower=True, overwrite_a=True)
    if failed:
        return None
    half = float(np.log(np.diag(factor)).sum()) + 0.5 * len(z) * np.log(2 * np.pi)
    alpha = dpotrs(factor, z, lower=True)[0]
    return 0.5 * float(z @ alpha) + half, alpha, dpotri(factor, lower=True, overwrite_c=True)[0]


def likeliest(value: Value, start: FloatArray, bounds: FloatArray, told: Told, **limits: int) -> Found:
    """Return the smallest value found from a start (L-BFGS-B), and where.

    Parameters
    ----------
    value : returns the negative log likelihood and its gradient
    bounds : array of shape (n, 2)
    told : called after each iteration
    limits : maxiter, maxfun
    """
    from scipy.optimize import minimize

    options: Any = limits
    box: Any = bounds
    found: Any = minimize(
        value, start, jac=True, method="L-BFGS-B", bounds=box, options=options, callback=lambda _: told()
    )
    return float(found.fun), found.x
