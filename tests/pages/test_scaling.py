"""The Scaling page: every view draws, sliders move predictions, clicks set the base, mistakes are named."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.report.scaling.race import KERNELS_HELD_OUT
from core.scaling.predictors import PREDICTORS
from core.trial import Import, Kind, Trials
from pages._ui import state
from tests.pages.conftest import PATIENT_S
from tests.pages.toys import charts, drawings, sound, toy_import
from tests.scaling.made import made_study

VIEWS = ("Kernels", "Clusters", "Bases", "Predict", "Roofline", "Race", "Measure next", "Applications")
CORES, CLOCK = "target_cores", "target_clock_mhz"


def study_import(n_kernels: int = 24, holes: int = 0, constant: bool = False, responses: int = 2) -> Import:
    """Kernels over cores, clock and bandwidth, with time and power; some cells left out."""
    study = made_study(n_kernels, (2, 3, 2))
    n, m = study.n_kernels, study.n_configurations
    values = study.values.copy()
    if constant:
        values[0] = 1.0
    counts = np.broadcast_to(study.counts, (n, m, len(study.counters)))
    columns = [np.tile(study.grid, (n, 1)), *(v.reshape(-1, 1) for v in values[:responses])]
    table = np.hstack([*columns, counts.reshape(n * m, -1)])
    names = np.repeat(np.array(study.kernels, dtype=object), m)
    keep = np.sort(np.random.default_rng(0).permutation(n * m)[holes:])
    metrics = (*study.axes, *study.responses[:responses], *study.counters)
    trials = Trials(tuple(names[keep]), ("",) * len(keep), ("gpu",) * len(keep), metrics, table[keep])
    return Import(source="study.csv", sha256=f"{n_kernels}{holes}{constant}{responses}", format="csv", trials=trials)


def scattered() -> Import:
    """Three kernels, of which hardly two were measured at one configuration."""
    return study_import(n_kernels=3, holes=22)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page wait for what it computes, however slow the machine is: nothing watches jobs here."""
    monkeypatch.setattr("pages._ui.jobs._AT_ONCE_S", PATIENT_S)


@pytest.fixture
def study(stock) -> None:
    stock("study", study_import)


def add(trials: Import) -> None:
    from pages._ui.database import store

    store().add("study", trials)


def view(open_page, name: str, **url: str) -> AppTest:
    """Open a view with a predictor that takes no time."""
    chosen = {"scaling_predictor": PREDICTORS["nearest_kernels"].label, "scaling_folds": "holdout:20%", **url}
    return open_page("scaling", scaling_view=name, **{"dataset": "study", **chosen})


def test_the_filters_of_the_sidebar_narrow_the_study(study, open_page) -> None:
    whole = sound(view(open_page, "Kernels"))
    at = sound(view(open_page, "Kernels", where="clock_mhz<=700"))
    first, fewer = (next(c.value for c in page.caption if "× " in c.value).replace("\\", "") for page in (whole, at))
    assert "24 kernels × 12 configurations" in first
    assert "only trials" not in first
    assert "24 kernels × 8 configurations" in fewer
    assert "only trials with clock_mhz<=700" in fewer


def test_points_of_a_design_space_lead_to_its_page(stock, open_page) -> None:
    stock("study", scattered)
    page = view(open_page, "Predict")
    assert not page.error
    assert "measured with one kernel alone" in said(page)


def metric(at: AppTest, label: str) -> str:
    return next(m.value for m in at.metric if m.label.replace("\\", "") == label)


def said(at: AppTest) -> str:
    """Return everything that a page says in words."""
    parts = [e.value for e in (*at.markdown, *at.caption, *at.info, *at.error)]
    return " ".join(parts).replace("\\", "")


def test_a_newcomer_is_one_click_from_curves(database, open_page) -> None:
    from pages._ui.database import store

    store().add("toy", toy_import())
    at = sound(open_page("scaling"))
    assert "nothing to scale over" in said(at)
    sound(at.button(key="scaling_sample").click().run())
    assert at.selectbox(key="dataset").value == "scaling"
    assert "130 kernels × 448 configurations" in said(at)
    assert len(drawings(at)) == 4


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_draws(study, open_page, name: str) -> None:
    at = sound(view(open_page, name, race_predictors="mean_surface"))
    assert "24 kernels × 12 configurations, 3 counters" in said(at)
    assert drawings(at) or charts(at)


