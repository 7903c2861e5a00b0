"""A model of a race to keep: learnt from all trials, with the interval that the race's folds have found."""

from collections.abc import Sequence
from dataclasses import replace

from core.blend import blend
from core.errors import FitError
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn, silent
from core.race.entry import Entry
from core.race.result import Race
from core.recipes import clusters_of, with_validation
from core.trial import Frame
from core.validate.crossval import FoldResult, Validation, validation_of
from core.validate.folds import parse_folds


def fitted_winner(
    frame: Frame, race: Race, entries: Sequence[Entry], dataset: str, name: str = "", progress: Progress = silent
) -> FittedPipeline:
    """Return the winner, or another entry, the stack or the blend, learnt from all trials.

    It has the scores of the race and the interval of its own out-of-fold residuals.

    Parameters
    ----------
    entries : those of the race
    name : the winner if empty

    Raises
    ------
    FitError
        If it cannot run.
    """
    wanted = name or race.winner
    validation = race.validation(wanted)
    if validation is None:
        raise FitError(_why_not(race, wanted))
    several = race.together(wanted)
    known = {entry.name: entry for entry in entries}
    if several is None:
        model = _fitted(frame, race, known[wanted], progress)
    else:
        members = in_turn(progress, several.mixture.weights)
        models = {member: _fitted(frame, race, known[member], told) for told, member in members}
        model = blend(models, several.mixture, frame, wanted)
    return with_validation(model, on_its_scale(frame, race, model, validation), race.seed, dataset)


def _why_not(race: Race, name: str) -> str:
    standing = next((s for s in race.standings if s.entry == name), None)
    if standing is None:
        running = ", ".join(s.entry for s in race.running) or "none"
        return f"There is no '{name}' in the race; {running} could run."
    return f"{standing.label} cannot run on these trials: {standing.error}"


def _fitted(frame: Frame, race: Race, entry: Entry, progress: Progress) -> FittedPipeline:
    recipe = entry.treatments[race.standing(entry.name).treatment].asking(parse_folds(race.folds))
    return recipe.fit(frame, progress)


def on_its_scale(frame: Frame, race: Race, model: FittedPipeline, validation: Validation) -> Validation:
    """Return the validation with residuals on the model's scale, as folds may have chosen other scales."""
    plan = parse_folds(race.folds)
    folds = plan.split(frame, race.seed)
    results = []
    for fold in folds:
        scale = model.scale_of(model.rows(frame.take(fold.test)))
        far = None if validation.known.leverage is None else validation.known.leverage[fold.test]
        results.append(FoldResult(scale.forward(validation.predicted[fold.test]), scale, far))
    found = validation_of(frame, plan, folds, results, cluster=clusters_of(model, frame))
    scores = replace(validation.scores, coverage_90=found.scores.coverage_90, width_90=found.scores.width_90)
    return replace(found, predicted=validation.predicted, scores=scores)
