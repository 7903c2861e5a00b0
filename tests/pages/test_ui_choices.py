"""The choices that all pages share: from the URL, into the URL, from page to page, and out of date."""

import pytest
from streamlit.testing.v1 import AppTest

from core.workspace import APP
from tests.pages.toys import sound, toy_import


@pytest.fixture
def two(database) -> None:
    from pages._ui.database import store

    store().add("first", toy_import(4))
    store().add("second", toy_import(6))


def url(at: AppTest) -> dict[str, list[str]]:
    shared = ("dataset", "response", "metrics", "where")
    return {k: v if isinstance(v, list) else [v] for k, v in at.query_params.items() if k in shared}


def test_defaults_stay_out_of_the_url(two, open_page) -> None:
    at = sound(open_page("trials"))
    assert (at.selectbox(key="dataset").value, at.selectbox(key="response").value) == ("first", "time")
    assert url(at) == {}


def test_the_url_chooses(two, open_page) -> None:
    at = sound(open_page("trials", dataset="second", response="bytes", where="machine=gpu1"))
    assert (at.selectbox(key="dataset").value, at.selectbox(key="response").value) == ("second", "bytes")
    assert at.multiselect(key="where").value == ["machine=gpu1"]
    assert "6 trials of 24, filtered" in "".join(c.value for c in at.caption)
    assert url(at) == {"dataset": ["second"], "response": ["bytes"], "where": ["machine=gpu1"]}


def test_a_browser_that_draws_a_choice_after_a_later_run_shows_what_was_chosen(two, open_page) -> None:
    """A later run sets nothing: what is drawn then is the default that the run tells."""
    at = sound(open_page("trials", dataset="second", where="machine=gpu1").run())
    dataset, where = at.selectbox(key="dataset").proto, at.multiselect(key="where").proto
    assert not dataset.set_value
    assert dataset.options[dataset.default] == "second"
    assert [where.options[i] for i in where.default] == ["machine=gpu1"]


def test_a_choice_enters_the_url_and_leaves_it_with_the_default(two, open_page) -> None:
    at = open_page("trials")
    at.selectbox(key="dataset").set_value("second").run()
    assert url(at) == {"dataset": ["second"]}
    at.selectbox(key="dataset").set_value("first").run()
    assert url(at) == {}


def test_what_a_run_set_that_was_cut_short_is_sent_by_the_next() -> None:
    def script() -> None:
        import streamlit as st

        from pages._ui.choices import pick, right_address

        pick("Dataset", ["first", "second"], "dataset")
        if st.session_state.setdefault("runs", 1) == 1:
            st.session_state["runs"] = 2
            st.stop()  # as a run that a browser's next one cuts short, and whose messages are dropped
        right_address()

    at = AppTest.from_function(script)
    at.query_params["dataset"] = "second"
    shown = at.run().run().selectbox(key="dataset").proto
    assert (shown.set_value, shown.raw_value) == (True, "second")
    assert not at.run().selectbox(key="dataset").proto.set_value


def test_a_run_that_back_asked_for_goes_by_its_own_address_whatever_a_stopped_one_puts_there() -> None:
    def script() -> None:
        import threading
        import time
        from unittest.mock import MagicMock

        import streamlit as st
        from streamlit.runtime.scriptrunner import get_script_run_ctx
        from streamlit.runtime.scriptrunner_utils.script_run_context import SCRIPT_RUN_CONTEXT_ATTR_NAME

        from pages._ui.choices import take_own_address

        context = get_script_run_ctx()
        context.is_history_navigation = st.query_params["back"] == "yes"

        def begin() -> None:
            time.sleep(0.1)
            with context.session_state.query_params() as address:
                address.set_initial_query_params("view=Metrics")
                address.populate_from_query_string("view=Metrics")

        stopped = threading.Thread(target=begin)
        beside = MagicMock(session_id=context.session_id, has_script_started=False, parallel_coordinator=None)
        setattr(stopped, SCRIPT_RUN_CONTEXT_ATTR_NAME, beside)
        stopped.start()
        take_own_address()
        stopped.join()
        st.tabs(["Trials", "Metrics", "Clusters"], key="view", bind="query-params", on_change="rerun")
        st.caption(st.session_state["view"])

    for back, shown in (("yes", "Clusters"), ("no", "Metrics")):
        at = AppTest.from_function(script)
        at.query_params["back"], at.query_params["view"] = back, "Clusters"
        assert [caption.value for caption in at.run().caption] == [shown]


