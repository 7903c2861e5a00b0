"""The Explore page: every view draws, choices come from the URL, chosen points become a table."""

import numpy as np
import pytest

from core.trial import Import, Kind, Metric, Trials
from tests.pages.toys import N_APPS, N_MACHINES, charts, choose, sound, toy_import


@pytest.mark.parametrize(
    ("view", "n_charts", "headings"),
    [
        ("Trials", 2, []),
        ("Metrics", 2, ["Metrics with each other", "Metrics with time"]),
        ("Components", 2, ["How many components", "What they are made of"]),
        ("Clusters", 1, ["How many clusters", "What is in each"]),
    ],
)
def test_every_view_draws(toy, open_page, view: str, n_charts: int, headings: list[str]) -> None:
    at = sound(open_page("explore", view=view))
    assert len(charts(at)) == n_charts
    assert [s.value for s in at.header] == headings


def test_choices_come_from_the_url(toy, open_page) -> None:
    at = sound(open_page("explore", explore_components="2", explore_clusters="4", colour="vendor", x="RC2", y="RC1"))
    assert at.number_input(key="explore_components").value == 2
    assert at.selectbox(key="x").value == "RC2"
    titles = charts(at)[0]["layout"]
    assert titles["xaxis"]["title"]["text"].startswith("RC2: ")
    assert titles["yaxis"]["title"]["text"].startswith("RC1: ")
    assert [t["name"] for t in charts(at)[0]["data"]] == ["x", "y"]
    assert {m.label: m.value for m in at.metric}["Components"] == "2"
    assert {m.label: m.value for m in at.metric}["Clusters"] == "4"


def test_axes_stay_as_the_number_of_clusters_moves(toy, open_page) -> None:
    at = sound(open_page("explore"))
    axes = at.selectbox(key="x").value, at.selectbox(key="y").value
    for k in (2, 5):
        sound(at.number_input(key="explore_clusters").set_value(k).run())
        assert (at.selectbox(key="x").value, at.selectbox(key="y").value) == axes


def test_the_number_of_clusters_that_the_silhouette_asks_for_is_one_click_away(toy, open_page) -> None:
    at = sound(open_page("explore", view="Clusters", explore_clusters="9"))
    best = int(at.button(key="best_clusters").label.removeprefix("Show "))
    sound(at.button(key="best_clusters").click().run())
    assert at.number_input(key="explore_clusters").value == best != 9
    assert "best_clusters" not in {button.key for button in at.button}


def test_the_two_axes_are_never_the_same(toy, open_page) -> None:
    at = sound(open_page("explore", explore_components="2", x="RC2", y="RC2"))
    assert (at.selectbox(key="x").value, at.selectbox(key="y").value) == ("RC2", "RC1")
    sound(at.selectbox(key="x").set_value("RC1").run())
    assert at.selectbox(key="y").value == "RC2"


def test_a_chart_whose_points_can_be_chosen_needs_no_second_drawing(toy, open_page) -> None:
    for chart in charts(sound(open_page("explore"))):
        layout = chart["layout"]
        assert (layout["clickmode"], layout["hovermode"], layout["dragmode"]) == ("event+select", "closest", "pan")
        assert not any(layout[axis]["automargin"] for axis in ("xaxis", "yaxis"))


def test_trials_loadings_and_rows_follow_each_other(toy, open_page) -> None:
    at = open_page("explore")
    for whole in (False, True):
        choose(at, "scores", points=[{"customdata": 3}, {"customdata": 5}])
        choose(at, "axis_loadings", points=[{"customdata": 0}])
        if whole:  # the table is there once there are trials to list
            choose(at, "chosen_trials", rows=[1])
        at.run()
    scatter, loadings = charts(sound(at))
    assert scatter["layout"]["coloraxis"]["colorbar"]["title"]["text"] == "bytes (B)"
    assert loadings["data"][0]["marker"]["colorbar"]["title"]["text"] == "chosen trials, sd from the mean"
    assert scatter["data"][-1]["name"] == "marked"


