"""The Model page: refits at once, tells the selection, tests on the unseen, and gives the model away."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.export import read_model
from core.trial import Import, Kind
from core.validate.folds import FoldPlan
from tests.pages.conftest import PATIENT_S
from tests.pages.toys import (
    N_APPS,
    N_MACHINES,
    charts,
    drawings,
    numbers,
    rested,
    sound,
    space_import,
    toy_import,
)

VIEWS = ("Predictions", "Selection", "Effects", "Errors", "Groups", "Scores", "Formula")
EVERY = (
    "auto",
    "eiger",
    "halwpe",
    "stargazer",
    "anova",
    "extra_trees",
    "forest",
    "formula",
    "gaussian_process",
    "gradient_boosting",
    "lasso",
    "nn_lasso",
    "nnls",
    "nnls_backward_aic",
    "nnls_backward_bic",
    "nnls_forward_aic",
    "nnls_forward_bic",
    "ols",
    "ols_backward_aic",
    "ols_backward_bic",
    "ols_forward_aic",
    "ols_forward_bic",
    "ridge",
    "roofline",
    "splines",
    "stepwise",
    "support_vectors",
    "trended",
)
EMPTY = tuple(name for name in EVERY if name.startswith("nn"))
"""Non-negative sums: more of any parameter takes fewer cycles in the space here, so that nothing but a constant is left."""
N = N_APPS * N_MACHINES


@pytest.fixture
def space(stock) -> None:
    stock("space", space_import)


@pytest.fixture
def three_apps(stock) -> None:
    def of_three() -> Import:
        return space_import(n_apps=3)

    stock("space", of_three)


def _cards(at: AppTest) -> dict[str, str]:
    return {m.label: m.value for m in at.metric}


def settled(at: AppTest) -> AppTest:
    """Return a page whose fit and test are there, also where a busy machine has made jobs of them."""
    assert _settled(rested(at, _settled))
    return at


def _settled(at: AppTest) -> bool:
    return bool(at.metric) and "…" not in _cards(at).values()


def test_what_blanks_cost_is_said_and_can_be_changed(database, open_page) -> None:
    from pages._ui.database import store

    made = toy_import()
    values = made.trials.values.copy()
    values[:2, 2] = np.nan
    store().add("toy", made)
    store().add("blanks", replace(made, sha256="blanks", trials=replace(made.trials, values=values)))
    assert "gaps" not in {box.key for box in sound(open_page("model", dataset="toy")).selectbox}
    at = sound(open_page("model", dataset="blanks"))
    said = (
        f"from 4 metrics and vendor over {N - 2} trials",
        f"from 3 metrics and vendor over {N} trials",
        f"from 4 metrics and vendor over {N - 2} trials",
    )
    for gaps, expected in zip(("most", "metrics", "trials"), said, strict=True):
        at.selectbox(key="gaps").set_value(gaps).run()
        told = " ".join(caption.value for caption in sound(at).caption)
        assert expected in told, told


def test_counters_beside_what_was_set_can_be_left_out(database, open_page) -> None:
    from pages._ui.database import store

    made = toy_import()
    metrics = tuple(replace(m, kind=Kind.PARAMETER) if m.name == "instructions" else m for m in made.metrics)
    store().add("set", replace(made, trials=replace(made.trials, metrics=metrics)))
    at = sound(open_page("model", dataset="set"))
    told = " ".join(caption.value for caption in at.caption).replace("\\", "")
    said = "For what has not run, learn without counters (Counters, on the left), which only a run gives: bytes"
    assert said in told
    at.selectbox(key="counters").set_value("none").run()
    told = " ".join(caption.value for caption in sound(at).caption)
    assert "Counters, on the left" not in told
    assert "from 4 metrics" not in told
    for other in ("explore", "design_space"):  # where counters take no part, or cannot be left out
        told = " ".join(caption.value for caption in sound(open_page(other, dataset="set")).caption)
        assert "which only a run gives" not in told
        assert "--" not in told


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws(toy, open_page, view: str) -> None:
    at = settled(open_page("model", model_view=view, eiger_clusters="2", eiger_least_cluster_trials="5"))
    assert len(charts(at)) == {"Selection": 2, "Effects": 5, "Groups": 7, "Formula": 4}.get(view, 1)


def test_every_recipe_and_family_is_offered() -> None:
    from core.models import FAMILIES
    from core.recipes import RECIPES

    assert sorted(EVERY) == sorted({*RECIPES, *FAMILIES})


CHARTS = {
    "Predictions": dict.fromkeys(EVERY, 1),
    "Selection": {"eiger": 2, "stepwise": 2, "stargazer": 2, "splines": 2}
    | dict.fromkeys(("auto", *EMPTY, "roofline", "support_vectors", "trended"), 0),
}
FEW = {"auto_trees": "20", "forest_trees": "20", "extra_trees_trees": "20", "halwpe_trees": "20", "trended_trees": "20"}


ALIKE = tuple(f"{of}_{way}" for of in ("ols", "nnls") for way in ("backward_aic", "backward_bic", "forward_bic"))
"""Of one class with `forward_aic`: the page knows them by the same story."""


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ALIKE])
def test_every_view_draws_for_every_recipe_and_family(space, open_page, name: str) -> None:
    at = settled(open_page("model", recipe=name, folds="kfold:5", **FEW))
    for view, expected in CHARTS.items():
        at.query_params["model_view"] = view
        assert len(charts(sound(at.run()))) == expected.get(name, 1)
    at.query_params["model_view"] = "Effects"
    drawn = charts(sound(at.run()))
    at.query_params["model_view"] = "Formula"
    assert len(charts(sound(at.run()))) == max(len(drawn) - 1, 0)  # the curves without the map
    if name in EMPTY:
        assert not drawn
        return
    assert 2 <= len(drawn) <= 4  # curves of at most three parameters, and a map of two
    assert "cycles" in drawn[0]["layout"]["yaxis"]["title"]["text"]


def test_a_design_space_opens_as_any_other_dataset(space, open_page) -> None:
    at = sound(open_page("model", dataset="space"))
    assert (at.selectbox(key="recipe").value, at.selectbox(key="recipe").options[0]) == ("eiger", "Eiger")


def test_touching_the_selection_shows_eiger(toy, open_page) -> None:
    at = sound(open_page("model", recipe="ridge", folds="kfold:5"))
    assert at.selectbox(key="recipe").value == "ridge"
    at.number_input(key="eiger_clusters").set_value(2).run()
    assert at.selectbox(key="recipe").value == "eiger"
    assert at.number_input(key="eiger_clusters").value == 2


def test_a_threshold_is_kept_exactly(toy, open_page) -> None:
    at = sound(open_page("model", eiger_threshold="0.0015"))
    assert at.select_slider(key="eiger_threshold").value == 0.0015


def test_the_rounds_of_stargazer_are_told_as_in_its_paper(space, open_page) -> None:
    at = sound(open_page("model", model_view="Selection", recipe="stargazer", stargazer_variant="paper"))
    told = next(d.value for d in at.dataframe if "R² then" in d.value.columns)
    terms = [t for t in told["taken"] if t != "nothing"]
    assert _cards(at)["Terms"] == str(len(terms))
    assert {"simd", "blocks"} <= set(terms)
    assert any(":" in t for t in terms)
    assert told["values are"][0] == "R², each parameter alone"
    assert told["taken"].iloc[-1] == "nothing"
    added = at.dataframe[-1].value
    assert added["adds to R²"].sum() == pytest.approx(added["R²"].iloc[-1])
    at.slider(key="round").set_value(2).run()
    assert at.header[0].value.replace("\\", "").startswith("Round 2, ")


def test_a_round_that_is_gone_becomes_the_last(space, open_page) -> None:
    at = sound(
        open_page("model", model_view="Selection", recipe="stargazer", stargazer_theta="0.0", stargazer_phi="0.0")
    )
    at.slider(key="round").set_value(at.slider(key="round").max).run()
    at.number_input(key="stargazer_theta").set_value(0.5).run()
    assert at.slider(key="round").value <= at.slider(key="round").max
    sound(at)


def test_the_interaction_alone_can_be_looked_at(space, open_page) -> None:
    at = sound(open_page("model", model_view="Effects"))
    first = charts(at)[-1]["data"][0]["z"]
    at.segmented_control(key="pair_part").set_value("interaction alone").run()
    assert charts(sound(at))[-1]["data"][0]["z"] != first
    at.segmented_control(key="others").set_value("at their median").run()
    assert any("at their median" in c.value for c in sound(at).caption)


def test_applications_that_no_metric_tells_apart_are_predicted_from_by_name(three_apps, open_page) -> None:
    at = sound(open_page("model"))
    assert not at.info
    assert at.selectbox(key="folds").value == "kfold:5"
    assert any("the application itself is predicted from" in c.value for c in at.caption)


def test_trials_that_no_chosen_metric_tells_apart_are_offered_one_application_at_a_time(three_apps, open_page) -> None:
    from pages._ui.database import store

    numbers = [name for name in store().frame("space", "cycles").names if "=" not in name]
    at = sound(open_page("model", metrics=numbers))
    assert "3 applications with the same metrics" in at.info[0].value
    at.selectbox(key="untold").set_value("loop1").run()
    at.button(key="model_one").click().run()
    sound(at)
    assert at.multiselect(key="where").value == ["application=loop1"]
    assert not at.info


def test_a_model_that_is_too_large_for_a_file_says_so(space, open_page, monkeypatch) -> None:
    monkeypatch.setattr("core.export.json.MAX_BYTES", 10_000)
    at = sound(open_page("model", recipe="forest", forest_trees="30"))
    assert "cannot be saved or downloaded" in at.warning[0].value
    assert "30 trees have" in at.warning[0].value
    assert "save_model" not in [b.key for b in at.button]


@pytest.mark.parametrize("name", ["stargazer", "anova", "forest", "gaussian_process"])
def test_a_saved_model_of_every_kind_comes_back(space, open_page, name: str) -> None:
    from pages._ui.database import store

    at = settled(open_page("model", recipe=name, folds="kfold:5", **FEW))
    at.button(key="save_model").click().run()
    sound(at)
    card = store().models.all()[0]
    assert card.recipe == name
    assert read_model(store().models.get(card.id)).interval is not None
    at = sound(open_page("models"))
    assert at.code[0].value.split(" = ")[0] in ("cycles", "ln(cycles)")
    at.button(key="open_model").click().run()
    assert sound(at).selectbox(key="recipe").value == name


def test_a_dear_fit_is_a_job_that_is_watched_and_kept(space, open_page, monkeypatch) -> None:
    from pages._model import values
    from pages._ui.database import held

    monkeypatch.setattr(values, "DEAR_TRIALS", 10)
    monkeypatch.setattr(values, "_PATIENCE_S", 0.0)
    at = settled(open_page("model", recipe="anova", folds="kfold:5"))
    assert int(_cards(at)["Effects"]) >= 3
    assert len(held("", values.FITS.name)) == 1


def test_a_newcomer_sees_a_ready_fit_an_honest_error_a_picture_and_the_formula(toy, open_page) -> None:
    at = settled(open_page("model"))
    assert list(_cards(at)) == ["Mean error", "Median error", "Typical factor", "In training", "Terms"]
    said = [m.value for m in at.markdown]
    assert any(text.startswith("For an application that it has not seen, half of the predictions are") for text in said)
    assert len(charts(at)) == 1
    assert drawings(at)[0].startswith("Error by number of terms: on groups held out it is smallest")
    assert at.text[0].value.startswith("ln(time) = ")
    assert at.selectbox(key="folds").value == "kfold:5:application"


def test_a_threshold_refits_at_once(toy, open_page) -> None:
    at = sound(open_page("model", eiger_threshold="0.0"))
    many = int(_cards(at)["Terms"])
    at.select_slider(key="eiger_threshold").set_value(0.1).run()
    few = int(_cards(sound(at))["Terms"])
    assert few < many


def test_every_threshold_is_tested_behind_the_page(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._model import answer, values
    from pages._model.values import THRESHOLDS
    from pages._ui.database import held
    from pages._ui.jobs import ahead, computed

    def answered(*about: object) -> None:
        computed("verdict", "Comparing", "as the page does", lambda progress: True)

    monkeypatch.setattr(values, "ahead", ahead)
    monkeypatch.setattr(answer, "draw", answered)
    monkeypatch.setattr(values, "AT_ONCE_S", 1e9)
    monkeypatch.setattr(values, "MOST_S", 1e9)
    at = settled(open_page("model", eiger_threshold="0.01"))
    deadline = time.monotonic() + 120
    while len(held("", "validations")) < len(THRESHOLDS) and time.monotonic() < deadline:
        time.sleep(0.1)
    n = len(held("", "validations"))
    at.select_slider(key="eiger_threshold").set_value(0.05).run()
    assert "…" not in _cards(sound(at)).values()
    assert len(held("", "validations")) == n == len(THRESHOLDS)


def test_a_threshold_tested_behind_the_page_is_tested_as_it_would_be_alone(toy) -> None:
    from core.progress import silent
    from core.recipes import make_recipe, validate
    from core.validate.folds import parse_folds
    from pages._model.values import validation_work
    from pages._ui.database import store

    frame, plan = store().frame("toy", "time"), parse_folds("by:application")
    recipe = replace(make_recipe("eiger"), threshold=0.02)
    for other in (replace(recipe, threshold=0.1), recipe):
        found = validation_work(frame, other, plan, 0, "auto", beside=True)(silent)
    alone = validate(recipe, frame, plan)
    np.testing.assert_array_equal(found.predicted, alone.predicted)
    np.testing.assert_array_equal(found.high, alone.high)


def test_the_selection_can_be_stepped_through(toy, open_page) -> None:
    at = sound(open_page("model", model_view="Selection", eiger_threshold="0.0005"))
    terms = int(_cards(at)["Terms"])
    assert at.slider(key="step").max == terms
    at.slider(key="step").set_value(2).run()
    sound(at)
    assert at.header[0].value.startswith("Step 2")
    coefficients, steps = at.dataframe[0].value, at.dataframe[-1].value
    assert len(coefficients) == 3
    assert steps["in the model"].sum() == terms
    names = [t["name"] for t in charts(at)[1]["data"]]
    assert names == ["candidates", "winner", "needed to be taken"]


def test_a_step_that_is_gone_becomes_the_last(toy, open_page) -> None:
    at = sound(open_page("model", model_view="Selection", eiger_threshold="0.0005"))
    at.slider(key="step").set_value(at.slider(key="step").max).run()
    at.select_slider(key="eiger_threshold").set_value(0.02).run()
    sound(at)
    terms = int(_cards(at)["Terms"])
    assert terms == 1 or at.slider(key="step").value <= terms


def test_every_cluster_tells_its_own_selection(toy, open_page) -> None:
    at = sound(open_page("model", model_view="Selection", eiger_clusters="2", eiger_least_cluster_trials="5"))
    assert list(at.selectbox(key="story_cluster").options) == ["cluster 1", "cluster 2"]
    at.selectbox(key="story_cluster").set_value("cluster 2").run()
    sound(at)


def test_a_family_alone_is_a_recipe(toy, open_page) -> None:
    at = sound(open_page("model", recipe="stepwise", stepwise_threshold="0.01", model_view="Formula"))
    assert "z(" in at.code[0].value


def test_metrics_themselves_can_be_modelled(toy, open_page) -> None:
    at = sound(open_page("model", eiger_components_given="false"))
    assert "z(instructions)" in at.text[0].value


def test_the_original_program_can_be_repeated(toy, open_page) -> None:
    at = sound(open_page("model", eiger_semantics="eiger-1", eiger_threshold="0.02"))
    assert at.text[0].value.startswith("time = ")


@pytest.mark.parametrize("folds", ["by:machine", "kfold:7", "loo", "holdout:9", "by:vendor"])
def test_folds_are_chosen_or_typed(toy, open_page, folds: str) -> None:
    at = settled(open_page("model", folds=folds, model_view="Scores"))
    card = rested(at).dataframe[0].value
    assert card.columns[1] == "training"
    assert len(card.columns) == (5 if folds.startswith("kfold") else 6)


def test_training_trials_can_be_looked_at_beside_held_out_ones(toy, open_page) -> None:
    at = sound(open_page("model", folds="holdout:8"))
    assert sum(len(t["text"]) for t in charts(at)[0]["data"] if "text" in t) == 8
    at.segmented_control(key="seen").set_value("training").run()
    assert sum(len(t["text"]) for t in charts(sound(at))[0]["data"] if "text" in t) == N


def test_chosen_points_are_shown_with_their_predictions(toy, open_page) -> None:
    at = settled(open_page("model"))
    selection = {"points": [{"customdata": 0}, {"customdata": 7}], "point_indices": [], "box": [], "lasso": []}
    at.session_state["predicted_actual"] = {"selection": selection}
    sound(at.run())
    assert "2 chosen trials" in [header.value for header in at.header]
    assert {"measured time (us)", "predicted time (us)", "error (%)", "90 % low", "90 % high"} <= set(
        at.dataframe[0].value.columns
    )


def test_a_saved_model_has_its_interval_and_predicts_alike(toy, open_page) -> None:
    from pages._ui.database import store

    at = sound(open_page("model", folds="by:machine"))
    at.text_input(key="model_name").set_value("mine").run()
    at.button(key="save_model").click().run()
    sound(at)
    card = store().models.all()[0]
    assert (card.name, card.dataset, card.recipe, card.response) == ("mine", "toy", "eiger", "time")
    model = read_model(store().models.get(card.id))
    assert model.interval is not None
    assert model.interval.folds == "by:machine"
    assert model.validation["scores"]["n"] == N
    assert model.provenance.dataset == "toy"


def test_a_model_saved_before_its_test_ends_knows_its_dataset(toy, open_page, monkeypatch) -> None:
    from pages._model import values
    from pages._ui.database import store

    monkeypatch.setattr(values, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(values, "UNASKED_S", 0.0)
    sound(open_page("model").button(key="save_model").click().run())
    assert store().models.all()[0].dataset == "toy"


def test_the_name_to_save_under_follows_the_model_until_somebody_types_one(toy, open_page) -> None:
    at = settled(open_page("model", recipe="ridge"))
    for recipe in ("lasso", "nnls"):
        settled(at.selectbox(key="recipe").set_value(recipe).run())
        assert at.text_input(key="model_name").value == f"toy time {recipe}"
    at.text_input(key="model_name").set_value("mine").run()
    settled(at.selectbox(key="recipe").set_value("ridge").run())
    assert at.text_input(key="model_name").value == "mine"


def test_dear_validation_is_a_job_that_is_watched_and_kept(toy, open_page, monkeypatch) -> None:
    from pages._model import values

    monkeypatch.setattr(values, "AT_ONCE_S", 0.0)
    settled(open_page("model"))


def test_very_dear_validation_asks_first_and_can_be_stopped_and_started_again(toy, open_page, monkeypatch) -> None:
    from pages._model import values
    from pages._ui import jobs

    monkeypatch.setattr(values, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(values, "UNASKED_S", 0.0)

    def slow(frame, recipe, plans, seed, interval):
        def work(progress):
            while True:  # until it is stopped
                progress(0.5, "waiting")
                time.sleep(0.05)

        return work

    monkeypatch.setattr(values, "validation_work", slow)
    at = sound(open_page("model"))
    start = next(b for b in at.button if b.key.endswith("_start"))
    start.click().run()
    stop = next(b for b in at.button if b.key.endswith("_stop"))
    job = jobs.find(stop.key.removesuffix("_stop"))
    assert job is not None
    stop.click().run()
    assert job.wait(PATIENT_S)
    at.run()
    assert any(b.label == "Try again" for b in at.button)
    assert _cards(at)["Mean error"] == "…"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ({"eiger_pool": ["cubic"]}, "There is no pool or function 'cubic'"),
        ({"folds": "by:nothing"}, "There is no column 'nothing'"),
        ({"folds": "sometimes"}, "are not known; write"),
        ({"folds": "holdout:4000"}, "needs at least 4001 configurations"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(toy, open_page, url: dict, says: str) -> None:
    at = open_page("model", **url)
    assert not at.exception
    assert len(at.error) == 1
    assert says in at.error[0].value.replace("\\", "")


def test_too_few_trials_are_one_sentence(toy, open_page) -> None:
    at = open_page("model")
    at.session_state["where"] = ["application=app*0*", "machine=gpu1"]
    at.run()
    assert not at.exception
    assert len(at.error) == 1


def test_names_are_shown_letter_for_letter(toy, open_page) -> None:
    at = sound(open_page("model", model_view="Groups", group="application"))
    titles = [c["layout"]["annotations"][0]["text"] for c in charts(at)[1:]]
    assert all("app*" in title for title in titles)
    assert "MAPE" in titles[0]
    assert "MSE" in titles[0]
    assert "us²" in titles[0]


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("plain", "as wide everywhere"),
        ("prediction", "by size of the prediction"),
    ],
)
def test_the_way_of_the_intervals_is_chosen(toy, open_page, way: str, told: str) -> None:
    at = settled(open_page("model", model_view="Scores", recipe="ols", folds="kfold:5", interval=way))
    assert at.selectbox("interval").value == way
    assert [told in c.value for c in at.caption if c.value.startswith("90 % intervals of")] == [True]


@pytest.mark.usefixtures("every_entry")
def test_the_best_model_is_looked_for_and_the_shown_one_judged(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._model import answer

    monkeypatch.setattr(answer, "UNASKED", 10**9)
    at = judged(open_page("model"))
    best = float(at.button(key="show_auto").label.partition(": ")[2].split()[0])
    beside = next(c.value for c in at.caption if c.value.startswith("stock extra trees"))
    assert best < float(beside.replace("\\", "").partition("constant: ")[2].split()[0].replace(",", ""))
    assert [at.button(key=f"show_{name}").proto.type for name in ("formula", "auto")] == ["secondary", "primary"]
    at.selectbox(key="recipe").select("nnls").run()
    at = judged(settled(at))
    assert [at.button(key=f"show_{name}").proto.type for name in ("formula", "auto")] == ["primary", "secondary"]
    at.button(key="show_auto").click().run()
    assert at.selectbox(key="recipe").value == "auto"
    at = judged(settled(at))
    assert at.button(key="show_auto").disabled
    assert any("Typically off" in said or "Worse than" in said for said in verdicts(at))


def test_a_page_on_which_nobody_chose_goes_over_to_a_better_formula_once(toy, open_page, better_formula) -> None:
    at = judged(settled(judged(open_page("model"))))
    assert at.selectbox(key="recipe").value == "formula"
    back = at.button(key="show_eiger")
    assert back.label.startswith("Eiger: ")
    assert back.label.endswith(" %")
    back.click().run()
    at = judged(settled(at))
    assert at.selectbox(key="recipe").value == "eiger"
    assert "show_eiger" not in {button.key for button in at.button}


@pytest.mark.parametrize("chosen", [{"eiger_clusters": "2"}, {"recipe": "nnls"}], ids=str)
def test_a_model_that_somebody_chose_stays(toy, open_page, better_formula, chosen: dict[str, str]) -> None:
    at = judged(settled(open_page("model", **chosen)))
    assert at.selectbox(key="recipe").value == chosen.get("recipe", "eiger")


@pytest.fixture
def better_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the formula be told to be better than anything else."""
    from pages._model import answer

    monkeypatch.setattr(answer, "UNASKED", 10**9)
    monkeypatch.setattr(answer, "better", lambda plain, recipe, verdict: ["formula"] * (recipe.name != "formula"))