def test_a_changed_url_changes_the_widget(two, open_page) -> None:
    at = open_page("trials", dataset="second")
    at.query_params["dataset"] = "first"
    assert sound(at.run()).selectbox(key="dataset").value == "first"
    at.query_params["dataset"] = "second"
    assert sound(at.run()).selectbox(key="dataset").value == "second"


def test_a_browser_that_asks_before_it_learnt_of_a_change_undoes_nothing(two, open_page) -> None:
    at = open_page("trials")
    at.selectbox(key="dataset").set_value("second").run()
    del at.query_params["dataset"]  # as a run that a timer began before the browser was told
    assert sound(at.run()).selectbox(key="dataset").value == "second"
    assert url(at) == {"dataset": ["second"]}


def test_the_address_says_what_a_widget_shows_whatever_the_browser_forgot(two, open_page) -> None:
    at = open_page("explore", explore_clusters="2", explore_components="2")
    assert (at.query_params["explore_clusters"], at.query_params["explore_components"]) == ("2", "2")
    at.number_input(key="explore_clusters").set_value(1).run()  # AppTest moves widgets, and writes no address
    assert at.query_params["explore_clusters"] == "1"
    del at.query_params["explore_clusters"]  # as an earlier run's message does, which knew nothing of the move
    at.number_input(key="explore_components").set_value(1).run()
    assert (at.query_params["explore_clusters"], at.query_params["explore_components"]) == ("1", "1")
    at.number_input(key="explore_clusters").set_value(3).run()  # the usual number
    assert "explore_clusters" not in sound(at).query_params


@pytest.mark.parametrize("dataset", ["gone", "![x](http://evil.example)"])
def test_an_unknown_dataset_in_the_url_is_left_out(two, open_page, dataset: str) -> None:
    at = sound(open_page("trials", dataset=dataset))
    assert at.selectbox(key="dataset").value == "first"
    assert url(at) == {}


def test_links_to_other_pages_carry_the_choices(two, open_page) -> None:
    at = sound(open_page("trials", dataset="second", where="machine=gpu1"))
    links = {link.label: link.query_string for link in (block.proto for block in at.main.get("page_link"))}
    assert set(links) == {"Explore its metrics", "Make a model"}
    assert all("dataset=second" in choices for choices in links.values())
    assert all("machine" in choices for choices in links.values())


def test_the_navigation_leads_to_every_page(two) -> None:
    at = sound(AppTest.from_file(str(APP), default_timeout=600).run())
    assert [link.proto.label for link in at.sidebar.get("page_link")] == [
        "Start",
        "Trials",
        "Explore",
        "Model",
        "Compare",
        "Experiments",
        "Design space",
        "Scaling",
        "Models",
        "Papers",
    ]


def test_a_filter_of_ones_own(two, open_page) -> None:
    at = sound(open_page("trials", where="clock>2.5"))
    assert at.multiselect(key="where").value == ["clock>2.5"]
    at = open_page("trials", where="nonsense")
    assert at.error[0].value.replace("\\", "").startswith("Filter 'nonsense' is not understood: write a column")


def test_a_link_with_the_words_of_some_options_chooses_them() -> None:
    script = """
from pages._ui.choices import pick_several
pick_several("Several", ["one", "two", "three"], "several", words={"one": "First", "two": "2nd", "three": "3rd"}.get)
"""
    at = AppTest.from_string(script)
    at.query_params["several"] = ["2nd", "three", "gone"]
    assert sound(at.run()).multiselect(key="several").value == ["two", "three"]


def test_metrics_of_another_dataset_are_forgotten(two, open_page) -> None:
    at = sound(open_page("explore", metrics="clock"))
    assert at.multiselect(key="metrics").value == ["clock"]
    at = sound(open_page("explore", metrics="none such"))
    assert at.multiselect(key="metrics").value == []


def test_an_empty_database_offers_a_sample_in_one_click(database, open_page) -> None:
    at = sound(open_page("explore"))
    assert at.info[0].value.startswith("There are no trials yet.")
    sound(at.button(key="load_first_sample").click().run())
    assert at.selectbox(key="dataset").value == "generations"


def test_a_new_database_starts_with_the_sample_and_a_deleted_one_stays_away(new_database, open_page) -> None:
    import streamlit as st

    from pages._ui.database import store

    at = sound(open_page("trials"))
    assert at.selectbox(key="dataset").value == "generations"
    store().datasets.delete("generations")
    st.cache_resource.clear()
    assert sound(open_page("trials")).info[0].value.startswith("There are no trials yet.")


def test_a_database_in_use_is_said_in_one_sentence(database, open_page) -> None:
    from core.store import Store

    with Store.open(database):
        at = open_page("trials")
    assert not at.exception
    assert len(at.error) == 1
    assert "in use" in at.error[0].value
