"""What the Design space page computes at once, kept by the keys of model and space."""

import hashlib

import streamlit as st

from core.report.measured_designs import MeasuredDesigns, measured_designs
from core.report.surrogate import Surrogate, surrogate
from core.space._toml import write_space
from core.space.best import best_design
from core.space.design_space import DesignSpace
from core.space.sweep import Design
from core.trial import Frame
from pages._design_space.model import Asked

_KEEP = "1h"


def space_key(space: DesignSpace) -> str:
    """Return a text that is the same for the same space."""
    return hashlib.sha256(write_space(space).encode()).hexdigest()


def surrogate_of(asked: Asked, space: DesignSpace) -> Surrogate:
    """Return a model over a space.

    Raises
    ------
    OptionError
        If the model has a column that no parameter gives.
    """
    return _surrogate(asked.full_key, space_key(space), asked, space)


def measured_of(asked: Asked, space: DesignSpace) -> MeasuredDesigns | None:
    """Return the designs that were measured; None without trials that have all parameters."""
    frame = asked.frame
    if frame is None:
        return None
    known = {*frame.names, *frame.labels}
    if not all(p.name in known or len(p.levels) == 1 for p in space.parameters):
        return None
    return _measured(frame.digest(), space_key(space), frame, space)


def best_of(asked: Asked, space: DesignSpace, sense: str) -> Design | None:
    """Return the exactly best design; None if the model does not allow to find it at once."""
    return _best(asked.full_key, space_key(space), sense, asked, space)


@st.cache_resource(max_entries=16, ttl=_KEEP, show_spinner=False)
def _surrogate(model: str, space: str, _asked: Asked, _space: DesignSpace) -> Surrogate:
    return surrogate(_asked.model, _space)


@st.cache_resource(max_entries=8, ttl=_KEEP, show_spinner=False)
def _measured(frame: str, space: str, _frame: Frame, _space: DesignSpace) -> MeasuredDesigns:
    return measured_designs(_space, _frame)


@st.cache_resource(max_entries=32, ttl=_KEEP, show_spinner=False)
def _best(model: str, space: str, sense: str, _asked: Asked, _space: DesignSpace) -> Design | None:
    return best_design(_asked.model, _space, sense)
