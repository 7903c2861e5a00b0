"""Ways from one page to another that take choices along."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.errors import OptionError
from core.models import FAMILIES
from core.recipes import RECIPES, Treated
from pages._ui.choices import SHARED, shared_url
from pages._ui.forms import url_options, widget_values

RACE_AT_ONCE = "race_at_once"
"""Of the session: whether the race that the Compare page shows next starts without being asked."""


def page_link(path: str, label: str, icon: str) -> None:
    """Draw a link to another page, such as "pages/model.py", that keeps dataset, response and filters."""
    st.page_link(path, label=label, icon=icon, query_params=shared_url())


def open_model_page(
    trials: Mapping[str, str | list[str]], recipe: str, options: Mapping[str, Any], folds: str = ""
) -> None:
    """Go to the Model page with a recipe and its options as they were.

    Parameters
    ----------
    trials : the shared choices
    recipe : of RECIPES, or a family that is a recipe of its own; then what is done to its metrics is among the options

    Raises
    ------
    OptionError
        If it is neither.
    """
    if recipe not in RECIPES and recipe not in FAMILIES:
        raise OptionError(f"A '{recipe}' is made of several models, by the race on the Compare page: open it there.")
    kinds = [RECIPES[recipe]] if recipe in RECIPES else [FAMILIES[recipe], Treated]
    widgets: dict[str, Any] = {"recipe": recipe}
    url: dict[str, str | list[str]] = {**trials, "recipe": recipe}
    for cls in kinds:
        widgets |= widget_values(cls, recipe, options)
        url |= url_options(cls, recipe, options)
    if folds:
        widgets["folds"] = url["folds"] = folds
    open_page("pages/model.py", widgets, url)


def open_page(path: str, widgets: Mapping[str, Any], url: Mapping[str, str | list[str]]) -> None:
    """Go to another page with its widgets set, and the same choices in its URL.

    Parameters
    ----------
    path : such as "pages/model.py"
    widgets : value by widget key, of the type that the widget returns
    url : the same as URL parameters, the shared choices of `choices.py` too; widgets at their
        default are left out
    """
    for key, value in widgets.items():
        if key not in SHARED:
            st.session_state[key] = value
    st.switch_page(path, query_params={**shared_url(), **url})
