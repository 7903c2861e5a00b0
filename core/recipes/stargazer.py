"""Stargazer: stepwise natural cubic splines of design parameters and their interactions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from core.codec import FloatArray
from core.errors import OptionError
from core.models.base import Model
from core.models.parts.spline import AUTO as BY_LEVELS
from core.models.parts.spline import EVEN
from core.models.parts.spline import ORIGINAL as ORIGINAL_SPACING
from core.models.parts.splines_search import ABSOLUTE, AIC, AICC, RELATIVE
from core.models.parts.story import Limits
from core.models.splines import Splines
from core.option import like, option
from core.pipeline import FLAG, FittedPipeline, Pipeline
from core.progress import Progress, silent
from core.recipes.base import Prepare, Recipe, Treated, unless_auto
from core.recipes.parts.nested import smallest_squared_error
from core.scale import HELP
from core.trial import Frame
from core.validate.folds import AUTO, FoldPlan, asks_for_new, question_of

RIDGELINE, PAPER, ORIGINAL = VARIANTS = ("ridgeline", "paper", "original")
SHARED = ("theta", "phi", "knots", "level", "order", "max_terms", "target_r2", "weights")
THRESHOLDS = (0.0, 0.0003, 0.001, 0.003, 0.01)
"""What cross-validation chooses θ and φ from."""
_MIXED = 1000
"""New combinations of trained levels that are looked at, at least."""


class Stargazer(Recipe):
    """From some hundred points of a design space to a model of all of it.

    References
    ----------
    Jia, Shaw, Martonosi 2012, Stargazer: Automated Regression-Based GPU Design Space Exploration.
    """

    label = "Stargazer"

    variant: str = option(RIDGELINE, choices=VARIANTS).says(
        "paper is section 5 to the letter (raw response, knots evenly between the outermost levels); "
        "original repeats the authors' program; ridgeline takes logarithms where levels double, and shrinks"
    )
    theta: float = like(Splines, "theta")
    phi: float = like(Splines, "phi")
    choose_thresholds: bool = option(False, label="Choose thresholds by cross-validation").says(
        "Tries five values for both and takes those of smallest squared error on folds inside the trials"
    )
    knots: int = like(Splines, "knots")
    order: int = like(Splines, "order", expert=False)
    fixed: tuple[str, ...] = like(Splines, "fixed", expert=False).says(
        "These terms and no others, without selection, such as simd, blk, simd:blk; empty selects them"
    )
    criterion: str = like(Splines, "criterion").says(
        "What picks the next term: adjusted R² with the thresholds, AIC while it falls (in the variant "
        "ridgeline corrected for few points, as aicc is in all), or the t test"
    )
    level: float = like(Splines, "level")
    max_terms: int = like(Splines, "max_terms")
    target_r2: float | None = like(Splines, "target_r2")
    weights: str = like(Splines, "weights").says(
        "relative weighs each point by 1 / response², for a response on the raw scale"
    )
    response_scale: str = like(Treated, "response_scale", expert=True).says(
        f"In the variants paper and original auto is raw; else {HELP}"
    )
    extrapolation: str = like(Treated, "extrapolation", expert=True).says(
        "flag lets the splines run on as straight lines and warns, clamp holds each parameter at the edge of its "
        "trained range and warns, refuse gives no prediction; auto is flag, and in the variant ridgeline predictions "
        "stay within the trained responses where a new application or machine is asked for, and near them where new "
        "combinations of trained levels are predicted further beyond these than they span"
    )

    groups: str = AUTO

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame (section 5.2, algorithm 1)."""
        if self.choose_thresholds and not self.fixed:
            entries = {f"{t:g}": replace(self, theta=t, phi=t, choose_thresholds=False) for t in THRESHOLDS}
            return smallest_squared_error(self, entries, frame, progress, noun="thresholds")
        pipeline = Pipeline(
            passes=(),
            family=self._family(),
            response_scale=self._scale(),
            extrapolation=unless_auto(self.extrapolation, FLAG),
            response_range=0.0 if self._may_stay else None,
            groups=self.groups,
        )
        prepared = prepare(pipeline, frame)
        if self.fixed:
            used = prepared.features.names
            columns = tuple(text for term in self.fixed for text in _columns(term, frame.names, used))
            pipeline = replace(pipeline, family=replace(self._family(), fixed=columns))
        fitted = pipeline.complete(prepared, self.provenance(frame), progress)
        if not self._may_stay or asks_for_new(frame, self.groups):
            return fitted
        (own,) = fitted.clusters
        if _strays(own.model, prepared.features.X, prepared.z):
            return fitted.with_room(pipeline.room(prepared))
        return replace(fitted, clusters=(replace(own, bounds=None),))

    def asking(self, plan: FoldPlan) -> Self:
        """Return the recipe for what a plan holds out, if predictions may be held by that."""
        return replace(self, groups=question_of(plan)) if self._may_stay and self.groups == AUTO else self

    @property
    def _may_stay(self) -> bool:
        """Whether predictions are held where they cannot be trusted, as nobody says otherwise."""
        return self.variant == RIDGELINE and self.extrapolation == AUTO

    def limits(self) -> Limits:
        """Return the thresholds, where they are known beforehand."""
        own = self._family().limits()
        return replace(own, theta=None, phi=None) if self.choose_thresholds else own

    def is_quick(self, *, few: bool) -> bool:
        """Whether no thresholds are chosen."""
        return not self.choose_thresholds

    @property
    def chosen_by(self) -> str:
        """The criterion that is computed: plain AIC falls without end where columns come to be as many as points."""
        return AICC if self.variant == RIDGELINE and self.criterion == AIC else self.criterion

    @property
    def least_trials(self) -> int:
        """Those of splines."""
        return Splines.least_trials

    def _family(self) -> Splines:
        spacing = {RIDGELINE: BY_LEVELS, PAPER: EVEN, ORIGINAL: ORIGINAL_SPACING}[self.variant]  # 5.3
        shared = {name: getattr(self, name) for name in SHARED}
        stop = RELATIVE if self.variant == ORIGINAL else ABSOLUTE
        shrink = self.variant == RIDGELINE
        return Splines(**shared, spacing=spacing, criterion=self.chosen_by, stop=stop, shrink=shrink)  # 5.4

    def _scale(self) -> str:
        plain = self.variant != RIDGELINE or self.weights != "none"
        return unless_auto(self.response_scale, "raw" if plain else "auto")


