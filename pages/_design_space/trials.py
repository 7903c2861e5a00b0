"""Which trials the Design space page goes by: those of one application, input and machine, if there are several."""

from dataclasses import dataclass

import streamlit as st

from core.trial import ROLES, Frame, Kind
from pages._ui import cached
from pages._ui.choices import drop_unknown
from pages._ui.database import store
from pages._ui.filters import Condition
from pages._ui.state import choose_metrics, choose_repeats, choose_response, choose_where

EVERY = "(all together)"


@dataclass(frozen=True)
class Chosen:
    """The trials and what was chosen of them.

    Attributes
    ----------
    parameters : metrics that were set before the run, or that the user chose to predict from
    where : conditions, those on application, input and machine among them
    declared : whether the parameters are those of the dataset
    """

    dataset: str
    response: str
    parameters: tuple[str, ...]
    where: tuple[Condition, ...]
    repeats: str
    declared: bool

    def frame(self, metrics: tuple[str, ...], response: str = "") -> Frame:
        """Return these trials with some metrics, and this or another response."""
        return cached.frame(self.dataset, response or self.response, metrics, self.where, self.repeats)

    @property
    def names(self) -> tuple[str, ...]:
        """All metrics of the dataset."""
        return tuple(m.name for m in store().metric_names(self.dataset))


def choose_trials(dataset: str) -> Chosen:
    """Let the user choose the response, what to predict from, and the filters, in the sidebar."""
    response = choose_response(dataset)
    metrics, where, repeats = choose_metrics(dataset, response), choose_where(dataset), choose_repeats(dataset)
    declared = parameters_of(dataset)
    return Chosen(dataset, response, metrics or declared, where, repeats, not metrics and bool(declared))


def parameters_of(dataset: str) -> tuple[str, ...]:
    """Return the metrics of a dataset that were set before the run."""
    return tuple(m.name for m in store().metric_names(dataset) if m.kind == Kind.PARAMETER)


def choose_slice(chosen: Chosen) -> Chosen:
    """Let the user choose one application, input and machine where there are several: each has a model of its own."""
    where = chosen.where
    for role in ROLES:
        frame = cached.frame(chosen.dataset, chosen.response, (), where)
        values = sorted(set(frame.labels[role]))
        if len(values) < 2:
            continue
        key, offered = f"space_{role}", [*values, EVERY]
        drop_unknown(key, offered)
        said = f"Only the trials of this {role}; a model of all together cannot tell them apart by parameters."
        picked = st.selectbox(role.capitalize(), offered, key=key, help=said, bind="query-params") or values[0]
        if picked != EVERY:
            where = (*where, (role, "=", picked))
    return Chosen(chosen.dataset, chosen.response, chosen.parameters, where, chosen.repeats, chosen.declared)