def test_behaviours_are_told_and_kernels_stand_side_by_side(study, open_page) -> None:
    at = sound(view(open_page, "Kernels", scaling_kernel="compute_0"))
    assert "compute_0 is compute-bound." in said(at).replace("**", "")
    assert len(drawings(at)) == 4
    at.multiselect(key="scaling_others").set_value(["mixed_2"]).run()
    assert drawings(sound(at))[0] == "Colours of the curves: compute_0, mixed_2."
    behaviour = at.dataframe[0].value.set_index("kernel")["behaviour"]
    assert (behaviour["compute_0"], behaviour["mixed_2"]) == ("compute-bound", "bandwidth-bound")


def test_what_hardly_reacts_is_told_as_the_curve_draws_it(database, open_page) -> None:
    """A reach of 0.966 to 1.02 was 0.97 to 1, beside a curve that goes to 1.02."""
    imported = study_import()
    trials = imported.trials
    cores, watts = (trials.metrics.index(m) for m in (made_study().axes[0], made_study().responses[1]))
    values = trials.values.copy()
    values[:, watts] = np.where(values[:, cores] == values[:, cores].min(), 1.0174, 1.0)
    add(replace(imported, trials=replace(trials, values=values)))
    at = sound(view(open_page, "Kernels", response="power_w"))
    assert "has 1 to 1.02 times the power_w of the base" in said(at).replace("\\", "")


def test_an_address_with_a_sample_that_nobody_loaded_leads_on_to_it(toy, open_page, monkeypatch) -> None:
    """Its other choices are still there; nothing outside the samples' folder is one."""
    loaded: list[str] = []

    def load(folder: Path) -> Import:
        loaded.append(folder.name)
        return toy_import()

    monkeypatch.setattr(state, "load_sample", load)
    at = sound(open_page("explore", dataset="scaling", x="RC2"))
    assert "asks for the sample" in said(at)
    assert not at.warning
    at = sound(at.button(key="load_asked_sample").click().run())
    assert loaded == ["scaling"]
    assert at.selectbox(key="dataset").value == "scaling"
    assert at.selectbox(key="x").value == "RC2"
    outside = sound(open_page("explore", dataset="../data"))
    assert "deleted or renamed" in outside.warning[0].value


def test_the_cluster_count_cuts_the_tree(study, open_page) -> None:
    at = sound(view(open_page, "Clusters", scaling_clusters="3"))
    assert len(drawings(at)) == 3
    at.slider(key="scaling_clusters").set_value(5).run()
    assert len(drawings(sound(at))) == 5
    assert sorted(at.dataframe[0].value["kernels"], reverse=True) == at.dataframe[0].value["kernels"].tolist()
    at.selectbox(key="scaling_method").set_value("kmeans").run()
    assert "k-means has no tree" in said(sound(at))


def test_a_click_on_the_map_sets_the_base(study, open_page) -> None:
    at = sound(view(open_page, "Bases", bases_clusters="3"))
    first = at.selectbox(key="scaling_base").value
    assert first == "cores=32, clock_mhz=1000, mem_gbs=260"
    at.session_state["base_heat"] = {"selection": {"points": [{"customdata": [2]}]}}
    sound(at.run())
    assert at.selectbox(key="scaling_base").value == "cores=4, clock_mhz=650, mem_gbs=60"
    assert "best" not in at.button(key="use_best_base").label  # several may be as good
    sound(at.button(key="use_best_base").click().run())
    assert at.selectbox(key="scaling_base").value != "cores=4, clock_mhz=650, mem_gbs=60"
    assert at.button(key="use_best_base").disabled


def test_numbers_of_clusters_are_compared(study, open_page) -> None:
    at = sound(view(open_page, "Bases", bases_clusters="3", bases_by_clusters="true"))
    assert any("clusters" in str(c["layout"].get("xaxis", {}).get("title")) for c in charts(at))


def test_sliders_move_time_power_energy(study, open_page) -> None:
    at = sound(view(open_page, "Predict", **{CORES: "32", CLOCK: "650", "target_mem_gbs": "260"}))
    before = [metric(at, name) for name in ("Predicted time_s", "Predicted power_w", "Energy", "Energy-delay")]
    drawn = drawings(at)
    sound(at.select_slider(key=CLOCK).set_value("300").run())
    after = [metric(at, name) for name in ("Predicted time_s", "Predicted power_w", "Energy", "Energy-delay")]
    assert all(a != b for a, b in zip(before, after, strict=True))
    assert "here 300" in drawings(at)[1]
    assert drawings(at) != drawn
    assert float(after[0].split()[0]) >= float(before[0].split()[0])


