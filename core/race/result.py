"""What a race found, as values: of one entry without one fold, of one entry, and of all."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from core.blend import Mixture
from core.codec import FloatArray, Frozen, array_of, fields_of, finite
from core.scale import RowScale
from core.validate.crossval import FoldResult, Validation

EVERYTHING = -1
"""The number of the run that holds out nothing: what the entry is when all trials are learnt from."""
STACK, BLEND = "stack", "blend"
"""What the combinations of the best entries are called."""

STOCK = "extra_trees"
"""The entry whose first treatment is what scikit-learn's extremely randomised trees are by default."""

Key = tuple[str, int]
"""Entry and fold."""


class Run(Frozen):
    """One entry that learnt without one fold.

    Attributes
    ----------
    fold : its number, or EVERYTHING
    treatment : chosen on inner folds, "" if the entry cannot run
    inner : array of shape (n_train,), out-of-fold predictions of the training trials by that treatment
    inner_error : their error; infinite if the entry cannot run
    result : predictions of the fold, None if the entry cannot run
    features : metrics that the model looks at, the weightiest first
    seconds : of all of it
    fit_seconds : of one training, with the treatment chosen
    error : one sentence if the entry cannot run, else ""
    """

    entry: str
    fold: int
    treatment: str
    inner: FloatArray
    inner_error: float
    result: FoldResult | None
    features: tuple[str, ...]
    seconds: float
    fit_seconds: float
    error: str = ""

    @property
    def key(self) -> Key:
        """What tells it from the others of a race."""
        return self.entry, self.fold


class Standing(Frozen):
    """An entry over all folds.

    Attributes
    ----------
    validation : None if it cannot run
    treatment : chosen with all trials
    treatments : chosen without each fold
    inner_error : of the treatment chosen with all trials, on inner folds: what the winner is chosen by
    by_fold : mean absolute percentage error of each fold, None where there is none
    n_features : metrics looked at, without each fold
    chosen : by metric, the share of folds whose model looks at it
    chosen_by_fold : the metrics that each fold's model looks at
    n_chosen : metrics looked at by the model of all trials
    seconds : over all folds and treatments
    fit_seconds : one training with all trials
    non_negative : whether it is a sum that no metric can make smaller
    error : one sentence if it cannot run, else ""
    """

    entry: str
    label: str
    validation: Validation | None = None
    treatment: str = ""
    treatments: tuple[str, ...] = ()
    inner_error: float = float("inf")
    by_fold: tuple[float | None, ...] = ()
    n_features: tuple[int, ...] = ()
    chosen: Mapping[str, float] = field(default_factory=dict)
    chosen_by_fold: tuple[tuple[str, ...], ...] = ()
    n_chosen: int = 0
    seconds: float = 0.0
    fit_seconds: float = 0.0
    non_negative: bool = False
    error: str = ""

    @property
    def runs(self) -> bool:
        """Whether the entry could be fitted without each fold."""
        return self.validation is not None


class Together(Frozen):
    """Several entries together.

    Attributes
    ----------
    validation : each fold predicted with members and weights chosen without it
    mixture : chosen with all trials
    by_fold : chosen without each fold
    """

    validation: Validation
    mixture: Mixture
    by_fold: tuple[Mixture, ...]

    @property
    def weights(self) -> Mapping[str, float]:
        """Weights by entry, with all trials."""
        return self.mixture.weights


class Race(Frozen):
    """All entries on the same folds.

    Attributes
    ----------
    folds : as users write them
    fold_names : one per fold
    standings : one per entry, those that run first, by mean absolute percentage error
    stack : the best few added up, with weights that are not negative; None with fewer than two that run
    blend : weighted by inner errors; None with fewer than two that run
    winner : "blend", or the one entry that is all of it with all trials; "" if none runs
    nested : each fold predicted by the blend that was made without it: what the winner is worth. None if none runs
    picked : each fold predicted by the one entry of smallest inner error without it. None if none runs
    picked_entries : who that was
    seconds : of all of it
    """

    folds: str
    seed: int
    fold_names: tuple[str, ...]
    n_trials: int
    trials_sha256: str
    standings: tuple[Standing, ...]
    stack: Together | None
    winner: str
    nested: Validation | None
    seconds: float
    blend: Together | None = None
    picked: Validation | None = None
    picked_entries: tuple[str, ...] = ()

    def __repr__(self) -> str:
        told = f"winner {self.winner}, {self.nested.scores}" if self.nested else "nothing runs"
        return f"Race({self.folds}, {len(self.standings)} entries: {told})"

    def standing(self, entry: str) -> Standing:
        """Return how an entry did."""
        return next(s for s in self.standings if s.entry == entry)

    @property
    def running(self) -> tuple[Standing, ...]:
        """The entries that could be fitted."""
        return tuple(s for s in self.standings if s.runs)

    def together(self, name: str) -> Together | None:
        """Return the stack or the blend by its name; None for an entry."""
        return {STACK: self.stack, BLEND: self.blend}.get(name)

    def validation(self, name: str) -> Validation | None:
        """Return the validation of an entry, the stack or the blend; None if there is none."""
        several = self.together(name)
        if several is not None:
            return several.validation
        return next((s.validation for s in self.standings if s.entry == name), None)

    def looked_at(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return per fold the metrics that an entry, or any member of a stack or blend, looks at without it."""
        several = self.together(name)
        if several is None:
            return next((s.chosen_by_fold for s in self.standings if s.entry == name), ())
        own = {s.entry: s.chosen_by_fold for s in self.running}
        return tuple(
            tuple(dict.fromkeys(metric for entry in mixture.weights for metric in own[entry][i]))
            for i, mixture in enumerate(several.by_fold)
        )


_TOLD = "entry fold treatment inner inner_error features seconds fit_seconds error"


def run_to_plain(run: Run) -> dict[str, Any]:
    """Return a run as plain values for JSON; NaN and infinity become null."""
    plain = fields_of(run, _TOLD) | {"scaled": None, "leverage": None, "scale": "", "reference": None, "rescaled": None}
    if run.result is not None:
        scale = run.result.scale
        plain |= fields_of(run.result, "scaled leverage") | fields_of(scale, "reference")
        plain |= {"scale": scale.name, "rescaled": [scale.factor, scale.power]}
    return dict(finite(plain))


def run_from_plain(plain: Mapping[str, Any]) -> Run:
    """Return the run that `run_to_plain` wrote."""
    told = {name: plain[name] for name in _TOLD.split()}
    told |= {"inner": array_of(plain["inner"]), "features": tuple(plain["features"])}
    told["inner_error"] = float("inf") if plain["inner_error"] is None else plain["inner_error"]
    scaled, result = array_of(plain["scaled"]), None
    if scaled is not None:
        scale = RowScale(plain["scale"], array_of(plain["reference"]), *(plain["rescaled"] or ()))
        result = FoldResult(scaled, scale, array_of(plain.get("leverage")))
    return Run(**told, result=result)