def test_a_verdict_says_first_how_many_trials_are_learnt_from(toy, open_page) -> None:
    at = judged(settled(open_page("model", recipe="auto", auto_raced=24, auto_trees=5)))
    assert ["badge" in said and "] Learning from 24 of the " in said for said in verdicts(at)] == [True]
    assert any(c.value.startswith("stock extra") and "all from 24 of the " in c.value for c in at.caption)
    assert not {"folds", "interval"} & {box.key for box in at.selectbox}  # which are its own


def test_what_cannot_be_tested_is_shown_with_its_error_in_training(database, open_page) -> None:
    from pages._ui.database import store

    store().add("three", replace(toy_import(), trials=toy_import().trials.take([0, 4, 8])))
    at = open_page("model", recipe="ridge")
    assert [error.value.startswith("Without app") for error in at.error] == [True]
    assert _cards(at)["In training"].endswith("%")
    assert charts(at)


def test_where_all_that_was_measured_is_predicted_nothing_is_left_to_predict_from(database, open_page) -> None:
    from pages._ui.database import store

    trials = toy_import().trials
    store().add(
        "one",
        replace(
            toy_import(), trials=replace(trials, metrics=trials.metrics[:1], values=trials.values[:, :1], labels={})
        ),
    )
    at = open_page("model")
    assert "no metric beside responses and what is predicted" in at.error[0].value


