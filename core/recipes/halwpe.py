"""HALWPE: the next machine's response from today's counters, by the best of thirteen regressions."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from core.errors import FitError
from core.models import FAMILIES, SELECTIONS
from core.models.base import Family
from core.models.forest import Forest
from core.option import like, option, specs
from core.pipeline import CLAMP, FLAG, FittedPipeline, Pipeline
from core.progress import Progress, part, silent
from core.recipes.base import AS_THEY_ARE, Prepare, Recipe, Treated, unless_auto
from core.recipes.parts.nested import best_of, inner_folds
from core.scale import HELP, RATIO, RAW
from core.trial import Frame
from core.validate.folds import default_folds
from core.validate.scores import score
from core.validate.sharing import Fit

RIDGELINE, PAPER = VARIANTS = ("ridgeline", "paper")
BEST = "best"
MODELS = ("ols", *SELECTIONS[:4], "nnls", *SELECTIONS[4:], "lasso", "nn_lasso", "forest")
"""Section 4, figure 4."""
NONE, RELATIVE = "none", "relative"
CHOOSING_TREES = 100
"""Of the forest where it is to tell how good it is: more trees hardly change its error."""
LEAST_TRIALS = 6
"""So that each half has enough to fit a model to."""


class Halwpe(Recipe):
    """One of the paper's thirteen models, or the one that folds inside the trials find best.

    References
    ----------
    O'Neal, Brisk, Shriver, Kishinevsky 2017, HALWPE: Hardware-Assisted Light Weight Performance
    Estimation for GPUs.
    """

    label = "HALWPE"

    model: str = option(BEST, choices=(BEST, *MODELS)).says(
        "One of the thirteen; best takes the one of smallest error on folds inside the trials"
    )
    variant: str = option(RIDGELINE, choices=VARIANTS).says(
        "paper is section 4 to the letter (the response and the metrics as they are, no weights); ridgeline "
        "models the ratio to the host and errors in percent"
    )
    corrected: bool = option(False, label="Corrected criteria").says(
        "AICc and EBIC in place of AIC and BIC: fewer metrics where there are many for the trials"
    )
    trees: int = like(Forest, "trees", help="Of the random forest")
    response_scale: str = like(Treated, "response_scale", expert=True).says(
        f"In the variant paper auto is raw, and for models of no negative coefficient the ratio; else {HELP}"
    )
    weights: str = option("auto", choices=("auto", NONE, RELATIVE), expert=True).says(
        "relative minimises errors in percent; auto takes that where the response is not on a logarithmic scale"
    )
    extrapolation: str = like(Treated, "extrapolation", expert=True).says(
        "clamp holds each metric at the edge of its trained range and warns, flag lets the sum run on and warns, "
        "refuse gives no prediction; auto is flag in the variant paper and else clamp"
    )
    seed: int = like(Forest, "seed", help="Of the forest's random draws")

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame (section 4)."""
        if self.model == BEST:
            best, note = self._best(frame, part(progress, 0.0, 0.9))
            fitted = replace(self, model=best).fit(frame, part(progress, 0.9, 1.0))
            return replace(fitted, notes=(*fitted.notes, note), provenance=self.provenance(frame))
        treated = self._treated(frame)
        fitted = treated.fit(frame, progress, prepare)
        notes = (*fitted.notes, *_out_of_bag(treated.family, fitted, frame))
        return replace(fitted, notes=notes, provenance=self.provenance(frame))

    def settled(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> Fit | None:
        """Return how it fits with the model that is best on these trials."""
        if self.model != BEST:
            return None
        return partial(replace(self, model=self._best(frame, progress)[0]).fit, prepare=prepare)

    def _best(self, frame: Frame, progress: Progress) -> tuple[str, str]:
        """Return the model of smallest error on inner folds of these trials (4.1, 4.6), and what is said of it."""
        if len(frame) < LEAST_TRIALS:
            raise FitError(
                f"To choose among models on folds inside the trials takes at least {LEAST_TRIALS} trials, got "
                f"{len(frame)}. Import more trials, or choose a model."
            )
        trees = min(self.trees, CHOOSING_TREES)
        entries = {name: replace(self, model=name, trees=trees) for name in MODELS}
        best, tried = best_of(entries, frame, inner_folds(frame, default_folds(frame), self.seed), progress)
        shown = ", ".join(f"{name} {t.error:.4g}" for name, t in tried.items() if np.isfinite(t.error))
        return best, f"models by error on inner folds: {shown}; {best} is used"

    def _treated(self, frame: Frame) -> Treated:
        scale = self._scale(frame)
        own = {spec.name for spec in specs(FAMILIES[self.model])}
        wanted: dict[str, Any] = {"weights": self._weights(scale, frame), "trees": self.trees, "seed": self.seed}
        if self.corrected:
            wanted["criterion"] = "ebic" if self.model.endswith("bic") else "aicc"
        family: Family = FAMILIES[self.model](**{k: v for k, v in wanted.items() if k in own})
        return Treated(
            family=family,
            response_scale=scale,
            metric_scale="raw" if self.variant == PAPER else "auto",
            extrapolation=unless_auto(self.extrapolation, FLAG if self.variant == PAPER else CLAMP),
        )

    def _scale(self, frame: Frame) -> str:
        if self.response_scale != "auto":
            return self.response_scale
        if self.variant == PAPER:
            return RAW
        if FAMILIES[self.model].preparation != AS_THEY_ARE:
            return "auto"
        reference = frame.reference_values
        return RATIO if reference is not None and reference.min() > 0 else RAW

    def _weights(self, scale: str, frame: Frame) -> str:
        plain = scale in (RAW, RATIO) and self.variant == RIDGELINE
        return unless_auto(self.weights, RELATIVE if plain and frame.y.min() > 0 else NONE)


def _out_of_bag(family: Family, fitted: FittedPipeline, frame: Frame) -> tuple[str, ...]:
    """Say E_out of a random forest as the paper has it (section 4); nothing of other families.

    It is no error of held-out applications: relatives of a trial are among those that its trees were grown on.
    """
    X = fitted.rows(frame)
    held = family.out_of_bag(fitted.clusters[0].model, fitted.scores(X))
    if held is None:
        return ()
    mape = score(frame.y, fitted.inverse(held, X)).mape
    if mape is None:
        return ()
    return (f"out-of-bag error (E_out): {mape:.3g} %, with trials of the same application among those learnt from",)
