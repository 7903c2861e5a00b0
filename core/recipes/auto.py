"""Auto: a few entries of different kinds on folds of the question, as one model by how well each does there."""

from collections.abc import Mapping
from dataclasses import replace

from core.blend import Mixture, blend
from core.codec import FloatArray
from core.errors import first_few
from core.option import like, option
from core.pipeline import FittedPipeline, Pipeline
from core.progress import Progress, part, silent
from core.recipes.base import Prepare, Recipe, Treated
from core.recipes.parts.continued import continued
from core.recipes.parts.quick import Member, choosing_folds, drawn, members_of, mixture_of, said_of
from core.trial import Frame
from core.validate.folds import FoldPlan, few_folds, held_out_together, parse_folds


class Auto(Recipe):
    """The model that one gets by choosing nothing.

    Extremely randomised trees, the same on what a linear trend leaves, boosted trees, support vectors, a Gaussian
    process and, of few metrics, a formula learn logarithms of the response and say what they make of held-out groups;
    the weighted mean of all is the model, a weight a power of smallest error over own error, the eighth of many trials.

    References
    ----------
    Wolpert 1992, Stacked generalization (weights from what was held out); Breiman 1996, Stacked regressions.
    """

    label = "Automatic"

    folds: str = option("", label="Question").says(
        "The folds to choose weights on, such as by:application; empty takes the hardest that the trials can "
        "answer: a new application, a new machine, a new configuration"
    )
    trees: int = option(100, low=1, high=2000, help="Of the forest; the boosted one has a fifth more")
    hold: bool = like(Treated, "hold", True)
    raced: int = option(700, low=20, high=20000, label="Trials of the folds", expert=True).says(
        "Weights are chosen on at most so many trials, drawn at random; all of them are learnt from at the end"
    )
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of the folds and all random draws")

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Choose weights on folds inside the trials, then learn every entry that has one from all of them."""
        members = self.members(frame)
        prepare(Pipeline((), members[0].recipe.family), frame)  # refuses what nothing can be learnt from
        some, plan = drawn(frame, self.raced, self.seed), self.plan(frame)
        folds = choosing_folds(some, plan, self.seed)
        known = {member.name: member for member in members}

        def said(name: str, number: int) -> FloatArray:
            progress(0.9 * number / len(folds), f"{name}, fold {number + 1} of {len(folds)}")
            return said_of(known[name], some, folds[number])[0]

        groups, rows = held_out_together(some, plan), [fold.test for fold in folds]
        return self.made(frame, mixture_of(some.y, groups, list(known), rows, said), part(progress, 0.9, 1.0))

    def asking(self, plan: FoldPlan) -> "Auto":
        """Return the recipe for what a plan holds out, unless its question is given."""
        return self if self.folds else replace(self, folds=str(plan))

    def plan(self, frame: Frame) -> FoldPlan:
        """Return the folds of the question that a frame is asked."""
        return parse_folds(self.folds) if self.folds else few_folds(frame)

    def members(self, frame: Frame) -> tuple[Member, ...]:
        """Return the entries that suit a frame."""
        return members_of(frame, self.trees, self.seed, hold=self.hold, grouped=self.plan(frame).asks_for_groups)

    def made(self, frame: Frame, mixture: Mixture, progress: Progress = silent) -> FittedPipeline:
        """Return the mixture, each of its entries learnt from all trials."""
        members = self.members(frame)
        models: Mapping[str, FittedPipeline] = {
            member.name: member.fit(frame) for member in members if member.name in mixture.weights
        }
        progress(1.0, "the entries are learnt from all trials")
        whole = blend(models, mixture, frame, self.name)
        shares = ", ".join(f"{name} {100 * w:.0f} %" for name, w in mixture.weights.items())
        free = [name for name, model in models.items() if model.clusters[0].model.runs_on()]
        but = f", but for those of {', '.join(free)}" if free else ""
        held = (f"members' predictions are held within the range of the trained responses{but}",) if self.hold else ()
        on = continued(frame, members) if self.hold else whole.continued
        sides = [f"{side} {first_few(own)}" for side, own in zip(("below", "above"), on, strict=True) if own]
        going = (f"beyond the trained range predictions go on as inside {' and '.join(sides)}",) if sides else ()
        notes = (*whole.notes, f"weights: {shares}", *held, *going)
        return replace(whole, notes=notes, continued=on, provenance=self.provenance(frame))
