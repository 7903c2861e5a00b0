"""The Experiments page: a preset run in one click, kept, drawn, its best setting opened; files and earlier ones."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.experiment.toml_text import read_experiment
from core.ingest import load_sample
from core.workspace import SAMPLES
from tests.pages.conftest import PATIENT_S
from tests.pages.toys import charts, drawings, press, sound, toy_import

VALUES = {"error_against_dimensions_components_values": "1, 2", "error_against_dimensions_folds": "kfold:2"}


@pytest.fixture
def toys(stock) -> None:
    stock("toys", toy_import)


def finished(at: AppTest) -> AppTest:
    """Wait for the job under way, and return the page after it."""
    from pages._ui import jobs

    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(PATIENT_S), job.message
    return sound(at.run())


def ran(open_page, **more: str) -> AppTest:
    at = sound(open_page("experiments", **VALUES, workers="1", **more))
    assert any("4 fits of 2 settings" in c.value for c in at.caption)
    at.button("run_experiment").click().run()
    return finished(at)


def test_a_preset_is_run_drawn_and_kept(toys, open_page) -> None:
    at = ran(open_page)
    assert any("The smallest mean error is" in m.value.replace("\\", "") for m in at.markdown)
    names = {trace.get("name") for chart in charts(at) for trace in chart["data"]}
    assert {"held out", "training", "smallest error"} <= names
    assert not [b for b in at.button if b.key == "run_experiment"]
    from pages._ui.database import store

    (card,) = store().experiments.all()
    assert (card.name, card.n_fits) == ("Error against dimensions", 4)
    assert read_experiment(card.document).vary[0].values == (1, 2)


def test_before_its_first_run_an_experiment_shows_what_it_will_try(toys, open_page) -> None:
    at = sound(open_page("experiments", **VALUES, workers="1"))
    assert not charts(at)
    assert drawings(at) == ["0 of 4 are done, over 2 components."]


def test_a_scaling_experiment_shows_its_bases_before_its_first_run(database, open_page) -> None:
    from pages._ui.database import store

    store().add("scaling", load_sample(SAMPLES / "scaling"))
    at = sound(open_page("experiments", way="File", ready_made="Error against the base configuration"))
    (said,) = drawings(at)
    assert said.startswith("0 of "), said


def test_while_it_runs_the_errors_of_each_kind_of_folds_can_be_looked_at(toys, open_page, monkeypatch) -> None:
    at = open_page("experiments", **VALUES, workers="1")
    at.query_params["error_against_dimensions_folds"] = ["kfold:2", "kfold:3"]
    sound(at.run()).button("run_experiment").click().run()
    finished(at)
    monkeypatch.setattr("pages._experiments.body.run_or_wait", lambda question: False)
    found = []
    for folds in ("kfold:2", "kfold:3"):
        sound(at.segmented_control("experiment_folds").set_value(folds).run())
        found.append(next(t["y"] for t in charts(at)[0]["data"] if t["name"] == "held out"))
    assert found[0] != found[1]


def test_the_best_setting_opens_on_the_model_page(toys, open_page) -> None:
    at = ran(open_page)
    at.button("open_0").click().run()
    assert at.title[0].value == "Model"
    assert at.number_input("eiger_components").value in (1, 2)
    assert at.selectbox("folds").value == "kfold:2"


def test_repeats_are_rows_on_the_model_page_as_they_were_in_the_experiment(database, open_page) -> None:
    from pages._ui.database import store

    once = toy_import(5).trials
    twice = once.take([*range(20), *range(20)])
    values = twice.values * np.repeat([1.0, 1.02], 20)[:, None]
    store().add("toys", replace(toy_import(), trials=replace(twice, values=values)))
    ran(open_page)
    at = sound(open_page("experiments", way="Earlier", repeats="median"))
    at.button("open_0").click().run()
    assert at.selectbox("repeats").value == "each"


def test_earlier_experiments_are_listed_and_shown_without_running(toys, open_page) -> None:
    ran(open_page)
    at = sound(open_page("experiments", way="Earlier"))
    assert at.header[0].value == "Error against dimensions"
    assert charts(at)
    press(at, "forget_experiment")
    assert any("No experiment was begun" in i.value for i in at.info)


def test_no_other_experiment_is_forgotten_than_the_one_in_view(toys, open_page) -> None:
    from pages._ui.database import store

    ran(open_page)
    (card,), kept = store().experiments.all(), store().experiments
    kept.keep("toys", "other", "Another", card.n_fits, card.document)
    at = sound(open_page("experiments", way="Earlier", earlier=card.id))
    kept.forget(card.id)  # by somebody else
    press(at, "forget_experiment")
    assert [card.id for card in kept.all()] == ["other"]


def test_what_was_stopped_goes_on(toys, open_page) -> None:
    from pages._ui.database import store

    ran(open_page)
    store()._connection.write(
        lambda c: c.execute("DELETE FROM experiment_result WHERE fit = (SELECT min(fit) FROM experiment_result)")
    )
    from pages._ui.database import held

    held(str(store().path), "experiments").clear()
    at = sound(open_page("experiments", **VALUES, workers="1"))
    assert any("3 are done and kept" in c.value for c in at.caption)
    assert next(b for b in at.button if b.key == "run_experiment").label == "Go on"
    at.button("run_experiment").click().run()
    finished(at)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ({"error_against_dimensions_components_values": "many"}, "must be a whole number"),
        ({"error_against_dimensions_folds": "kfold:1000"}, "1000"),
        ({"error_against_dimensions_components_values": "1 to x"}, "must be a whole number"),
    ],
)
def test_a_wrong_choice_is_one_sentence(toys, open_page, url: dict[str, str], said: str) -> None:
    at = open_page("experiments", **url)
    assert not at.exception
    assert [said in e.value for e in at.error] == [True]


def test_ready_made_ones_name_the_sample_that_is_missing(toys, open_page) -> None:
    at = open_page("experiments", way="From a file", ready_made="Error against the number of designs")
    assert not at.exception
    assert ["There is no dataset" in e.value for e in at.error] == [True]


def test_an_uploaded_file(toys, open_page) -> None:
    at = sound(open_page("experiments", way="File", ready_made="A file of my own", workers="1"))
    text = 'name = "mine"\ndataset = "toys"\nresponse = "time"\nrecipe = ["ols", "ridge"]\nfolds = "by:machine"\npredictions = true'
    at.file_uploader("experiment_file").set_value(("mine.toml", text.encode(), "application/toml")).run()
    sound(at).button("run_experiment").click().run()
    finished(at)
    assert at.header[0].value == "mine"
    assert len(charts(at)) == 1
    at.query_params["experiment_view"] = "Predictions"
    assert len(charts(sound(at.run()))) == 4


def test_every_preset_can_be_asked(toys, open_page) -> None:
    at = sound(open_page("experiments"))
    for name in at.selectbox("preset").options:
        sound(at.selectbox("preset").set_value(name).run())
        assert any("fits of" in c.value for c in at.caption), name


def test_a_local_cluster_gives_the_same(toys, open_page) -> None:
    pytest.importorskip("distributed")
    at = sound(open_page("experiments", **VALUES, workers="2"))
    at.radio("place").set_value("Dask, made here").run()
    at.button("run_experiment").click().run()
    finished(at)
    assert any("The smallest mean error is" in m.value.replace("\\", "") for m in at.markdown)


def test_an_address_where_nobody_answers_is_one_sentence(toys, open_page, monkeypatch) -> None:
    pytest.importorskip("distributed")
    from core.execution import _cluster

    monkeypatch.setattr(_cluster, "_CONNECT_S", 0.3)
    at = sound(open_page("experiments", **VALUES, place="Dask, at an address"))
    at.text_input("cluster").set_value("tcp://127.0.0.1:9").run()
    at.button("run_experiment").click().run()
    from pages._ui import jobs

    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(PATIENT_S)
    at.run()
    assert not at.exception
    assert ["No Dask scheduler answers at tcp://127.0.0.1:9" in e.value.replace("\\", "") for e in at.error] == [True]


def test_without_dask_it_is_said_before_anything_runs(toys, open_page, monkeypatch) -> None:
    from pages._experiments import body

    monkeypatch.setattr(body, "find_spec", lambda name: None)
    at = sound(open_page("experiments", **VALUES, place="Dask, made here"))
    assert any("ridgeline[cluster]" in w.value for w in at.warning)


OWN = {"preset": "An experiment of my own", "an_experiment_of_my_own_folds": "kfold:2", "workers": "1"}


def test_three_options_are_varied_and_drawn(toys, open_page) -> None:
    three = {"max_terms": "2, 3", "components": "1, 2", "response_scale": "raw, log"}
    url = {f"an_experiment_of_my_own_vary{i}": name for i, name in enumerate(three)}
    url |= {f"an_experiment_of_my_own_{name}_values": values for name, values in three.items()}
    at = sound(open_page("experiments", **OWN, **url))
    assert any("16 fits of 8 settings" in c.value for c in at.caption)
    at.button("run_experiment").click().run()
    finished(at)
    assert len(charts(at)) == 2
    for over in three:
        sound(at.segmented_control("over").set_value(over).run())
    at.query_params["experiment_view"] = "All settings"
    assert len(sound(at.run()).dataframe[0].value) == 8
    assert not charts(at)


def test_a_familys_scales_are_carried_to_the_model_page(toys, open_page) -> None:
    url = {
        "an_experiment_of_my_own_recipes": "ridge",
        "an_experiment_of_my_own_vary0": "response_scale",
        "an_experiment_of_my_own_response_scale_values": "raw",
    }
    at = sound(open_page("experiments", **OWN, **url))
    at.button("run_experiment").click().run()
    finished(at)
    at.button("open_0").click().run()
    assert at.title[0].value == "Model"
    assert at.selectbox("recipe").value == "ridge"
    assert at.selectbox("ridge_response_scale").value == "raw"
    assert at.selectbox("ridge_metric_scale").value == "auto"
