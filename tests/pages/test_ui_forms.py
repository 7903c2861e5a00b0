"""Forms made from options: one widget each, with its help, in the URL and back."""

import pytest
from streamlit.testing.v1 import AppTest

from core.option import Options, option, specs
from pages._ui.forms import url_options, widget_values


def _form() -> None:
    import streamlit as st
    from tests_pages_toy import Toy

    from pages._ui.forms import options_form

    st.session_state["result"] = Toy(**options_form(Toy, "toy", steps={"threshold": (0.001, 0.01, 0.1)}))


class Toy(Options):
    """An option of every kind."""

    count: int = option(3, low=1, high=9, help="How many")
    share: float = option(0.25, low=0.0, high=1.0, help="How much")
    threshold: float = option(0.01, low=0.0, high=1.0, help="From where")
    components: int | None = option(0, low=0, high=50, help="Components")
    parts: int = option(0, low=0, high=50, zero="Automatic", help="Parts")
    rotation: str = option("varimax", choices=("varimax", "none"), help="Rotation")
    pool: tuple[str, ...] = option(("signed",), help="Functions")
    kinds: tuple[str, ...] = option((), choices=("a", "b"), help="Kinds")
    log: bool = option(False, help="Logarithms")
    seed: int = option(0, low=0, high=100, help="Seed", expert=True)


@pytest.fixture(autouse=True)
def _toy_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the options above importable by the script under test."""
    import sys
    import types

    module = types.ModuleType("tests_pages_toy")
    module.Toy = Toy
    monkeypatch.setitem(sys.modules, "tests_pages_toy", module)


def _run(**url: str | list[str]) -> AppTest:
    at = AppTest.from_function(_form)
    for key, value in url.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def test_untouched_widgets_give_the_defaults() -> None:
    assert _run().session_state["result"] == Toy()


def test_every_widget_has_its_options_help_and_key() -> None:
    at = _run()
    widgets = [*at.number_input, *at.select_slider, *at.selectbox, *at.multiselect, *at.toggle]
    helps = {w.key.removeprefix("toy_"): w.help for w in widgets}
    assert helps == {spec.name: spec.help for spec in specs(Toy)}


def test_experts_options_are_behind_a_button() -> None:
    more = _run().get("popover")[0]
    assert [n.key for n in more.number_input] == ["toy_seed"]


@pytest.mark.parametrize(
    ("url", "shown", "kept"), [({}, None, 0), ({"toy_parts": "0"}, None, 0), ({"toy_parts": "7"}, 7, 7)]
)
def test_no_number_is_an_empty_field_that_says_what_it_means(url: dict[str, str], shown: int | None, kept: int) -> None:
    at = _run(**url)
    field = at.number_input(key="toy_parts")
    assert (field.label, field.placeholder, field.value) == ("Parts", "Automatic", shown)
    assert at.session_state["result"].parts == kept


CHOSEN = Toy(
    count=5,
    share=0.5,
    threshold=0.1,
    components=7,
    parts=5,
    rotation="none",
    pool=("log2", "own"),
    kinds=("b",),
    log=True,
    seed=4,
)


@pytest.mark.parametrize("options", [CHOSEN, Toy(components=None), Toy(pool=("signed", "log2"))])
def test_the_url_of_options_gives_the_options_back(options: Toy) -> None:
    url = url_options(Toy, "toy", options.__dict__)
    assert _run(**url).session_state["result"] == options


def test_defaults_are_left_out_of_the_url() -> None:
    assert url_options(Toy, "toy", Toy().__dict__) == {}
    assert url_options(Toy, "toy", {"count": 5}) == {"toy_count": "5"}


def test_widget_values_make_the_form_show_the_options() -> None:
    at = AppTest.from_function(_form)
    for key, value in widget_values(Toy, "toy", CHOSEN.__dict__).items():
        at.session_state[key] = value
    assert at.run().session_state["result"] == CHOSEN


def test_a_url_out_of_bounds_is_ignored() -> None:
    assert _run(toy_count="99", toy_rotation="sideways").session_state["result"] == Toy()


def test_options_as_stored_in_a_model_file_are_understood() -> None:
    from core.recipes.eiger import Eiger

    plain = {"components": None, "pool": ["table1", "linear"], "threshold": 0.01, "unknown": 1}
    assert url_options(Eiger, "eiger", plain) == {
        "eiger_components_given": "false",
        "eiger_pool": ["table1", "linear"],
        "eiger_threshold": "0.01",
    }
