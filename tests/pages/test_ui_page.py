"""The frame of a page: one sentence for a user's error, a reference for a bug, and nothing more of it."""

import logging

import pytest
from streamlit.testing.v1 import AppTest


def _script() -> None:
    import streamlit as st

    from core.errors import ReadError
    from pages._ui.page import from_app, page

    from_app()
    with page("Title", "Intro."):
        if st.query_params.get("fail") == "user":
            raise ReadError("run7.csv line 14: metric 'l2_misses' is '![x](http://a/b)'. Fix the row.")
        if st.query_params.get("fail") == "bug":
            raise KeyError("secret /etc/path")
        st.write("body")


def _run(fail: str = "") -> AppTest:
    at = AppTest.from_function(_script)
    at.query_params["fail"] = fail
    return at.run()


def test_head_and_body() -> None:
    at = _run()
    assert at.title[0].value == "Title"
    assert [m.value for m in at.markdown] == [":gray[Intro.]", "body"]
    assert not at.error


def test_a_users_error_is_one_escaped_sentence() -> None:
    at = _run("user")
    assert not at.exception
    assert [e.value for e in at.error] == [
        "run7\\.csv line 14\\: metric \\'l2_misses\\' is \\'\\!\\[x\\](http\\:\u2060\\/\\/a\\/b)\\'\\. Fix the row\\."
    ]


def test_a_bug_shows_a_reference_and_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        at = _run("bug")
    assert not at.exception
    shown = at.error[0].value
    assert "secret" not in shown
    reference = shown.partition("reference is ")[2][:8]
    assert f"reference {reference}" in caplog.text
    assert "secret /etc/path" in caplog.text


def test_every_page_runs_from_the_app_with_its_title(database, open_page) -> None:
    expected = {
        "trials": "Trials",
        "explore": "Explore",
        "model": "Model",
        "design_space": "Design space",
        "scaling": "Scaling",
        "models": "Models",
        "papers": "Papers",
    }
    assert {name: open_page(name).title[0].value for name in expected} == expected


def _number_script() -> None:
    import streamlit as st

    from pages._ui.choices import whole
    from pages._ui.page import from_app, page

    from_app()
    with page("Title", "Intro."):
        st.write(f"{whole('Number', 1, 9, 3, 'number')} {st.query_params.get('dataset')}")


@pytest.mark.parametrize("text", ["9" * 400, "-" + "9" * 400, "1e999", "+1e999"])
def test_a_number_beyond_all_numbers_in_the_address_is_dropped(text: str) -> None:
    at = AppTest.from_function(_number_script)
    at.query_params["number"] = text
    at.query_params["dataset"] = "infinity"
    at.run()
    assert not at.exception
    assert not at.error
    assert [m.value for m in at.markdown] == [":gray[Intro.]", "3 infinity"]
