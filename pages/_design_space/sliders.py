"""The design that the sliders show, and the baseline that is pinned: both in the URL."""

from collections.abc import Mapping

import streamlit as st

from core.report.space.design_points import Point, point_of_texts, start_levels, texts_of
from core.space.design_space import DesignSpace, Parameter
from core.space.plan import shown
from pages._ui.choices import asked_of, drop_unknown, in_url, set_url, slide
from pages._ui.drawn import literal

PINNED = "pinned"
_ORDER = "_slider_order"
_CATEGORIES = "Categories have no order: each has a point of its own, and no line leads from one to another."


def slider_key(name: str) -> str:
    """Return the key, and URL parameter, of a parameter's slider."""
    return f"at_{name}"


def prepare(space: DesignSpace) -> Mapping[str, str]:
    """Return the texts that sliders begin with, and drop what is no level of this space."""
    start = start_levels(space)
    for parameter in space.parameters:
        if len(parameter.levels) > 1:
            drop_unknown(slider_key(parameter.name), texts(parameter), start[parameter.name])
    return start


def current(space: DesignSpace, start: Mapping[str, str]) -> Point:
    """Return the design that the sliders show, also before they are drawn."""
    asked = {name: asked_of(slider_key(name), text) for name, text in start.items()}
    found = point_of_texts(space, asked) or point_of_texts(space, start)
    assert found is not None
    return found


def slider(parameter: Parameter, start: str) -> None:
    """Draw the slider of one parameter, over its levels or its categories."""
    help = _CATEGORIES if parameter.categorical else None
    slide(literal(parameter), texts(parameter), slider_key(parameter.name), start, help)


def hold_order(model: str, order: tuple[str, ...]) -> tuple[str, ...]:
    """Return the order in which the sliders of a model were first drawn: one that moved would lose the next key."""
    held: tuple[str, tuple[str, ...]] = st.session_state.get(_ORDER, ("", ()))
    if held[0] != model:
        st.session_state[_ORDER] = held = (model, order)
    return held[1]


def let_go_of_order() -> None:
    """Put the sliders in order anew when they are drawn next."""
    st.session_state.pop(_ORDER, None)


def go_to(space: DesignSpace, point: Point) -> None:
    """Set the sliders to a design; to be called before they are drawn, as in a callback."""
    for name, text in texts_of(space, point).items():
        if len(space.parameters[space.names.index(name)].levels) > 1:
            st.session_state[slider_key(name)] = text


def pinned(space: DesignSpace) -> Point | None:
    """Return the pinned baseline, None without one (or if it is no design of this space)."""
    return point_of_texts(space, dict(zip(space.names, in_url(PINNED), strict=False)))


def pin(space: DesignSpace, point: Point) -> None:
    """Pin a design as the baseline."""
    set_url(PINNED, list(texts_of(space, point).values()))


def unpin() -> None:
    """Let go of the baseline."""
    set_url(PINNED, ())


def texts(parameter: Parameter) -> list[str]:
    """Return a parameter's levels as texts."""
    return [shown(level) for level in parameter.levels]