def test_a_target_between_measured_clocks(study, open_page) -> None:
    at = sound(view(open_page, "Predict", target_between="true", **{CLOCK: "387.5"}))
    assert at.select_slider(key=CLOCK).value == "387.5"
    assert metric(at, "Measured time_s") == "–"


def test_the_least_energy_is_one_click_away(study, open_page) -> None:
    at = sound(view(open_page, "Predict"))
    sound(at.button(key="to_least_time").click().run())
    fastest = metric(at, "Predicted time_s")
    sound(at.button(key="to_least_power").click().run())
    assert float(metric(at, "Predicted time_s").split()[0]) >= float(fastest.split()[0])
    assert "are beaten by none in time and power" in said(at)


def test_a_warning_has_words(study, open_page) -> None:
    page = sound(view(open_page, "Predict"))
    told = next(m.value for m in page.markdown if "check_circle" in m.value or ":material/warning:" in m.value)
    assert "Its counters lie inside the range" in told
    assert ":material/warning: ]" not in told


def test_a_kernel_can_be_predicted_as_if_unseen(study, open_page) -> None:
    at = sound(view(open_page, "Predict", predict_kernel="mixed_2"))
    assert "among those learnt from" in said(at)
    sound(at.toggle(key="predict_unseen").set_value(True).run())
    assert "among those learnt from" not in said(at)
    nearest = at.markdown[-1].value
    assert nearest.splitlines()[0].strip("| ") == "kernel | distance | behaviour"
    assert "mixed_2 |" not in nearest.replace("\\", "")


def test_a_power_alone_makes_no_energy(study, open_page) -> None:
    at = sound(view(open_page, "Predict", scaling_beside="None"))
    assert "Energy and the front need a time in seconds and a power in watts" in said(at)


def upload(at: AppTest, key: str, name: str, content: str) -> AppTest:
    next(u for u in at.get("file_uploader") if u.key == key).set_value((name, content.encode(), "text/plain"))
    return at.run()


def test_counters_of_a_new_kernel_are_uploaded(study, open_page) -> None:
    at = sound(view(open_page, "Predict", scaling_source="A file with counters"))
    table = "kernel,time_s,power_w,flops,bytes,valu_busy\nnew,0.1,60,1e9,1e8,50\n"
    sound(upload(at, "predict_upload", "new.csv", table))
    assert at.selectbox(key="predict_kernel").value == "new"
    assert metric(at, "Predicted time_s").endswith(" s")
    wrong = upload(at, "predict_upload", "wrong.csv", "kernel,power_w\nnew,60\n")
    assert wrong.error[0].value.replace("\\", "").startswith("wrong.csv has no column 'time_s'")


@pytest.mark.parametrize(
    ("name", "content", "why"), [("pic.png", "\x89PNG\r\n\x1a\n", "picture"), ("none.csv", "", "is empty")]
)
def test_any_file_can_be_chosen_and_is_answered_in_a_sentence(
    study, open_page, name: str, content: str, why: str
) -> None:
    at = view(open_page, "Predict", scaling_source="A file with counters")
    uploader = next(u for u in at.get("file_uploader") if u.key == "predict_upload")
    assert not uploader.proto.type  # else the browser refuses others with a mark that says nothing
    at = uploader.set_value((name, content.encode("latin-1"), "")).run()
    assert len(at.error) == 1
    assert why in at.error[0].value


def test_the_url_keeps_the_folds_of_kernels_and_understands_their_words(study, open_page) -> None:
    at = sound(
        open_page(
            "scaling",
            dataset="study",
            scaling_view="Race",
            race_folds="by:family",
            race_predictors="mean_surface",
        )
    )
    word = KERNELS_HELD_OUT["holdout:20%"]
    at = sound(at.selectbox(key="race_folds").set_value("holdout:20%").run())
    assert at.query_params["race_folds"] == "holdout:20%"
    other = sound(
        open_page(
            "scaling",
            dataset="study",
            scaling_view="Race",
            race_folds=word,
            race_predictors="mean_surface",
        )
    )
    assert other.selectbox(key="race_folds").value == "holdout:20%"


def test_a_file_that_is_no_model_is_refused(study, open_page) -> None:
    at = upload(view(open_page, "Predict"), "scaling_model_file", "notes.json", '{"a": 1}')
    assert "notes.json is no scaling model" in said(at)


