"""The Compare page: host and target in one click, a race kept run by run, each model in detail, nothing that breaks it."""

import importlib
import json
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.errors import StoreError
from core.export import read_model
from core.recipes import recipe_label
from core.trial import Import, Kind, Metric, Trials
from pages._compare import result
from tests.pages.toys import charts, drawings, finished, rested, sound, toy_import

RACE = importlib.import_module("core.race.race")
QUICK = ("nnls", "ridge", "stepwise")
LABELS = ("NNLS", "Ridge", "Stepwise regression")
PARTS = {"Predictions": 1, "Workloads": 1, "Groups": 1, "Folds": 1, "Metrics": 1}


def hosts_import(
    n_apps: int = 4,
    n_inputs: int = 5,
    machines: tuple[str, ...] = ("old", "new"),
    constant: bool = False,
    sha: str = "",
    joined: bool = True,
) -> Import:
    """Workloads on machines with counters, time, energy and a simulator's time; names are Markdown."""
    rng = np.random.default_rng(2)
    rows = [(a, i, m) for a in range(n_apps) for i in range(n_inputs) for m in range(len(machines))]
    work, traffic = np.exp(rng.uniform(2, 6, (2, n_apps, n_inputs)))
    values = []
    for a, i, m in rows:
        time_s = (work[a, i] + 2 * traffic[a, i]) / (1 + m) * np.exp(0.02 * rng.standard_normal())
        time_s = 1.0 if constant else time_s
        values.append((work[a, i], 3 * work[a, i], traffic[a, i], time_s, 40 * time_s + work[a, i], 900 * time_s))
    metrics = (
        Metric("loads"),
        Metric("bytes", unit="B"),
        Metric("stores"),
        Metric("time", Kind.RESPONSE, "s"),
        Metric("energy", Kind.RESPONSE, "J"),
        Metric("simulated", Kind.COUNTER, "s"),
    )
    trials = Trials(
        tuple(f"a*{a}" for a, _, _ in rows),
        tuple(f"i{i}" if joined else f"i{i} on {machines[m]}" for _, i, m in rows),
        tuple(machines[m] for _, _, m in rows),
        metrics,
        np.array(values),
    )
    return Import(
        source="hosts.csv", sha256=sha or f"{n_apps}{n_inputs}{machines}{constant}{joined}", format="csv", trials=trials
    )


def add(dataset: str, imported: Import) -> None:
    from pages._ui.database import store

    store().add(dataset, imported)


@pytest.fixture
def hosts(stock) -> None:
    stock("hosts", hosts_import)


def opened(open_page, entries: tuple[str, ...] = QUICK, **url: str) -> AppTest:
    """Return the page with a few quick entries chosen."""
    at = open_page("compare", entries="Chosen", **url)
    at.session_state["entry"] = list(entries)
    return at.run()


def ended(at: AppTest) -> AppTest:
    """Return the page when the race under way has ended."""
    return rested(at)


def raced(at: AppTest) -> AppTest:
    return ended(at.button(key="race").click().run())


def view(at: AppTest, name: str, **more: str) -> AppTest:
    at.query_params["compare_view"] = name
    for key, value in more.items():
        at.session_state[key] = value
    return sound(at.run())


def standings(at: AppTest) -> "object":
    return next(d.value for d in at.dataframe if "± over folds (%)" in d.value.columns)


def runs_stored() -> int:
    from pages._ui.database import store

    with store()._connection.reading() as cursor:
        return int(cursor.execute("SELECT count(*) FROM race_run").fetchall()[0][0])


@pytest.mark.parametrize(
    ("link", "folds"),
    [("by:machine", "by:application"), ("kfold:5", "kfold:5"), ("5 random folds", "kfold:5"), ("kfold:3", "kfold:3")],
)
def test_a_link_opens_with_folds_in_either_form_and_keeps_the_short_one(
    hosts, open_page, link: str, folds: str
) -> None:
    at = sound(opened(open_page, race_folds=link))
    assert at.selectbox(key="race_folds").value == folds
    at = sound(at.run())
    assert at.selectbox(key="race_folds").value == folds
    assert at.query_params.get("race_folds") == (None if folds == "by:application" else folds)


def test_folds_that_are_chosen_enter_the_url_as_they_are_written(hosts, open_page) -> None:
    at = opened(open_page)
    at = sound(at.selectbox(key="race_folds").set_value("kfold:5").run())
    assert at.query_params["race_folds"] == "kfold:5"
    at = sound(at.selectbox(key="race_folds").set_value("by:application").run())
    assert "race_folds" not in at.query_params


