"""The MAD test: repeats too many median absolute deviations from the median do not count."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.curate._outliers import OutlierRule, Verdict
from core.grouped import MAD_CONSTANT, Groups
from core.option import option


@dataclass(frozen=True)
class Mad(OutlierRule):
    """Exclude y where |y - median| > threshold · MAD, within its configuration.

    Where more than half of the repeats are alike the MAD is 0, and nothing is excluded.

    References
    ----------
    O'Neal et al. 2017, HALWPE, section 5: ±7 MAD, found with 100 runs of 10 frames each. Its text
    does not say whether the MAD carries the constant 1.4826; R's `mad()` does, and so does this.
    """

    label: ClassVar[str] = "MAD test"

    threshold: float = option(
        7.0,
        low=0.0,
        high=1e6,
        label="Threshold (MAD)",
        help="Repeats further from the median than so many MAD are excluded; less excludes more",
    )
    scaled: bool = option(
        True,
        label="MAD carries 1.4826",
        help="As R's mad(), so that one MAD is one standard deviation of normal noise; off takes the plain MAD, "
        "which excludes more",
    )

    def test(self, groups: Groups) -> Verdict:
        """Compare distances to the median with the MAD."""
        mad = groups.mad(MAD_CONSTANT if self.scaled else 1.0)
        distance, width = groups.distance(), mad[groups.of]
        far = np.divide(distance, width, out=np.zeros(len(distance)), where=width > 0)
        return Verdict((distance > self.threshold * width) & (width > 0), mad == 0, far)

    def words(self, far: float) -> str:
        """Say how far a value is outside."""
        return f"{far:.3g} MAD from the median (at most {self.threshold:g})"