def test_a_model_is_taken_away_and_read_again(study, open_page) -> None:
    from core.scaling.model_file import write_scaling
    from core.scaling.race import fit_scaling, predictor_named

    raw = write_scaling(fit_scaling(made_study(24, (2, 3, 2)), predictor_named("nearest_kernels", {}), folds="kfold:3"))
    at = upload(view(open_page, "Predict"), "scaling_model_file", "gpu.json", raw.decode())
    assert "Asked is the model gpu.json" in said(sound(at))
    assert at.selectbox(key="predict_kernel").value == "compute_0"  # a kernel of the study, as the configurations agree
    at.session_state["scaling_source"] = "A file with counters"
    assert "A CSV with a row per kernel, measured at cores = 32" in said(sound(at.run()))


def test_a_model_is_saved_and_opened_again(study, open_page) -> None:
    from pages._ui.database import store

    at = sound(view(open_page, "Predict"))
    at.text_input(key="scaling_model_name").set_value("the curves").run()
    sound(at.button(key="scaling_model_save").click().run())
    (card,) = store().models.all()
    assert (card.name, card.recipe, card.response, card.n_trials) == ("the curves", "scaling", "time_s, power_w", 24)
    predicted = metric(at, "Predicted time_s")
    models = sound(open_page("models"))
    models.button(key="open_model").click().run()
    assert sound(models).title[0].value == "Scaling"
    assert models.selectbox(key="scaling_saved").value.startswith("the curves")
    assert "Asked is the model the curves" in said(models)
    assert metric(models, "Predicted time_s") == predicted
    other = sound(
        view(open_page, "Predict", scaling_axes="cores", scaling_saved=models.selectbox(key="scaling_saved").value)
    )
    assert "A CSV with a row per kernel" in said(other)  # the study has other configurations now


def test_a_model_is_of_the_dataset_by_the_name_that_it_has_now(study, open_page) -> None:
    from pages._ui.database import store

    sound(view(open_page, "Predict"))
    store().datasets.rename("study", "renamed")
    at = sound(view(open_page, "Predict", dataset="renamed"))
    sound(at.button(key="scaling_model_save").click().run())
    assert store().models.all()[0].dataset == "renamed"


def test_the_race_has_a_winner(study, open_page) -> None:
    at = sound(view(open_page, "Race", race_folds="kfold:3"))
    assert "errs least" in said(at)
    assert len(at.dataframe[0].value) == 8


def test_where_to_measure_next(study, open_page) -> None:
    at = sound(view(open_page, "Measure next", next_runs="3"))
    left = at.dataframe[0].value["left of the variance (%)"].tolist()
    assert left == sorted(left, reverse=True)
    assert len(left) == 3


APPLICATION = {
    "devices": {"host": {"idle_w": 5}, "machine": {"model": "any.json"}},
    "segments": [
        {"name": "start", "device": "host", "time_s": 0.25, "power_w": 10},
        {"name": "work", "device": "machine", "kernel": "compute_0", "after": ["start"]},
    ],
}


def test_an_application_is_scheduled_everywhere(study, open_page) -> None:
    at = view(open_page, "Applications")
    assert any(c.value.startswith("An example") for c in at.caption)
    at = sound(upload(at, "segments_upload", "app.json", json.dumps(APPLICATION)))
    assert not any(c.value.startswith("An example") for c in at.caption)
    assert "Critical path: start → work." in said(at)
    before = metric(at, "Total time")
    sound(at.select_slider(key=CORES).set_value("4").run())
    assert float(metric(at, "Total time").split()[0]) > float(before.split()[0])


def test_what_was_filled_in_stays_while_another_view_is_open(study, open_page) -> None:
    at = sound(view(open_page, "Applications"))
    before = metric(at, "Total time")
    edits = {"edited_rows": {0: {"time_s": 500.0}}, "added_rows": [], "deleted_rows": []}
    at.session_state["_segments_base_1"] = edits
    after = metric(sound(at.run()), "Total time")
    assert float(after.split()[0].replace(",", "")) > 500 > float(before.split()[0])
    at.session_state["scaling_view"] = "Kernels"
    sound(at.run())
    at.session_state["scaling_view"] = "Applications"
    assert metric(sound(at.run()), "Total time") == after


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"after": ["work"]}, "Segments wait for each other in a circle: 'start' → 'work' → 'start'"),
        ({"after": ["gone"]}, "Segment 'start' waits for 'gone', and there is no such segment"),
        ({"kernel": "solve"}, "Segment 'start' runs kernel 'solve' on 'host', which has no model"),
        ({"device": "tpu"}, "Segment 'start' runs on 'tpu', and the devices are: host, machine"),
    ],
)
def test_an_application_that_cannot_run_is_refused_by_name(study, open_page, change: dict, words: str) -> None:
    first, second = APPLICATION["segments"]
    wrong = {**APPLICATION, "segments": [first | change, second]}
    at = upload(view(open_page, "Applications"), "segments_upload", "app.json", json.dumps(wrong))
    assert not at.exception
    assert words in at.error[0].value.replace("\\", "")