def test_a_newcomer_is_one_click_from_a_race(hosts, open_page) -> None:
    at = sound(opened(open_page))
    assert (at.selectbox(key="host").value, at.multiselect(key="target").value) == ("new", ["old"])
    assert at.selectbox(key="race_folds").value == "by:application"
    assert at.selectbox(key="race_folds").proto.options[0] == "Each application"
    assert any("20 workloads from 6 metrics" in c.value.replace("\\", "") for c in at.caption)
    shown = standings(raced(at))
    assert {m.removeprefix("★ ") for m in shown["model"]} == {*LABELS, "Stack of the best few", "Blend"}
    assert sum(m.startswith("★ ") for m in shown["model"]) == 1
    assert shown["MAPE (%)"].is_monotonic_increasing
    assert shown["random folds (%)"].notna().all()
    said = next(m.value for m in at.markdown if m.value.startswith("Winner"))
    assert "without looking at what is held out" in said
    own = {r"Held\-out error, nested", "★ alone, held out"}
    assert {m.label for m in at.metric} == own | {"Within 10 %", "Within 20 %", "On random folds"}


def test_every_view_and_part_draws(hosts, open_page) -> None:
    at = raced(opened(open_page))
    assert len(charts(view(at, "Standings"))) == 1
    for label in (*LABELS, "Blend"):
        for part, n in PARTS.items():
            drawn = charts(view(at, "One model", look=label, part=part))
            assert len(drawn) == n, (part, label)
    beside = opened(open_page, compare_view="Two models")  # what addresses called it
    assert len(charts(sound(beside))) == 2
    assert any(alt.startswith("How far the errors of 4 models are above that of NNLS") for alt in drawings(beside))
    assert any(m.value.startswith("Every model is within 20\u00a0%") for m in beside.markdown)
    beside.multiselect(key="models").set_value(["nnls"]).run()
    assert sound(beside).info[0].value == "Choose two models or more to see them side by side."
    assert not charts(sound(opened(open_page, compare_view="Time")))


def test_machines_are_ranked_for_chosen_applications(hosts, open_page) -> None:
    at = sound(open_page("compare"))
    assert not [m.value for m in at.markdown if "is the best for your" in m.value]
    at.multiselect(key="own_applications").set_value(["a*0", "a*2"])
    said = [m.value for m in rested(at.run()).markdown if "is the best for your" in m.value]
    assert said[0].startswith("new is the best for your 10 workloads with over 99\u00a0%")
    assert at.query_params["own_applications"] == ["a*0", "a*2"]


def test_any_threshold_is_counted(hosts, open_page) -> None:
    at = raced(opened(open_page))
    at.slider(key="within").set_value(3).run()
    assert "within 3 % (%)" in standings(sound(at)).columns


def test_the_winner_is_told_what_it_is_worth(hosts, open_page) -> None:
    at = raced(opened(open_page))
    (said,) = (m.value for m in at.markdown if "-badge[" in m.value)
    assert "constant" in said
    assert "typically off by" in said.lower()


def test_the_choice_of_a_model_stands_in_the_url(hosts, open_page) -> None:
    at = raced(opened(open_page))
    winner = next(m for m in standings(at)["model"] if m.startswith("★")).removeprefix("★ ")
    view(at, "One model")
    assert at.selectbox(key="look").proto.options[at.selectbox(key="look").index] == winner
    assert "look" not in at.query_params
    other = next(label for label in LABELS if label != winner)
    entry = dict(zip(LABELS, QUICK, strict=True))[other]
    at.selectbox(key="look").set_value(entry).run()
    assert at.query_params["look"] in (entry, [entry])
    again = opened(open_page, look=other, compare_view="One model")  # links of older versions have the label
    assert sound(again).selectbox(key="look").value == entry


def test_a_second_tab_sees_the_same_race_and_nothing_is_run_twice(hosts, open_page) -> None:
    at = opened(open_page)
    at.button(key="race").click().run()
    beside = sound(opened(open_page))
    assert any(b.label == "Stop" for b in beside.button) or standings(beside) is not None
    ended(beside)
    ended(at)
    assert standings(at).equals(standings(beside))
    assert runs_stored() == 3 * (5 + 11)


