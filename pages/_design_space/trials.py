"""Which trials the Design space page goes by: those of one application, input and machine, if there are several."""

from dataclasses import dataclass, replace

from core.report.space.design_points import category_of
from core.trial import ROLES, Frame, Kind
from pages._ui import cached
from pages._ui.choices import pick
from pages._ui.filters import Condition
from pages._ui.state import choose_metrics, choose_repeats, choose_response, choose_where

EVERY = "(all together)"
_BY_FILTER = "only trials with"


@dataclass(frozen=True)
class Chosen:
    """The trials and what was chosen of them.

    Attributes
    ----------
    parameters : metrics that were set before the run, or that the user chose to predict from
    where : conditions, those on application, input and machine among them
    declared : whether the parameters are those of the dataset, not ones that the user chose
    notes : what is left out of the trials, and why
    """

    dataset: str
    response: str
    parameters: tuple[str, ...]
    where: tuple[Condition, ...]
    repeats: str
    declared: bool
    notes: tuple[str, ...] = ()

    def frame(self, metrics: tuple[str, ...], response: str = "") -> Frame:
        """Return these trials with some metrics, and this or another response."""
        return cached.frame(self.dataset, response or self.response, metrics, self.where, self.repeats)

    @property
    def names(self) -> tuple[str, ...]:
        """All metrics of the dataset, its text parameters, and the metrics `text=value` that tell of these."""
        metrics = tuple(m.name for m in cached.metric_names(self.dataset))
        return (*metrics, *texts_of(self.dataset), *cached.indicator_names(self.dataset))


def choose_trials(dataset: str) -> Chosen:
    """Let the user choose the response, what to predict from, and the filters, in the sidebar."""
    response = choose_response(dataset)
    metrics, where, repeats = choose_metrics(dataset, response), choose_where(dataset), choose_repeats(dataset)
    return Chosen(dataset, response, metrics or parameters_of(dataset), where, repeats, metrics is None)


def parameters_of(dataset: str) -> tuple[str, ...]:
    """Return the metrics and texts of a dataset that were set before the run."""
    numbers = tuple(m.name for m in cached.metric_names(dataset) if m.kind == Kind.PARAMETER)
    return (*numbers, *texts_of(dataset))


def texts_of(dataset: str) -> tuple[str, ...]:
    """Return the texts of a dataset that were set before the run: categories."""
    known = set(cached.indicator_names(dataset, (Kind.PARAMETER,)))
    if not known:
        return ()
    texts = cached.labels(dataset)
    return tuple(name for name, values in texts.items() if any(f"{name}={value}" in known for value in values))


def choose_slice(chosen: Chosen) -> Chosen:
    """Let the user choose one application, input and machine where there are several: each has a model of its own."""
    where = chosen.where
    for role in ROLES:
        frame = cached.frame(chosen.dataset, chosen.response, (), where)
        values = sorted(set(frame.labels[role]))
        if len(values) < 2:
            continue
        key, offered = f"space_{role}", [*values, EVERY]
        said = f"Only the trials of this {role}; a model of all together cannot tell them apart by parameters."
        picked = pick(role.capitalize(), offered, key, said)
        if picked != EVERY:
            where = (*where, (role, "=", picked))
    return _known(replace(chosen, where=where))


def _known(chosen: Chosen) -> Chosen:
    """Keep of a dataset's parameters those that every trial knows and no rule hides; what is left out is noted."""
    if not chosen.parameters:
        return chosen
    names = None if chosen.declared else chosen.parameters
    found = cached.frame(chosen.dataset, chosen.response, names, chosen.where, chosen.repeats)
    known = {*found.names, *(category_of(name, found) for name in found.names)}
    parameters = tuple(name for name in chosen.parameters if name in known)
    notes = tuple(note for note in found.notes if not note.startswith(_BY_FILTER))
    return replace(chosen, parameters=parameters, notes=notes)
