"""Criteria that weigh how well a linear model fits against how many terms it has: AIC, AICc, BIC, EBIC."""

import math

from core.frozen import Frozen

CRITERIA = ("aic", "aicc", "bic", "ebic")
AIC, AICC, BIC, EBIC = CRITERIA


class Criterion(Frozen):
    """One of the criteria, for models of the same trials.

    With k terms beside the intercept and e = k + 1 coefficients, all up to the same constant, which
    is that of R's `extractAIC`:

    - aic: n·log(RSS / n) + 2e
    - aicc: aic + 2(e + 1)(e + 2) / (n - e - 2), which counts the variance of the noise too
    - bic: n·log(RSS / n) + log(n)·e
    - ebic: bic + 2·log C(pool, min(k, pool/2)), the number of models of this size; more than half of
      the pool is not made cheaper again, so that a selection that starts with all columns can leave them

    Attributes
    ----------
    n : trials
    pool : columns that could become terms
    least : residual sum of squares under which a model explains everything, and smaller is no better
    log_unit : logarithm of the unit of sums of squares

    References
    ----------
    Akaike 1974; Hurvich, Tsai 1989; Schwarz 1978; Chen, Chen 2008, Extended Bayesian information
    criteria for model selection with large model spaces, with γ = 1.
    """

    name: str
    n: int
    pool: int
    least: float = 0.0
    log_unit: float = 0.0

    def value(self, rss: float, terms: int) -> float:
        """Return the criterion; infinity where no degree of freedom is left to estimate the noise.

        Parameters
        ----------
        rss : residual sum of squares
        terms : of the model, without the intercept
        """
        e = terms + 1
        if self.n - e < 1 or (self.name == AICC and self.n - e - 2 < 1):
            return math.inf
        return self.n * math.log(max(rss, self.least, 1e-300) / self.n) + self.n * self.log_unit + self._penalty(e)

    def _penalty(self, e: int) -> float:
        if self.name == AIC:
            return 2.0 * e
        if self.name == AICC:
            return 2.0 * e + 2.0 * (e + 1) * (e + 2) / (self.n - e - 2)
        bic = math.log(self.n) * e
        n, k = self.pool, min(e - 1, self.pool // 2)
        choices = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return bic if self.name == BIC else bic + 2 * choices
