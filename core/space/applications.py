"""Several applications over one space: a model of each, or one with the application as a factor, chosen by folds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, OptionError
from core.execution.execute import execute_where_it_pays
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn, part, silent
from core.scale import LOG, ResponseScale, logarithm_of
from core.space.believed import Believed
from core.space.columns import NOTHING_FIXED
from core.space.design_space import DesignSpace
from core.space.held_out import Cells, held_out, learn_doubt
from core.space.mix import Several
from core.space.offered import Question
from core.space.plans.base import Evidence, Fit
from core.space.sums import surrogate
from core.space.wishes import Wishes
from core.trial import Frame, Kind, Metric
from core.validate.folds import AUTO

EACH, AS_FACTOR = "one model each", "one model with the {role} as a factor"
_FOLDS = 5
_MOST_OFF = 3.0
"""An error beyond which it does not matter how large it is."""


class Applications(Frozen):
    """A response of several applications.

    Attributes
    ----------
    believed : by application
    how : of what kind the models are
    errors : of both kinds, mean |ln(predicted / measured)| of designs that no application had measured; of responses
        that are not positive the mean error over each one's mean size. Not there for what cannot be trained
    """

    believed: Mapping[str, Believed]
    how: str
    errors: Mapping[str, float]

    def said(self, response: str) -> str:
        """Say of what kind the models of a response are, and why."""
        percent = {kind: f"{100 * math.expm1(error):.3g} %" for kind, error in self.errors.items()}
        others = "; ".join(f"{kind}: {text}" for kind, text in percent.items() if kind != self.how)
        kept = f"{response}: {self.how}, {percent[self.how]} off on designs that no application had measured"
        return f"{kept} ({others or 'the other kind cannot be trained'})."


def believe_in_several(
    frame: Frame, fit: Fit, space: DesignSpace, role: str, *, seed: int = 0, progress: Progress = silent
) -> Applications:
    """Return what is believed of a response of each application, by the kind of model that errs less.

    A fifth of the designs at a time is predicted from the others by both kinds. The errors of applications go
    together as trees grown on the trials of all of them say, and as errors of the same design did that were held out.

    Raises
    ------
    RidgelineError
        If there are fewer than two applications, or neither kind of model can be trained.
    """
    trials = _gathered(frame, role, seed)
    said, errors = _by_folds(trials, fit, progress)
    how = min(errors, key=lambda kind: errors[kind])
    doubt = learn_doubt(trials.whole, trials.scale, trials.tests, said[how], trials.cells, seed)
    frames, _ = trials.kinds[how]
    models = dict[int, FittedPipeline]()
    execute_where_it_pays(_learnt, frames, fit, on_result=models.__setitem__, progress=part(progress, 0.8, 1.0))
    found = {}
    for i, name in enumerate(trials.names):
        fixed = {f"{role}={other}": float(other == name) for other in trials.names}
        model, own = (models[i], NOTHING_FIXED) if how == EACH else (models[0], fixed)
        evidence, asked = Evidence(model, trials.bare.take(trials.rows[i]), fit), surrogate(model, space, own)
        found[name] = Believed(space, evidence, trials.scale, asked, doubt, trials.levels[i], fixed)
    return Applications(found, how, errors)


def _learnt(fit: Fit, frame: Frame, progress: Progress) -> FittedPipeline:
    return fit(frame, progress)


class _Trials(Frozen):
    """Trials of several applications.

    Attributes
    ----------
    levels : how large the response of each is
    bare, relative, whole : without what tells the application; over the level of each; with a column per application
    tests : what is held out together
    rows : the trials of each
    """

    role: str
    names: list[str]
    scale: ResponseScale
    levels: list[float]
    bare: Frame
    relative: Frame
    whole: Frame
    cells: Cells
    tests: list[IntArray]
    rows: list[IntArray]

    @property
    def kinds(self) -> dict[str, tuple[list[Frame], list[IntArray]]]:
        """By kind of models the trials of each, and which these are."""
        each = [self.relative.take(rows) for rows in self.rows]
        every = [np.arange(len(self.bare), dtype=np.int64)]
        return {EACH: (each, self.rows), AS_FACTOR.format(role=self.role): ([self.whole], every)}


def _gathered(frame: Frame, role: str, seed: int) -> _Trials:
    bare = frame.select([name for name in frame.names if not name.startswith(f"{role}=")])
    names, number = np.unique(np.array(bare.labels[role], dtype=object).astype(str), return_inverse=True)
    if len(names) < 2:
        raise OptionError(f"A goal over {role}s needs trials of at least 2 of them, got {len(names)}.")
    scale = ResponseScale(logarithm_of(bare.y))
    rows = [np.flatnonzero(number == i) for i in range(len(names))]
    levels = [_level(bare.y[own], scale) for own in rows]
    relative = replace(bare, y=bare.y / np.array(levels)[number])
    design = np.unique(bare.X, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    whole, cells = _with_factor(relative, role, names.tolist()), Cells(number.astype(np.int64), design)
    tests = _fifths(design, seed)
    return _Trials(role, names.tolist(), scale, levels, bare, relative, whole, cells, tests, rows)


def _by_folds(trials: _Trials, fit: Fit, progress: Progress) -> tuple[dict[str, FloatArray], dict[str, float]]:
    """Return by kind of models what they say of designs that they have not seen, and the error of that."""
    said, errors, why = dict[str, FloatArray](), dict[str, float](), ""
    for i, (kind, (frames, rows)) in enumerate(trials.kinds.items()):
        try:
            said[kind] = held_out(fit, frames, rows, trials.tests, part(progress, 0.4 * i, 0.4 * (i + 1)))
        except FitError as error:
            why = str(error)
            continue
        errors[kind] = _error(trials.relative.y, said[kind], trials.rows, trials.scale)
    if not errors:
        raise FitError(f"No model of several {trials.role}s can be trained: {why}")
    return said, errors


def ask_over(
    wishes: Wishes, several: Several, evidence: Mapping[str, Evidence], outside: bool, seed: int, progress: Progress
) -> Question:
    """Return a question over applications.

    Parameters
    ----------
    evidence : by response, the trials of all applications and how a model is trained

    Raises
    ------
    RidgelineError
        If nothing is known of how a model is trained, or none can be.
    """
    used = [name for name in several.responses if wishes.names & {several.own(name, app) for app in several.names}]
    responses, notes = dict[str, Believed](), list[str]()
    for told, name in in_turn(progress, used):
        frame, fit = evidence[name].frame, evidence[name].fit
        if frame is None or fit is None:
            raise OptionError(f"Models of '{name}' are trained on trials of each {several.role}. Give such a dataset.")
        own = {app: several.own(name, app) for app in several.names}
        known = frame.select([column for column in frame.names if _given(column, wishes.space)])
        common = known.take(np.flatnonzero(np.isin(np.array(frame.labels[several.role], dtype=object), several.names)))
        fit = _as_of_all(common, fit, part(told, 0.0, 0.1))
        found = believe_in_several(common, fit, wishes.space, several.role, seed=seed, progress=part(told, 0.1, 1.0))
        responses |= {own[app]: one for app, one in found.believed.items() if own[app] in wishes.names}
        notes.append(found.said(name))
    return Question(wishes, responses, outside, tuple(notes))


def _as_of_all(frame: Frame, fit: Fit, progress: Progress) -> Fit:
    """Return a fit that takes the logarithm of each where it does of all: of one alone a response spans less."""
    recipe: Any = getattr(fit, "__self__", None)
    if getattr(recipe, "response_scale", "") != AUTO or fit(frame, progress).scale.name != LOG:
        return fit
    as_of_all: Fit = replace(recipe, response_scale=LOG).fit
    return as_of_all


def _given(column: str, space: DesignSpace) -> bool:
    """Whether a parameter of the space tells a column."""
    return any(column == p.name or (p.categorical and column.startswith(f"{p.name}=")) for p in space.parameters)


def several_of(role: str, responses: Mapping[str, Frame]) -> Several:
    """Return the applications of trials, per response, that they all have, and the best that was measured of each.

    Raises
    ------
    OptionError
        If they have fewer than two in common.
    """
    names = sorted(set.intersection(*(set(map(str, frame.labels[role])) for frame in responses.values())))
    if len(names) < 2:
        raise OptionError(f"A goal over {role}s needs trials of at least 2 of them, got {len(names)}.")
    best = {}
    for response, frame in responses.items():
        of = np.array(frame.labels[role], dtype=object)
        for name in names:
            y = frame.y[of == name]
            best[response, name] = (float(y.min()), float(y.max()))
    return Several(role, tuple(names), tuple(responses), best)


def _level(y: FloatArray, scale: ResponseScale) -> float:
    """Return how large a response is: the geometric mean where it is positive, else the mean size."""
    found = float(scale.inverse(scale.forward(y).mean())) if scale.log else float(np.abs(y).mean())
    return found or 1.0


def _with_factor(frame: Frame, role: str, names: Sequence[str]) -> Frame:
    """Return a frame with a column per application, 1 where a trial is of it and else 0."""
    of = np.array(frame.labels[role], dtype=object)
    columns = np.column_stack([(of == name).astype(np.float64) for name in names])
    metrics = tuple(Metric(f"{role}={name}", Kind.PARAMETER) for name in names)
    return replace(frame, metrics=(*frame.metrics, *metrics), X=np.hstack([frame.X, columns]))


def _fifths(design: IntArray, seed: int) -> list[IntArray]:
    """Return the trials of a fifth of the designs at a time: no application has measured what is held out."""
    order = np.random.default_rng(seed).permutation(int(design.max()) + 1)
    parts = (np.flatnonzero(order[design] % _FOLDS == k).astype(np.int64) for k in range(_FOLDS))
    return [rows for rows in parts if len(rows)]


def _error(y: FloatArray, said: FloatArray, rows: Sequence[IntArray], scale: ResponseScale) -> float:
    """Return the mean error, each application counting the same; what is not predicted, or below 0, is far off."""
    with np.errstate(all="ignore"):
        off = np.abs(scale.forward(said) - scale.forward(y))
    off = np.where(np.isfinite(off), np.minimum(off, _MOST_OFF), _MOST_OFF)
    return float(np.mean([off[own].mean() for own in rows]))