@pytest.mark.parametrize("colour", ["cluster", "application", "machine", "vendor", "response", "nothing"])
def test_points_are_coloured_by_anything(toy, open_page, colour: str) -> None:
    at = sound(open_page("explore", colour=colour))
    assert sum(len(t["text"]) for t in charts(at)[0]["data"]) == N_APPS * N_MACHINES


def test_chosen_points_are_shown_as_trials(toy, open_page) -> None:
    at = open_page("explore")
    points = [{"customdata": "3"}, {"customdata": ["5"]}, {"customdata": 3}]
    choose(at, "scores", points=points, point_indices=[], box=[], lasso=[])
    sound(at.run())
    assert at.header[-1].value == "2 chosen trials"
    shown = at.dataframe[-1].value
    assert len(shown) == 2
    assert {"application", "machine", "vendor", "time (us)", "clock (GHz)"} <= set(shown.columns)


def test_what_was_chosen_among_other_trials_is_forgotten(toy, open_page) -> None:
    at = open_page("explore")
    choose(at, "scores", points=[{"customdata": 3}, {"customdata": 39}], point_indices=[], box=[], lasso=[])
    choose(at, "axis_loadings", points=[{"customdata": 3}], point_indices=[], box=[], lasso=[])
    at.multiselect(key="where").set_value(["machine=gpu0"])
    assert "chosen trial" not in " ".join(header.value for header in sound(at.run()).header)


def test_clusters_are_the_usual_ones_again_once_a_filter_to_one_trial_is_lifted(toy, open_page) -> None:
    at = sound(open_page("explore"))
    for where, usual in ((["application=app*1*", "machine=gpu0"], 1), ([], 3)):
        at.multiselect(key="where").set_value(where).run()
        assert at.number_input(key="explore_clusters").value == usual


def test_constant_metrics_are_named(database, open_page) -> None:
    from pages._ui.database import store

    store().add("toy", toy_import(constant=True))
    at = sound(open_page("explore", view="Metrics", metrics=["lanes", "clock", "bytes"]))
    assert any("lanes" in c.value for c in at.caption)


def test_a_filter_that_leaves_too_little_is_one_sentence(toy, open_page) -> None:
    at = open_page("explore")
    at.session_state["where"] = ["application=nothing"]
    at.run()
    assert not at.exception
    assert len(at.error) == 1
    assert not charts(at)


def test_the_way_to_a_model_takes_the_choices_along(toy, open_page) -> None:
    at = open_page("explore", explore_components="2", explore_clusters="2", explore_rotation="none")
    at.button(key="to_model").click().run()
    sound(at)
    assert at.title[0].value == "Model"
    assert at.number_input(key="eiger_components").value == 2
    assert at.number_input(key="eiger_clusters").value == 2
    assert at.selectbox(key="eiger_rotation").value == "none"


def test_without_trials_there_is_a_way_on(database, open_page) -> None:
    at = sound(open_page("explore"))
    assert at.button(key="load_first_sample")


def test_limits_are_offered_where_counters_tell_them(toy, open_page) -> None:
    from pages._ui.database import store

    names = ["VALUBusy", "MemUnitBusy", "flop_count_sp", "dram_read_transactions", "dram_write_transactions"]
    metrics = (*(Metric(name) for name in names), Metric("time_s", Kind.RESPONSE, "s"))
    values = np.array([[90 - 8 * i, 5 + 9 * i, 1e9 + 1e8 * i, 1e6, 2e6 + 1e5 * i, 1e-3 + 1e-4 * i] for i in range(10)])
    apps = [f"k{i}" for i in range(10)]
    store().add("busy", Import("busy", "0" * 64, "csv", Trials(apps, [""] * 10, [""] * 10, metrics, values)))
    at = sound(open_page("explore", dataset="busy", view="Limits"))
    assert [s.value for s in at.header] == ["What limits each kernel", "Kernels under the roofline"]
    assert len(charts(at)) == 1
    assert at.dataframe[0].value["limited by"].tolist()[::9] == ["compute", "memory"]
    at = sound(open_page("explore", dataset="toy", view="Limits"))
    assert "What limits each kernel" not in [s.value for s in at.header]