def test_a_race_goes_on_after_the_program_ended(hosts, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened(open_page)
    original, ran = RACE.run_entry, []

    def fails_in_the_middle(*args, **options):
        if len(ran) == 7:
            raise RuntimeError("the power went")
        ran.append(1)
        return original(*args, **options)

    monkeypatch.setattr(RACE, "run_entry", fails_in_the_middle)
    at.button(key="race").click().run()
    assert finished(at).error
    st.cache_resource.clear()
    monkeypatch.setattr(RACE, "run_entry", lambda *a, **o: (ran.append(1), original(*a, **o))[1])
    again = sound(opened(open_page))
    assert "7 of 48 runs are done and kept" in again.info[0].value
    assert again.button(key="race").label == "Go on"
    raced(again)
    assert len(ran) == 48
    assert len(standings(again)) == 5


def test_a_race_can_be_stopped_and_gone_on_with(hosts, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    original, begun = RACE.run_entry, []

    def held_after_six(track, place, progress, *more, **options):
        begun.append(place)
        while len(begun) > 6:  # until it is stopped
            progress(0.0, "held")
            time.sleep(0.01)
        return original(track, place, progress, *more, **options)

    monkeypatch.setattr(RACE, "run_entry", held_after_six)
    at = opened(open_page)
    at.button(key="race").click().run()
    next(b for b in at.button if b.label == "Stop").click().run()
    ended(at)
    kept = runs_stored()
    assert 0 <= kept < 48
    monkeypatch.setattr(RACE, "run_entry", original)
    raced(at)
    assert runs_stored() == 48


def test_adding_an_entry_keeps_what_the_others_have_done(hosts, open_page) -> None:
    at = raced(opened(open_page))
    at.session_state["entry"] = [*QUICK, "ols"]
    sound(at.run())
    assert "48 of 64 runs are done" in at.info[0].value
    assert len(standings(at)) == 5


def test_racing_again_forgets(hosts, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    at = raced(opened(open_page, entries=("ridge",)))
    took, once = standings(at)["all of it (s)"][0], RACE.run_entry
    monkeypatch.setattr(RACE, "run_entry", lambda *args: replace(run := once(*args), seconds=run.seconds + 100))
    ended(at.button(key="race_again").click().run())
    assert len(standings(at)) == 1
    assert runs_stored() == 16
    assert standings(at)["all of it (s)"][0] > took + 100


def test_several_targets_and_two_responses_are_blocks_of_their_own(database, open_page) -> None:
    add("hosts", hosts_import(machines=("a", "b", "c")))
    at = opened(open_page, entries=("ridge", "nnls"), race_beside="none")
    at.multiselect(key="target").set_value(["b", "c"]).run()
    at.selectbox(key="second").set_value("energy").run()
    raced(at)
    titles = [f"{r}, a → {t}" for r in ("time", "energy") for t in ("b", "c")]
    blocks = [s.value.replace("\\", "") for s in at.header]
    assert blocks[:4] == titles
    assert sum("± over folds (%)" in d.value.columns for d in at.dataframe) == 4
    assert len(charts(view(at, "One model", scenario=titles[2]))) == 1


def test_the_host_may_be_in_another_dataset(database, open_page) -> None:
    add("here", hosts_import(machines=("old",)))
    add("there", hosts_import(machines=("new",)))
    at = opened(open_page, dataset="there", host_dataset="here", entries=("ridge",), race_beside="none")
    assert (at.selectbox(key="host").value, at.multiselect(key="target").value) == ("old", ["new"])
    assert len(standings(raced(at))) == 1


def test_workloads_of_one_side_are_listed(database, open_page) -> None:
    imported = hosts_import()
    keep = [i for i, m in enumerate(imported.trials.machine) if m == "new" or i % 4 == 0]
    t = imported.trials
    some = replace(
        t,
        application=[t.application[i] for i in keep],
        input=[t.input[i] for i in keep],
        machine=[t.machine[i] for i in keep],
        values=t.values[keep],
    )
    add("hosts", replace(imported, trials=some, sha256="some"))
    at = sound(opened(open_page))
    shown = next(d.value for d in at.dataframe if "only on" in d.value.columns)
    assert set(shown["only on"]) == {"new"}
    assert shown.columns.tolist() == ["only on", "application", "input"]


def test_no_joined_workload_is_said_in_a_sentence(database, open_page) -> None:
    add("hosts", hosts_import(joined=False))
    at = sound(opened(open_page))
    assert at.selectbox(key="host").value == "no host: trials as they are"
    assert at.button(key="race").label == "Race"
    at.selectbox(key="host").set_value("old").run()
    assert not at.exception
    assert "have no workload in common" in at.error[0].value.replace("\\", "")


def test_a_dataset_of_one_machine_races_its_trials(database, open_page) -> None:
    add("hosts", hosts_import(machines=("only",)))
    at = sound(opened(open_page, entries=("ridge", "stepwise"), race_beside="none"))
    assert "host" not in [s.key for s in at.selectbox]
    assert len(standings(raced(at))) == 4


def test_one_trial_and_a_constant_response_are_said_in_a_sentence(database, open_page) -> None:
    add("one", hosts_import(n_apps=1, n_inputs=1, machines=("only",)))
    at = opened(open_page)
    assert not at.exception
    assert "needs at least 2 configurations" in at.error[0].value.replace("\\", "")
    add("flat", hosts_import(constant=True))
    at = opened(open_page, dataset="flat", race_beside="none")
    at = raced(at)
    assert len(standings(at)) >= 3


def test_a_cleared_target_is_asked_for(hosts, open_page) -> None:
    at = opened(open_page)
    at.multiselect(key="target").set_value([]).run()
    assert sound(at).info[0].value.startswith("Choose a target")


@pytest.mark.parametrize(("label", "name"), [("NNLS", "nnls"), ("Blend", "blend")])
def test_a_model_is_kept_with_its_interval_and_opens(hosts, open_page, label: str, name: str) -> None:
    from pages._ui.database import store

    at = raced(opened(open_page, entries=("nnls", "ridge"), race_beside="none"))
    view(at, "One model", look=label)
    at.button(key="make_model").click().run()
    sound(rested(at).button(key="save_race_model").click().run())
    (card,) = store().models.all()
    assert (card.name, card.recipe) == (f"hosts new → old {label}", name)
    model = read_model(store().models.get(card.id))
    assert model.interval is not None
    assert json.loads(store().models.get(card.id))["response"]["name"] == "time"
    models = sound(open_page("models"))
    assert any(card.name in h.value for h in models.header)
    assert any(f"recipe {recipe_label(name)}" in m.value for m in models.markdown)
    if name == "blend":
        models.button(key="open_model").click().run()
        assert "Compare page" in models.error[0].value


def test_a_model_is_of_the_dataset_by_the_name_that_it_has_now(hosts, open_page) -> None:
    from pages._ui.database import store

    at = raced(opened(open_page, entries=("nnls",), race_beside="none"))
    for name in ("hosts", "renamed"):
        if name == "renamed":
            store().datasets.rename("hosts", name)
            at = opened(open_page, entries=("nnls",), race_beside="none")
        view(at, "One model", look="NNLS")
        at.button(key="make_model").click().run()
        sound(rested(at).button(key="save_race_model").click().run())
        assert store().models.all()[0].dataset == name


def test_what_matters_is_told_once_the_model_is_made(hosts, open_page) -> None:
    at = raced(opened(open_page, entries=("ridge",), race_beside="none"))
    view(at, "One model", look="Ridge", part="Metrics")
    assert any("Keep this model" in c.value for c in at.caption)
    at.button(key="make_model").click().run()
    assert "error added by permuting" in json.dumps(charts(rested(at))[2]["layout"])


def test_a_model_is_tried_on_another_target(database, open_page) -> None:
    add("hosts", hosts_import(machines=("a", "b", "c")))
    at = raced(opened(open_page, entries=("ridge",), race_beside="none"))
    view(at, "Another target", other_target="c")
    said = [m.value.replace("\\", "") for m in rested(at).markdown]
    assert any(m.startswith("With 2 runs of c, the model of b is off by") for m in said)
    assert at.dataframe[0].value["runs of the new target"].tolist() == [2, 3, 5, 10]


def test_speed_up_over_simulation(hosts, open_page) -> None:
    at = raced(opened(open_page, entries=("ridge",), race_beside="none"))
    view(at, "Time", simulator_time="simulated")
    assert at.selectbox(key="host_time").value == "time on new"
    assert len(charts(at)) == 1
    said = next(m.value for m in at.markdown if "simulator takes" in m.value)
    assert "1,8" in said.replace("\\", "") or "1,7" in said.replace("\\", "")
    at.selectbox(key="host_time").set_value("bytes").run()
    assert not at.exception
    assert "different units" in at.error[0].value


def test_trials_as_they_are_on_random_folds_alone(database, open_page) -> None:
    add("toy", toy_import())
    at = opened(
        open_page, host="no host: trials as they are", entries=("ridge",), race_folds="kfold:5", race_beside="kfold:5"
    )
    raced(at)
    assert runs_stored() == 6
    assert not {"random folds (%)", "optimism (×)"} & set(standings(at).columns)


def test_a_run_is_said_to_be_done_once_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    there: dict = {}

    def full(*_: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(result, "run_to_plain", lambda run: {})
    heat, run, keep = (
        SimpleNamespace(**own)
        for own in ({"keys": {"ols": "key"}}, {"entry": "ols", "fold": 0}, {"races": SimpleNamespace(keep=full)})
    )
    with pytest.raises(StoreError):
        result._keeper(heat, "d", keep, there)(run)
    assert not there