def _strays(model: Model, X: FloatArray, z: FloatArray) -> bool:
    """Whether new combinations of trained levels are predicted further from the responses than these span.

    Between few designs products of splines are off by any factor, also where each parameter was trained.
    """
    mixed = np.random.default_rng(0).permuted(np.tile(X, (-(-_MIXED // len(X)), 1)), axis=0)
    return bool((np.abs(2 * model.predict(mixed) - z.min() - z.max()) > 3 * np.ptp(z)).any())


def _columns(term: str, names: Sequence[str], used: Sequence[str]) -> tuple[str, ...]:
    """Return a fixed term as `Splines` takes it, or nothing if a parameter of it never varies."""
    parts = parts_of(term, names)
    if not parts:
        raise OptionError(
            f"The fixed term '{term}' is not made of the metrics here joined by colons; there are: {', '.join(names)}."
        )
    return (":".join(str(used.index(p)) for p in parts),) if all(p in used for p in parts) else ()


def parts_of(term: str, names: Sequence[str]) -> tuple[str, ...]:
    """Split a term into names, which may have colons themselves; nothing if it is not made of them."""
    if term in names:
        return (term,)
    for name in names:
        rest = parts_of(term[len(name) + 1 :], names) if term.startswith(f"{name}:") else ()
        if rest:
            return (name, *rest)
    return ()