def test_beside_models_of_drawn_trials_stands_the_shown_ones_error_on_these(toy, open_page, monkeypatch) -> None:
    from core.race import auto
    from pages._model import answer

    monkeypatch.setattr(answer, "UNASKED", 10**9)
    few = auto.drawn
    monkeypatch.setattr(auto, "drawn", lambda frame, n, seed: few(frame, 24, seed))
    at = judged(settled(open_page("model", recipe="nnls", metrics=["lanes", "clock", "bytes"])))
    told = [c.value.replace("\\", "").replace("\xa0", " ") for c in at.caption]
    assert any(re.match(r"this model: [\d.,]+ % · stock .* · all from 24 of the 40 trials", said) for said in told)


def test_models_are_compared_on_the_trials_of_the_headline_where_these_are_not_many(
    stock, open_page, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages._model import answer

    def of_many() -> Import:
        return space_import(720)

    stock("toy", of_many)
    monkeypatch.setattr(answer, "UNASKED", 10**9)
    told = []
    for most in (720, 719):
        monkeypatch.setattr(answer, "MOST_TRIALS", most)
        at = judged(settled(open_page("model", recipe="nnls", folds="kfold:3")))
        told.append(next(c.value for c in at.caption if "stock extra trees" in c.value))
    assert "all from" not in told[0]
    assert "all from 700 of the 720 trials" in told[1]


def test_the_best_model_is_looked_for_when_asked(toy, open_page) -> None:
    at = settled(open_page("model"))
    assert not verdicts(at)
    next(b for b in at.button if b.label == "Find the best model").click().run()
    assert verdicts(judged(at))


def test_a_long_formula_is_shown_in_part_beside_predictions(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._model.views import predictions

    whole = next(t.value for t in settled(open_page("model")).text if " = " in t.value)
    monkeypatch.setattr(predictions, "_MOST_LETTERS", 30)
    part = next(t.value for t in settled(open_page("model")).text if " = " in t.value)
    assert len(part) <= 32 < len(whole)
    assert part.endswith(" …")
    assert whole.startswith(part.removesuffix(" …"))


def test_what_would_help_most_stands_below_the_verdict(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.validate.scores import Paired
    from core.validate.verdict import WEAK, Verdict
    from pages._model import answer

    apart = Paired(0.4, 0.9, 0.5, 0.4, 0.6, 0.01, 48, 5)
    one = Verdict(WEAK, "Typically off", ("Measure more machines", "Measure longer"), (), apart, None)
    monkeypatch.setattr(answer, "_verdict", lambda *_: one)
    at = judged(settled(open_page("model", recipe="auto", auto_trees=5)))
    assert [one.says in said and one.next[0] not in said for said in verdicts(at)] == [True]
    below = next(c for c in at.caption if c.value == one.next[0])
    assert below.help == "\n".join(f"- {said}" for said in one.next)


def verdicts(at: AppTest) -> list[str]:
    """Return what is said of the shown model."""
    return [m.value for m in at.markdown if "-badge[" in m.value]


def judged(at: AppTest) -> AppTest:
    """Return a page that says what the shown model is worth."""
    return rested(at, verdicts)


def test_stepwise_has_one_threshold_with_its_curve(toy, open_page) -> None:
    at = sound(open_page("model", recipe="stepwise"))
    assert [s.key for s in at.select_slider] == ["stepwise_threshold"]
    assert any(text.startswith("Error by number of terms") for text in drawings(at))


def test_a_formula_has_its_most_terms_below_the_errors_that_chose_them(toy, open_page) -> None:
    at = settled(open_page("model", recipe="formula"))
    curve = next(text for text in drawings(at) if text.startswith("Error by number of terms"))
    assert at.number_input(key="formula_max_terms").value == 48
    at.number_input(key="formula_max_terms").set_value(4).run()
    few = next(text for text in drawings(settled(at)) if text.startswith("Error by number of terms"))
    assert int(few.rstrip(".").rpartition(" ")[2]) <= 4 < int(curve.rstrip(".").rpartition(" ")[2])


def test_folds_are_words_on_the_page_and_a_token_in_the_url(toy, open_page) -> None:
    at = sound(open_page("model", folds="by:machine"))
    box = at.selectbox(key="folds")
    assert (box.value, box.proto.options[box.index]) == ("by:machine", "Each machine")
    assert at.query_params["folds"] in ("by:machine", ["by:machine"])


def explained(at: AppTest) -> str:
    """Return the verdict on a group, once a job has found it."""
    return _explained(rested(at, _explained))[0]


def _explained(at: AppTest) -> list[str]:
    return [m.value.replace("\\", "") for m in at.markdown if " is predicted " in m.value]


def test_a_group_that_is_chosen_or_linked_is_explained(toy, open_page) -> None:
    url = {"model_view": "Groups", "group": "application", "recipe": "ridge"}
    at = settled(open_page("model", **url))
    assert at.selectbox(key="wrong").value == ""
    at.selectbox(key="wrong").set_value("app*3*").run()
    said = explained(at)
    assert said.startswith("app*3* is predicted ")
    assert "one run of its own" in said
    assert "app*3*" in at.query_params["wrong"]
    bars = [c for c in charts(at) if c["layout"]["xaxis"].get("title", {}).get("text") == "share of the error (%)"]
    assert sum(numbers(trace["x"]).sum() for trace in bars[0]["data"]) == pytest.approx(100)
    linked = settled(open_page("model", wrong="app*3*", **url))
    assert explained(linked) == said


def test_a_machine_is_explained_though_applications_were_left_out(toy, open_page) -> None:
    at = settled(
        open_page("model", model_view="Groups", group="machine", recipe="ridge", folds="by:application", wrong="gpu1")
    )
    assert explained(at).startswith("gpu1 is predicted ")
    assert any("leaving out each machine" in c.value for c in at.caption)


def test_a_visit_makes_nothing_again_that_an_earlier_one_made(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    at = rested(open_page("model"))

    def again(*_: object) -> None:
        raise AssertionError("made again")

    for made in ("shown.fit_summary", "views.selection.along", "values.possible_folds"):
        monkeypatch.setattr(f"pages._model.{made}", again)
    monkeypatch.setattr(FoldPlan, "split", again)
    sound(at.run())