def test_missing_cells_are_told_and_drawn_around(database, open_page) -> None:
    add(study_import(holes=30))
    for name in ("Kernels", "Predict", "Bases"):
        at = sound(view(open_page, name, bases_clusters="3"))
        assert "30 of 288 cells were not measured" in said(at)


@pytest.mark.parametrize(
    ("trials", "words"),
    [
        ({"n_kernels": 1}, "it needs at least 3 kernels over 2 configurations, got 1"),
        ({"constant": True}, "'time_s' is the same everywhere, so nothing scales"),
    ],
)
def test_trials_that_do_not_scale_end_in_a_sentence(database, open_page, trials: dict, words: str) -> None:
    add(study_import(**trials))
    at = view(open_page, "Kernels")
    assert not at.exception
    assert words in at.error[0].value.replace("\\", "")


def test_an_irregular_grid_is_drawn_where_it_was_measured(database, open_page) -> None:
    made = study_import()
    grid = made.trials.values[:, :2]
    keep = np.flatnonzero(~((grid[:, 0] == 32) & (grid[:, 1] == 300)))
    names = tuple(made.trials.application[i] for i in keep)
    blank = ("",) * len(keep)
    trials = replace(made.trials, application=names, input=blank, machine=blank, values=made.trials.values[keep])
    add(replace(made, trials=trials))
    for name in VIEWS:
        at = sound(view(open_page, name, race_predictors="mean_surface", bases_clusters="3"))
        assert "the grid is irregular: 10 configurations" in said(at)


@pytest.mark.parametrize("content", ["", "\x00\x01", "a;b\n1;2", '{"segments": 3}', "name,device\nx\n", "{"])
def test_files_that_are_something_else_end_in_a_sentence(study, open_page, content: str) -> None:
    at = upload(view(open_page, "Applications"), "segments_upload", "odd.csv", content)
    assert not at.exception
    assert not any("bug" in e.value for e in at.error)
    assert at.error
    other = upload(
        view(open_page, "Predict", scaling_source="A file with counters"), "predict_upload", "odd.csv", content
    )
    assert not other.exception
    assert other.error
    assert not any("bug" in e.value for e in other.error)


@pytest.mark.parametrize("name", VIEWS)
def test_few_kernels_are_held_out_one_at_a_time(name: str, database, open_page) -> None:
    add(study_import(3))
    choices = {"scaling_predictor": "nearest_kernels", "race_predictors": "mean_surface", "bases_clusters": "2"}
    at = sound(open_page("scaling", dataset="study", scaling_view=name, **choices))
    offered = [box.options for box in at.selectbox if box.label == "Kernels held out"]
    assert all("One kernel at a time" in texts and "A tenth of the kernels at a time" not in texts for texts in offered)
    assert bool(offered) == (name in ("Bases", "Predict", "Roofline", "Race", "Applications"))


def test_one_axis_alone(database, open_page) -> None:
    add(study_import())
    for name in VIEWS:
        sound(
            view(
                open_page,
                name,
                scaling_axes="clock_mhz",
                race_predictors="mean_surface",
                bases_clusters="3",
            )
        )


def test_names_are_shown_letter_for_letter(database, open_page) -> None:
    made = study_import()
    names = tuple(f"**{name}**<b>" for name in made.trials.application)
    add(replace(made, trials=replace(made.trials, application=names)))
    at = sound(view(open_page, "Kernels"))
    assert any("\\*\\*compute_0\\*\\*" in m.value for m in at.markdown)


def test_cycles_become_seconds_at_a_clock(database, open_page) -> None:
    made = study_import(responses=1)
    metrics = tuple(replace(m, unit="cycles") if m.kind is Kind.RESPONSE else m for m in made.trials.metrics)
    add(replace(made, trials=replace(made.trials, metrics=metrics)))
    at = sound(view(open_page, "Applications"))
    before = float(metric(at, "Total time").split()[0])
    sound(at.number_input(key="segments_clock").set_value(1.5).run())
    assert float(metric(at, "Total time").split()[0]) > before
