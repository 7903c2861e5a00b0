"""Where the user was last, kept beside the database, so that the start page can offer it first."""

import json
from contextlib import suppress
from dataclasses import asdict, field, replace
from pathlib import Path

import streamlit as st

from core.frozen import Frozen
from core.workspace import login_configured
from pages._ui.choices import DATASET, right_address
from pages._ui.database import store

START = "Start"
ICONS = {
    START: ":material/home:",
    "Trials": ":material/table_rows:",
    "Explore": ":material/bubble_chart:",
    "Model": ":material/show_chart:",
    "Compare": ":material/trophy:",
    "Experiments": ":material/science:",
    "Design space": ":material/tune:",
    "Scaling": ":material/stacked_line_chart:",
    "Models": ":material/inventory_2:",
    "Papers": ":material/menu_book:",
}
"""The icon of each page by its title, in the order of the navigation."""
_KEY = "_left_off"


class Place(Frozen):
    """A page by its title, with the choices of its URL."""

    page: str
    choices: dict[str, list[str]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the place is called, such as "Model of generations"."""
        return " of ".join([self.page, *self.choices.get(DATASET, ())[-1:]])


def path_of(title: str) -> str:
    """Return the file of a page, such as "pages/design_space.py"."""
    return f"pages/{title.lower().replace(' ', '_')}.py"


def url_choices() -> dict[str, list[str]]:
    """Return what the URL says, every value of each name."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def note_place(title: str | None = None) -> None:
    """Right the URL, and keep the page, the one noted before if None, with its choices; the start page is no place.

    The file has its dataset alone, as another tab on the same database reads it too, and filters are nobody else's.
    """
    right_address()
    before: Place | None = st.session_state.get(_KEY)
    page = title or (before.page if before else START)
    place = Place(page, url_choices())
    if page == START or page not in ICONS or place == before:
        return
    st.session_state[_KEY] = place
    if not login_configured():  # several users share a database then
        shared = replace(place, choices={DATASET: place.choices[DATASET]} if DATASET in place.choices else {})
        with suppress(OSError):
            _file().write_text(json.dumps(asdict(shared)), encoding="utf-8")


def left_off() -> Place | None:
    """Return where this session was last, else the one before; None where nothing is known, or its dataset is gone."""
    place: Place | None = st.session_state.get(_KEY)
    if place is None and not login_configured():
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            noted = json.loads(_file().read_text(encoding="utf-8"))
            choices = {str(name): [*map(str, values)] for name, values in noted["choices"].items()}
            place = Place(noted["page"], choices) if noted["page"] in ICONS else None
    there = place is not None and {*place.choices.get(DATASET, ())} <= {*store().datasets.names()}
    return place if there else None


def _file() -> Path:
    return Path(f"{store().path}.left_off")
