"""The frame of every page: title, errors, layout, views; and where the user was last, which Start offers first."""

import json
import logging
import math
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, field, replace
from functools import wraps
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import FragmentHandledException

from core.errors import RidgelineError
from core.frozen import Frozen
from core.workspace import APP, login_configured
from pages._ui.choices import DATASET, enter, in_url, pick, right_address, set_choice
from pages._ui.database import mark_read_only, store
from pages._ui.drawn import literal, short
from pages._ui.server import SCRIPT, admit
from pages._ui.theme import colour

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


F = TypeVar("F", bound=Callable[..., Any])
PRODUCT = "Ridgeline"
ICON = str(Path(__file__).with_name("ridgeline.svg"))
LOGO = str(Path(__file__).with_name("ridgeline_wide.svg"))
FRONT = "start.py"
"""The page that is opened without an address, too; no other may be taken for it."""
_FROM_APP = "_from_app"
_HEAD_STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
_LOG = logging.getLogger("ridgeline.pages")


@contextmanager
def page(title: str, intro: str) -> Iterator[None]:
    """Draw the head of a page and run its body; each page stands alone, also without `app.py`."""
    _through_app()
    st.set_page_config(page_title=f"{title} · {PRODUCT}", page_icon=ICON, layout="wide")
    admit()
    enter(title)
    st.html(f"<style>{_HEAD_STYLE}</style><script>{SCRIPT}</script>", unsafe_allow_javascript=True)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="head"):
        st.title(title, anchor=False, width="content")
        st.markdown(f":gray[{intro}]")
    try:
        mark_read_only()
    except RidgelineError as error:
        show_error(error)
        st.stop()
    with guard():
        yield
    note_place(title)


def from_app() -> None:
    """Note that this session's pages run from `app.py`, and drop what no number field of Streamlit can take."""
    st.session_state[_FROM_APP] = True
    endless = [name for name, text in st.query_params.items() if _is_endless(text)]
    for name in endless:
        del st.query_params[name]
    if endless:
        st.rerun()


def _is_endless(text: str) -> bool:
    """Return whether a text is a number beyond all numbers, written with digits."""
    with suppress(ValueError):
        return text.lstrip("+-")[:1].isdigit() and math.isinf(float(text))
    return False


def _through_app() -> None:
    """Let `app.py` run first, with its titles and order.

    Until somebody has opened the front page, Streamlit takes `pages/` for the whole app and runs
    a page that is opened by its own address alone. Calling `st.navigation` once ends that.
    """
    if _FROM_APP not in st.session_state:
        from_app()
        paths = sorted(APP.parent.glob("pages/*.py"))
        front = st.Page(APP.parent / "pages" / FRONT, default=True, url_path="front")
        st.navigation([front, *(st.Page(path) for path in paths)], position="hidden")
        st.rerun()


@contextmanager
def guard() -> Iterator[None]:
    """Show a user's error as one sentence, and a bug as a reference number whose trace is in the log."""
    try:
        yield
    except RidgelineError as error:
        show_error(error)
    except FragmentHandledException:
        raise
    except Exception:
        reference = uuid.uuid4().hex[:8]
        _LOG.exception("reference %s", reference)
        st.error(
            f"Something went wrong in {PRODUCT} itself; this is a bug. "
            f"Its reference is {reference} in the log of the program that serves this page.",
            icon=":material/bug_report:",
        )


def fragment(run_every: float | None = None) -> Callable[[F], F]:
    """Return what makes a function run again alone when a control in it moves, its failures shown in its place."""

    def made(function: F) -> F:
        @wraps(function)
        def run(*args: Any, **options: Any) -> Any:
            with guard():
                function(*args, **options)
            note_place()

        return cast("F", st.fragment(run, run_every=run_every))

    return made


def show_error(error: RidgelineError | str) -> None:
    """Show one sentence that says what is wrong and what to do."""
    st.error(literal(error), icon=":material/error:")


