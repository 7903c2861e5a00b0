"""Outlier tests: repeats of each configuration, judged by what lies among them, do not count where they are far off."""

from abc import abstractmethod

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.curate.base import Judgement, Rule
from core.errors import count
from core.grouped import MAD_CONSTANT, Groups, group
from core.option import option
from core.scale import PLAIN_SCALES
from core.trial import Measured


class OutlierRule(Rule):
    """A test of each value against the other repeats of its configuration, and of no other."""

    scale: str = option("raw", choices=PLAIN_SCALES).says(
        "Scale of the test: log treats twice and half as much alike, for times with a long upper tail"
    )
    min_repeats: int = option(5, low=3, high=1000, label="Fewest repeats").says(
        "Configurations with fewer repeats are not judged; of few repeats, good ones are excluded by chance"
    )

    @abstractmethod
    def test(self, groups: Groups) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Judge the values of groups, all of them of `min_repeats` repeats or more.

        Returns
        -------
        width : array of shape (n_groups,); where it is 0 nothing can be said
        distance : array of shape (n_values,), how far from its reference a value is
        outside : array of shape (n_values,), whether that is too far
        """

    @abstractmethod
    def words(self, far: float) -> str:
        """Say how far a value is outside, such as "9.2 MAD from the median"."""

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Exclude the values that the test finds outside."""
        y = measured.column(response)
        known = self.counted(measured) & np.isfinite(y)
        usable = known & (y > 0) if self.scale == "log" else known
        notes = [_say(int((known & ~usable).sum()), "trial", "no logarithm at or below 0")]
        rows, n_few = _enough(np.flatnonzero(usable), measured.configuration, self.min_repeats)
        notes.append(_say(n_few, "configuration", f"fewer than {self.min_repeats} repeats"))
        if not len(rows):
            return Judgement(notes=tuple(note for note in notes if note))
        groups = group(np.log(y[rows]) if self.scale == "log" else y[rows], measured.configuration[rows])
        width, distance, outside = self.test(groups)
        notes.append(_say(int((width == 0).sum()), "configuration", "most of its repeats are alike"))
        far = np.divide(distance, width[groups.of], out=np.zeros(len(rows)), where=width[groups.of] > 0)
        places = np.flatnonzero(outside & (width[groups.of] > 0))
        found = self._exclusions(measured, response, rows, groups, far, places)
        return Judgement(found, notes=tuple(note for note in notes if note))

    def _exclusions(
        self, measured: Measured, response: str, rows: IntArray, groups: Groups, far: FloatArray, places: IntArray
    ) -> dict[str, str]:
        unit = next(f" {m.unit}" if m.unit else "" for m in measured.metrics if m.name == response)
        y, logs = measured.column(response)[rows], " in logarithms" if self.scale == "log" else ""
        middle = groups.with_values(y).median()[groups.of]
        return {
            measured.ids[rows[i]]: f"{response} {y[i]:.6g}{unit} is {self.words(float(far[i]))}{logs}; "
            f"the median of its {groups.size[groups.of[i]]} repeats is {middle[i]:.6g}{unit}"
            for i in places
        }


class Iqr(OutlierRule):
    """Exclude y below Q1 - k · IQR or above Q3 + k · IQR, within its configuration.

    Quartiles are R's type 7, as `quantile()` gives them. Where the quartiles are alike nothing is
    excluded.

    References
    ----------
    Tukey 1977, Exploratory Data Analysis, section 2C: inner fences at k = 1.5, outer at k = 3.
    """

    label = "Interquartile range"

    k: float = option(1.5, low=0.0, high=1e6, label="Fences (IQR)").says(
        "How many interquartile ranges outside the quartiles a repeat may be; 3 is Tukey's outer fence"
    )

    def test(self, groups: Groups) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Compare values with the fences of their group."""
        low, high, y = groups.quantile(0.25), groups.quantile(0.75), groups.values
        iqr = high - low
        outside = (y < (low - self.k * iqr)[groups.of]) | (y > (high + self.k * iqr)[groups.of])
        return iqr, np.maximum(low[groups.of] - y, y - high[groups.of]), outside

    def words(self, far: float) -> str:
        """Say how far a value is outside."""
        return f"{far:.3g} interquartile ranges outside the quartiles (at most {self.k:g})"


class Mad(OutlierRule):
    """Exclude y where |y - median| > threshold · MAD, within its configuration.

    Where more than half of the repeats are alike the MAD is 0, and nothing is excluded.

    References
    ----------
    O'Neal et al. 2017, HALWPE, section 5: ±7 MAD, found with 100 runs of 10 frames each. Its text
    does not say whether the MAD carries the constant 1.4826; R's `mad()` does, and so does this.
    """

    label = "MAD test"

    threshold: float = option(7.0, low=0.0, high=1e6, label="Threshold (MAD)").says(
        "Repeats further from the median than so many MAD are excluded; less excludes more"
    )
    scaled: bool = option(True, label="MAD carries 1.4826").says(
        "As R's mad(), so that one MAD is one standard deviation of normal noise; off takes the plain MAD, "
        "which excludes more"
    )

    def test(self, groups: Groups) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Compare distances to the median with the MAD."""
        mad, distance = groups.mad(MAD_CONSTANT if self.scaled else 1.0), groups.distance()
        return mad, distance, distance > self.threshold * mad[groups.of]

    def words(self, far: float) -> str:
        """Say how far a value is outside."""
        return f"{far:.3g} MAD from the median (at most {self.threshold:g})"


def _enough(rows: IntArray, configuration: IntArray, least: int) -> tuple[IntArray, int]:
    """Return the rows of configurations with `least` rows or more, and how many configurations have fewer."""
    _, of, size = np.unique(configuration[rows], return_inverse=True, return_counts=True)
    return rows[size[of] >= least], int((size < least).sum())


def _say(n: int, noun: str, what: str) -> str:
    """Return such as "3 configurations not judged: fewer than 5 repeats"; "" for none."""
    return f"{count(n, noun)} not judged: {what}" if n else ""