def pick_known(
    label: str,
    options: Sequence[str],
    key: str,
    noun: str,
    help: str | None = None,
    known: Sequence[str] = (),
    **more: Any,
) -> str:
    """Let the user choose as `pick` does; until then a choice, of the URL or of this session, that is gone is said so.

    Parameters
    ----------
    known : what is there beside the options, as a search leaves some out
    """
    place = f"_missing_{key}"
    asked = next(iter(in_url(key)), None) or st.session_state.get(key)
    if isinstance(asked, str) and asked and asked not in (*options, *known):
        st.session_state[place] = (asked, None)
    shown = pick(label, options, key, help, **more)
    gone, instead = st.session_state.get(place, (None, None))
    if gone is not None and instead not in (None, shown):
        del st.session_state[place]
    elif gone is not None:
        st.session_state[place] = (gone, shown)
        said = f"There is no {noun} '{short(gone)}' any more: it was deleted or renamed. Shown is '{short(shown)}'."
        st.warning(literal(said), icon=":material/warning:")
    return shown


_GROUND = ", ".join(colour(base, "backgroundColor") for base in ("light", "dark"))
_STYLE = Path(__file__).with_name("layout.css").read_text(encoding="utf-8")


def beside(label: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return two places in one row: choices that are made once, behind a button, and what is said of them.

    On narrow screens what is said comes below the button, as wide as the page.
    """
    key = f"beside_{label.lower().replace(' ', '_')}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=key):
        return st.popover(label, icon=":material/tune:"), st.container(gap="xsmall")


def instrument(*, played: bool = False) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return four places: the row of the answer, what is said of it, the controls, and the picture beside them.

    The answer stays at the top while the rest scrolls, on narrow screens too; the controls stay beside the picture
    where there is room for both, and come below it where there is not.

    Parameters
    ----------
    played : whether controls and picture are looked at together: on narrow screens the controls then come first, and
        scroll in a part of the window
    """
    st.html(f"<style>.stApp {{--ground: light-dark({_GROUND})}}\n{_STYLE}</style>")
    answer, said = st.container(key="answer"), st.container(key="said", gap="xsmall")
    left, right = st.columns([5, 14], gap="medium")
    controls = left.container(key="controls", gap="small")
    if played:
        controls = controls.container(key="played", gap="small")
    return answer, said, controls, right.container(key="picture", gap="small")


Views = Mapping[str, Callable[[Any], None]]
_NONE: Mapping[str, str] = MappingProxyType({})


def views_of(page: str, shown: Any = None) -> Views:
    """Return what draws each view of a page, by the view's TITLE, in the order of PLACE; all are given the same.

    Parameters
    ----------
    shown : what they will be given: without it every view is returned, with it those whose `offered`, if they have
        such a function, agrees
    """
    folder = import_module(f"pages._{page}.views")
    found = [import_module(f"{folder.__name__}.{module.name}") for module in iter_modules(folder.__path__)]
    kept = [module for module in found if shown is None or getattr(module, "offered", lambda _: True)(shown)]
    return {module.TITLE: module.draw for module in sorted(kept, key=lambda module: module.PLACE)}


def draw_open(views: Views, key: str, shown: Any, former: Mapping[str, str] = _NONE, usual: str = "") -> None:
    """Draw a tab per view, and the view that is open, which is in the URL; what fails in it is said in its place.

    Parameters
    ----------
    former : what addresses made earlier call a view, and its name now
    """
    wanted = st.session_state.pop(_next(key), None)
    if (now := former.get(st.query_params.get(key, ""), wanted)) is not None:
        st.session_state[key] = now
    first = usual or next(iter(views))
    tabs = st.tabs(tuple(views), default=first, key=key, bind="query-params", on_change="rerun")
    places = dict(zip(views, tabs, strict=True))
    opened = next((name for name, tab in places.items() if tab.open), first)
    with places[opened], guard():
        views[opened](shown)


def is_to_turn(key: str) -> bool:
    """Whether `turn_to` asked for a view that was not drawn yet."""
    return _next(key) in st.session_state


def turn_to(key: str, view: str, **choices: str) -> None:
    """Run the page again with another view open, and choices made."""
    st.session_state[_next(key)] = view
    for name, value in choices.items():
        set_choice(name, value)
    st.rerun()


def _next(key: str) -> str:
    return f"_next_{key}"
