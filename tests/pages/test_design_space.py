"""The Design space page: every view draws, sliders move everything, a newcomer is one click from them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.curate import BY_HAND
from core.space.design_space import Parameter, make_space
from core.space.plan import make_plan
from core.trial import Import, Kind, Metric, Trials
from pages._design_space.views.plan import _command
from tests.pages.conftest import PATIENT_S
from tests.pages.toys import charts, choose, drawings, press, rested, sound, toy_import

SIMD, PORTS = "at_si*m*d", "at_ports"


def designs_import() -> Import:
    """Two applications on all designs of three parameters, with time and power; one name is Markdown."""
    levels = [(8.0, 16.0, 32.0), (1.0, 2.0, 4.0, 8.0), (1.0, 2.0, 3.0)]
    grid = np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1).reshape(-1, 3)
    X = np.vstack([grid, grid])
    application = ["first"] * len(grid) + ["second"] * len(grid)
    work = np.repeat([100.0, 300.0], len(grid))
    time = work / X[:, 0] + 8 / X[:, 1] * (X[:, 0] > 8)
    power = 10 + X[:, 0] + 2 * X[:, 1]
    metrics = [Metric("si*m*d", Kind.PARAMETER, "lanes"), Metric("ports", Kind.PARAMETER, "count")]
    metrics += [Metric("idle", Kind.PARAMETER), Metric("time", Kind.RESPONSE, "us")]
    metrics.append(Metric("power", Kind.RESPONSE, "W"))
    n = len(X)
    trials = Trials(tuple(application), ("",) * n, ("",) * n, tuple(metrics), np.column_stack([X, time, power]))
    return Import(source="designs.csv", sha256="designs", format="csv", trials=trials)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page wait for what it computes, however slow the machine is: nothing watches jobs here."""
    monkeypatch.setattr("pages._ui.jobs._AT_ONCE_S", PATIENT_S)


@pytest.fixture
def toy(stock) -> None:
    stock("toy", designs_import)


def metric(at: AppTest, label: str) -> str:
    return next(m.value for m in at.metric if m.label.replace("\\", "") == label)


def test_sizes_by_which_inputs_are_called_are_parameters(database, open_page) -> None:
    from core.ingest import SourceFile, drop, parts_of
    from pages._ui.database import store

    cells = [(gpu, n, block) for gpu in ("A100", "V100") for n in (512, 1024, 2048) for block in (64, 128, 256)]
    lines = [f"{gpu},{n},{block},{n * n / block * (1 + (gpu == 'V100'))}" for gpu, n, block in cells]
    text = "\n".join(["gpu,n,block,time_ms", *lines])
    (imported,) = drop(parts_of([SourceFile("two.csv", text.encode())])).gathered().imports
    assert imported.trials.input[0] == "512"
    store().add("two", imported)
    at = sound(open_page("design_space"))
    assert [slider.label for slider in at.select_slider] == ["n", "block"]
    assert (at.selectbox(key="space_input").value, at.selectbox(key="space_machine").value) == (
        "(all together)",
        "A100",
    )
    n, block = (next(s.key for s in at.select_slider if s.label == label) for label in ("n", "block"))
    sound(at.select_slider(key=n).set_value("2048").run())
    sound(at.button(key="to_low").click().run())  # of this size, which is no choice
    assert (at.select_slider(key=n).value, at.select_slider(key=block).value) == ("2048", "256")
    best = sound(open_page("design_space", space_view="Best designs"))
    assert best.selectbox(key="space_problem").options == ["n 2048", "n 1024", "n 512", "any"]
    assert any("For n 2048\\: block 256 is the best" in text.value for text in best.markdown)
    sound(best.selectbox(key="space_problem").set_value("n 512").run())
    assert any("For n 512\\: block 256 is the best" in text.value for text in best.markdown)
    sound(at.selectbox(key="space_input").set_value("1024").run())
    assert [slider.label for slider in at.select_slider] == ["block", "machine"], "too few of each alone"


def test_a_newcomer_is_one_click_from_sliders(database, open_page) -> None:
    from pages._ui.database import store

    store().add("toy", toy_import())
    at = sound(open_page("design_space"))
    assert "has no parameters that were set before a run" in at.info[0].value.replace("\\", "")
    sound(at.button(key="space_sample").click().run())
    assert len(at.select_slider) == 5
    assert at.selectbox(key="dataset").value == "design_space"
    assert metric(at, "Predicted cycles").endswith(" cycles")


def test_constraints_inferred_from_the_trials_are_shown_and_can_be_switched_off(database, open_page) -> None:
    from pages._ui.database import store

    levels = 2.0 ** np.arange(7)
    grid = np.stack(np.meshgrid(levels, levels, indexing="ij"), axis=-1).reshape(-1, 2)
    grid = grid[grid.prod(axis=1) <= 128]
    metrics = (Metric("a", Kind.PARAMETER), Metric("b", Kind.PARAMETER), Metric("time", Kind.RESPONSE, "us"))
    n = len(grid)
    X = np.column_stack([grid, 1 + grid.sum(axis=1)])
    trials = Trials(("one",) * n, ("",) * n, ("",) * n, metrics, X)
    store().add("holes", Import(source="h.csv", sha256="holes", format="csv", trials=trials))
    at = sound(open_page("design_space", space_view="Space"))
    assert metric(at, "Designs") == f"{n}"
    (box,) = (c for c in at.checkbox if c.key.startswith("hole_"))
    assert box.value
    assert "`a * b <= 128` (excludes 15)" in box.label
    sound(box.uncheck().run())
    assert metric(at, "Designs") == "49"
    linked = sound(open_page("design_space", space_view="Space", space_without="a * b <= 128"))
    assert metric(linked, "Designs") == "49"


def test_metrics_can_be_taken_for_parameters(database, open_page) -> None:
    from pages._ui.database import store

    store().add("toy", toy_import())
    at = open_page("design_space", space_application="(all together)", space_machine="(all together)")
    sound(at.button(key="use_metrics").click().run())
    assert {s.key for s in at.select_slider} >= {"at_instructions", "at_bytes"}


def machines_import() -> Import:
    """Twenty machines with two facts each and a text, on two inputs."""
    clock, cache = np.tile([1.0, 2.0, 3.0, 4.0], 10), np.repeat([1.0, 2.0, 4.0, 8.0, 16.0], 8)
    machines = [f"cpu {i % 20}" for i in range(40)]
    metrics = (Metric("clock", Kind.MACHINE), Metric("cache", Kind.MACHINE), Metric("time", Kind.RESPONSE, "us"))
    inputs = ("small",) * 20 + ("large",) * 20
    X = np.column_stack([clock, cache, np.repeat([1.0, 5.0], 20) * (100 / clock + 20 / cache)])
    X[:, :2] = X[[int(name.split()[1]) * 2 for name in machines], :2]
    labels = {"isa": tuple("ARM" if int(name.split()[1]) < 8 else "x86" for name in machines)}
    trials = Trials(("one",) * 40, inputs, tuple(machines), metrics, X, labels=labels)
    return Import(source="m.csv", sha256="machines", format="csv", trials=trials)


def test_many_machines_are_designs_whose_parameters_are_their_facts(stock, open_page) -> None:
    stock("machines", machines_import)
    at = sound(open_page("design_space", dataset="machines"))
    assert [s.label for s in at.select_slider] == ["clock", "cache"]
    assert [box.key for box in at.selectbox if box.key in ("space_input", "space_machine")] == ["space_input"]
    assert metric(at, "Predicted time").endswith("us")


def test_the_application_of_most_trials_is_shown_first(stock, open_page) -> None:
    def few() -> Import:
        """One design of the first application, and all of the second."""
        whole = designs_import()
        trials, rows = whole.trials, [0, *range(36, 72)]
        texts = {name: tuple(getattr(trials, name)[i] for i in rows) for name in ("application", "input", "machine")}
        return replace(whole, sha256="few", trials=replace(trials, values=trials.values[rows], **texts))

    stock("few", few)
    at = sound(open_page("design_space", dataset="few"))
    assert at.selectbox(key="space_application").value == "second"
    assert len(at.select_slider) == 3


def test_applications_of_few_trials_are_learnt_together_and_told_by_name(stock, open_page) -> None:
    from core.ingest import SourceFile, drop, parts_of

    def sorts() -> Import:
        cells = [
            (k, algo, threads) for k, algo in enumerate(("bitonic", "radix", "sample")) for threads in (1, 2, 4, 8)
        ]
        lines = [f"{algo},{threads},{(1 + 9 * k) / threads}" for k, algo, threads in cells]
        text = "\n".join(["algorithm,threads,seconds", *lines])
        return drop(parts_of([SourceFile("sorts.csv", text.encode())])).gathered().imports[0]

    stock("sorts", sorts)
    at = sound(open_page("design_space", dataset="sorts"))
    assert at.selectbox(key="space_application").value == "(all together)"
    assert [slider.label for slider in at.select_slider] == ["application", "threads"]
    best = sound(open_page("design_space", dataset="sorts", space_view="Best designs"))
    assert best.selectbox(key="space_problem").value == "application sample"
    assert "space_over" not in {box.key for box in best.selectbox}
    sound(best.selectbox(key="space_problem").set_value("any").run())
    assert any("application bitonic · threads 8 is the best" in text.value for text in best.markdown)


def test_a_value_of_a_text_that_tells_trials_apart_no_longer_is_no_parameter(stock, open_page) -> None:
    stock("machines", machines_import)
    names = ["clock", "cache", "isa=ARM", "isa=x86"]
    at = sound(open_page("design_space", dataset="machines", metrics=names, where="isa=x86"))
    assert not at.error


def test_a_slider_moves_prediction_curves_and_measurement(toy, open_page) -> None:
    at = sound(open_page("design_space"))
    assert [s.key for s in at.select_slider] == [SIMD, PORTS, "at_idle"]
    assert at.select_slider(key=SIMD).label.replace("\\", "") == "si*m*d (lanes)"
    before, drawn = metric(at, "Predicted time"), drawings(at)
    assert metric(at, "Measured") == "10.2 us"
    assert "here 16" in drawn[0]
    sound(at.select_slider(key=SIMD).set_value("32").run())
    assert metric(at, "Predicted time") != before
    assert metric(at, "Measured") == "7.12 us"
    assert "here 32" in drawings(at)[0]
    assert drawings(at)[1] != drawn[1]
    assert any("no term with idle" in c.value for c in at.caption)


def test_applications_are_apart_and_the_url_says_which(toy, open_page) -> None:
    at = sound(open_page("design_space", space_application="second", **{SIMD: "8"}))
    assert at.select_slider(key=SIMD).value == "8"
    assert metric(at, "Measured") == "37.5 us"


def test_a_pinned_design_is_what_others_are_held_against(toy, open_page) -> None:
    at = sound(open_page("design_space"))
    sound(at.button(key="pin").click().run())
    assert at.query_params["pinned"] == ["16", "2", "2"]
    at.select_slider(key=SIMD).set_value("8").run()
    shown = next(m for m in sound(at).metric if m.label == "Predicted time")
    assert shown.delta.startswith("+")
    assert "%" in shown.delta
    assert any("si\\*m\\*d 16 → 8" in c.value for c in at.caption)
    sound(at.button(key="to_pinned").click().run())
    assert at.select_slider(key=SIMD).value == "16"
    sound(at.button(key="unpin").click().run())
    assert not next(m for m in at.metric if m.label == "Predicted time").delta


def test_the_lowest_and_the_highest_are_one_click_away(toy, open_page) -> None:
    at = sound(open_page("design_space"))
    sound(at.button(key="to_low").click().run())
    assert at.select_slider(key=SIMD).value == "32"
    sound(at.button(key="to_high").click().run())
    assert (at.select_slider(key=SIMD).value, at.select_slider(key=PORTS).value) == ("16", "1")


@pytest.mark.parametrize(("kind", "n_charts"), [("map", 0), ("contours", 1), ("surface", 1)])
def test_two_parameters_at_once(toy, open_page, kind: str, n_charts: int) -> None:
    at = sound(open_page("design_space", surface_kind=kind, surface_x="ports", surface_y="idle"))
    assert len(charts(at)) == n_charts
    assert (drawings(at)[-1].startswith("Map of the predicted time (us) over ports (count) and idle")) is (
        kind == "map"
    )
    at.session_state["interactions_open"] = True  # what acts together is drawn where it is looked at
    assert len(charts(sound(at.run()))) == n_charts + 1


@pytest.mark.parametrize("model", ["anova", "forest"])
def test_any_family_can_be_asked(toy, open_page, model: str) -> None:
    at = sound(open_page("design_space", space_model=model))
    assert metric(at, "Predicted time").endswith("us")
    assert len(drawings(at)) == 3


@pytest.mark.usefixtures("every_entry")
def test_a_model_is_told_what_it_is_worth_with_the_way_to_a_better_one(toy, open_page, monkeypatch) -> None:
    from pages._model import answer

    def told(at: AppTest) -> list[str]:
        return [m.value for m in at.markdown if "-badge[" in m.value]

    judge, tests = answer.verdict_on, []

    def judged(found, recipe, own=None):
        tests.append(own)
        return judge(found, recipe, own=own)

    monkeypatch.setattr(answer, "UNASKED", 10**9)
    monkeypatch.setattr(answer, "verdict_on", judged)
    at = rested(open_page("design_space", space_model="nnls"), told)
    assert {own is None for own in tests} == {False}, "judged on other folds than those of the error above"
    assert ["stock extra trees" in said and "more than noise" in said for said in told(at)] == [True]
    before = metric(at, "Predicted time")
    at.button(key="take_auto").click().run()
    at = rested(at, told)
    assert at.selectbox(key="space_model").value == "auto"
    assert metric(at, "Predicted time") != before
    assert ["-badge[Weak]" in said or "-badge[No use]" in said for said in told(at)] == [False]
    assert "take_auto" not in {button.key for button in at.button}


def test_a_space_is_described_and_taken_away(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Space"))
    assert (metric(at, "Parameters"), metric(at, "Combinations"), metric(at, "Designs")) == ("3", "36", "36")
    assert at.dataframe[0].value["levels"].tolist() == ["8, 16, 32", "1, 2, 4, 8", "1, 2, 3"]
    assert "download_space" in {b.key for b in at.get("download_button")}


def test_the_papers_space_is_an_example(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Space", space="Example: Stargazer, Table 2"))
    assert metric(at, "Combinations") == "933,120"
    at = open_page("design_space", space="Example: Stargazer, Table 2")
    assert not at.exception
    assert "nothing can be learnt" in at.error[0].value


def test_a_space_is_read_from_a_file(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Space", space="A TOML file"))
    assert (len(at.info), [upload.label for upload in at.file_uploader]) == (0, ["Design space, a TOML file"])
    text = b'constraints = ["ports <= 2"]\n[parameters."si*m*d"]\nlevels = [8, 64]\n[parameters.ports]\nlevels = [1, 2, 4]\n'
    at.file_uploader(key="space_upload").set_value(("mine.toml", text, "application/toml")).run()
    sound(at)
    assert (metric(at, "Combinations"), metric(at, "Designs")) == ("6", "4")
    at.file_uploader(key="space_upload").set_value(("bad.toml", b"x = 1", "application/toml")).run()
    assert not at.exception
    assert at.error[0].value.replace("\\", "").startswith("bad.toml has 'x'")


def test_a_space_is_built_in_the_page(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Space"))
    sound(at.button(key="edit_space").click().run())
    assert at.selectbox(key="space").value == "Built here"
    assert metric(at, "Designs") == "36"
    at.text_area(key="space_constraints").set_value("ports * idle <= 4").run()
    assert metric(sound(at), "Designs") == str(3 * (3 + 2 + 1))
    at.text_area(key="space_constraints").set_value("ports <").run()
    assert not at.exception
    assert "ports \\<" in at.error[0].value


@pytest.mark.parametrize("method", ["uniform", "latin_hypercube", "sobol"])
def test_a_plan_is_drawn_and_comes_with_its_command(toy, open_page, method: str) -> None:
    at = sound(open_page("design_space", space_view="Plan", plan_method=method, plan_number="7"))
    assert len(at.dataframe[0].value) == 7
    assert at.code[0].value.startswith("ridgeline measure toy_plan.csv --command ")
    assert "--ports {ports}" in at.code[0].value


def test_options_of_the_command_are_one_word_each() -> None:
    space = make_space([Parameter("Core Mask", ("4", "4:5")), Parameter("mhz", (1.0, 2.0))], name="soc")
    said = _command(make_plan(space, space.codes(np.arange(4))), space, "plan", ())
    assert "'./simulate --Core-Mask {Core Mask} --mhz {mhz}'" in said


def test_a_plan_by_fraction_and_without_what_is_measured(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Plan", plan_size="fraction of the space", plan_share_1="0.25"))
    assert len(at.dataframe[0].value) == 9
    at.toggle(key="plan_leave").set_value(True).run()
    assert not at.exception
    assert "Every one of the 36 points" in at.error[0].value


def test_the_whole_space_is_scored_with_a_second_response(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Explore the space", space_second="power", second_high="30"))
    assert [s.value for s in at.header] == [
        "Designs to choose from",
        "Best designs",
        "What matters over the whole space: Sobol’ indices",
        "Which parameters act together",
    ]
    assert len(charts(at)) == 4
    offered, best = (table.value for table in at.dataframe[:2])
    assert offered["power (W), lowest"].max() <= 30.01
    assert offered["unbeaten (%)"].between(0, 100).all()
    assert best["power (W), lowest"].max() <= 30.01
    at.text_area(key="space_conditions").set_value("ports == 1\npower >= 2 * ports").run()
    offered, best = (table.value for table in sound(at).dataframe[:2])
    assert set(best["ports"]) == set(offered["ports"].astype(int)) == {1}
    sound(at.button(key="best_to_sliders").click().run())
    assert at.select_slider(key=PORTS).value == "1"


def test_a_design_is_chosen_on_the_front_or_in_the_table_and_stands_in_the_address(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Best designs", space_second="power", space_goal="ports"))
    offered, front = at.dataframe[0].value, at.dataframe[1].value
    assert {"time (us), lowest", "power (W), lowest", "ports, lowest"} <= set(front.columns)
    assert not [name for name in front if "90 %" in name]  # one interval of a design
    assert not any(text.value.startswith("**Chosen:**") for text in at.markdown)
    for key, clicked, row in (
        (
            "front",
            {"points": [{"customdata": len(front) - 1}], "point_indices": [], "box": [], "lasso": []},
            front.iloc[-1],
        ),
        ("decision", {"rows": [1], "columns": [], "cells": []}, offered.iloc[1]),
    ):
        choose(at, key, **clicked)
        sound(at.run())
        assert at.query_params["space_chosen"][:2] == [f"{float(row[name]):g}" for name in ("si*m*d", "ports")]
        told = next(text.value for text in at.markdown if text.value.startswith("**Chosen:**")).replace("\\", "")
        assert f"si*m*d {float(row['si*m*d']):g} lanes · ports {float(row['ports']):g} count" in told
        assert "The probability that no other design shown is better in a goal and as good in all is" in told
    again = dict(at.query_params)
    at = sound(open_page("design_space", **{k: v if len(v) > 1 else v[0] for k, v in again.items()}))
    assert any(text.value.startswith("**Chosen:**") for text in at.markdown)


def test_a_design_that_was_clicked_is_none_of_another_decision(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Best designs", space_second="power"))
    choose(at, "decision", rows=[len(at.dataframe[0].value) - 1], columns=[], cells=[])
    choose(at, "front", points=[{"customdata": len(at.dataframe[1].value) - 1}], point_indices=[], box=[], lasso=[])
    sound(at.text_area(key="space_conditions").set_value("ports == 1\nidle == 1").run())
    assert "space_chosen" not in at.query_params


def test_limits_on_a_second_response_that_is_no_goal(toy, open_page) -> None:
    at = sound(
        open_page(
            "design_space",
            space_view="Best designs",
            space_second="power",
            space_second_sense="limit only",
            second_high="30",
        )
    )
    assert any("power <= 30 with" in text.value.replace("\\", "").replace("\u2060", "") for text in at.markdown)
    assert any("the next ten runs" in text.value or "One more run" in text.value for text in at.markdown)
    assert len(charts(at)) == 3
    at = open_page("design_space", space_view="Best designs", space_conditions="time < 0")
    assert any("none fulfils time < 0" in error.value.replace("\\", "").replace("\u2060", "") for error in at.error)


def test_of_a_rate_high_is_wanted(stock, open_page) -> None:
    def rates() -> Import:
        made = designs_import()
        metrics = tuple(replace(m, name="speed", unit="frames/s") if m.unit == "us" else m for m in made.trials.metrics)
        return replace(made, trials=replace(made.trials, metrics=metrics))

    stock("rates", rates)
    at = sound(open_page("design_space", space_view="Best designs"))
    assert "speed (frames/s), highest" in at.dataframe[0].value
    at = sound(open_page("design_space", space_view="Best designs", space_second="power"))
    assert "power (W), lowest" in at.dataframe[0].value


def test_few_designs_of_many_inputs_are_looked_at_together(stock, open_page) -> None:
    def few() -> Import:
        made = designs_import()
        inputs = tuple(f"set {i % 24}" for i in range(len(made.trials)))  # three of each
        return replace(made, trials=replace(made.trials, application=("one",) * len(inputs), input=inputs))

    stock("few", few)
    at = sound(open_page("design_space", space_view="Space"))
    assert metric(at, "Designs") == "36"


def test_designs_are_good_for_all_applications(toy, open_page) -> None:
    view = {"space_view": "Explore the space", "space_over": "weighted mean", "space_weights": "second=3"}
    at = sound(open_page("design_space", **view))
    said = [text.value.replace("\\", "") for text in at.markdown]
    assert any("time over applications by mean with second=3" in text for text in said)
    offered = at.dataframe[0].value
    goal = "time over applications by mean with second=3 (us), lowest"
    assert offered[goal].iloc[0] == pytest.approx((offered["time_first"] + 3 * offered["time_second"]).iloc[0] / 4)
    rows = designs_import().trials.values
    first, second = rows[:36, 3], rows[36:, 3]
    assert offered[goal].iloc[0] == pytest.approx(((first + 3 * second) / 4).min())
    assert any("on designs that no application had measured" in caption.value for caption in at.caption)
    at.text_input(key="space_weights").set_value("third=3").run()
    assert "there is no application 'third'" in at.error[0].value.replace("\\", "").lower()


def test_the_next_experiments_follow_from_a_part_of_the_trials(toy, open_page) -> None:
    at = open_page("design_space", space_view="Next experiments", next_number="5")
    assert not at.exception
    assert any("Every design of this space was measured" in i.value for i in at.info)
    assert "next_number" not in {field.key for field in at.number_input}
    at.selectbox(key="space_learn").set_value("30 designs").run()
    sound(at)
    assert len(at.dataframe[0].value) == 5
    assert "expected time (us)" in at.dataframe[0].value.columns
    helps = {name: said.get("help") for name, said in json.loads(at.dataframe[0].proto.columns).items()}
    assert "one standard deviation" in helps["doubt (model's scale)"]


def first_designs(n: int = 24) -> tuple[Import, Import]:
    """Return some designs of the first application, and those that are left, as further results."""
    whole = designs_import()
    rows = np.random.default_rng(0).permutation(36)
    parts = []
    for name, own in (("some", rows[:n]), ("rest", rows[n:])):
        texts = {
            role: tuple(getattr(whole.trials, role)[i] for i in own) for role in ("application", "input", "machine")
        }
        parts.append(
            replace(
                whole,
                source=f"{name}.csv",
                sha256=name,
                trials=replace(whole.trials, **texts, values=whole.trials.values[own]),
            )
        )
    return parts[0], parts[1]


def test_results_are_dropped_beside_the_plan_and_the_search_has_a_history(database, open_page) -> None:
    from pages._ui.database import store

    some, rest = first_designs()
    store().add("toy", some)
    choices = {"space_view": "Next experiments", "next_number": "5", "next_goal": "minimise", "space_model": "anova"}
    at = sound(open_page("design_space", **choices))
    planned = at.dataframe[0].value
    assert "expected gain" in planned.columns
    assert planned["expected gain"].is_monotonic_decreasing or planned["expected gain"].min() >= 0
    command = at.code[0].value
    assert "--dataset toy --response time:us" in command
    history = at.dataframe[1].value
    assert list(history["runs"]) == [24]

    # Four of five results, one of a level that there is not, one that was not planned.
    names = ["si*m*d", "ports", "idle", "time"]
    truth = {tuple(row[:3]): row[3] for row in np.vstack([p.trials.values for p in (some, rest)]).tolist()}
    rows = [tuple(map(float, row)) for row in planned.iloc[:, -3:].to_numpy().tolist()]
    other = next(tuple(row[:3]) for row in rest.trials.values.tolist() if tuple(row[:3]) not in rows)
    lines = [",".join(names)] + [",".join(map(str, (*row, truth[row]))) for row in (*rows[:4], other)] + ["9,1,1,2"]
    file = ("new.csv", "\n".join(lines).encode(), "text/csv")
    sound(at.file_uploader(key="results_0").set_value(file).run())
    said = " ".join(m.value for m in at.markdown).replace("\\", "")
    assert "4 of 5 planned designs have results, 5 rows; 1 design is not planned, taken too; 1 row is left out" in said
    assert "si*m*d is 9, which is no level of it" in said
    sound(at.button(key="add_results").click().run())
    assert at.success[0].value.replace("\\", "") == "5 results of new.csv added to toy."
    assert list(at.dataframe[1].value["runs"]) == [24, 29]
    assert list(at.dataframe[1].value["from"]) == ["some.csv", "new.csv"]
    assert not {tuple(map(float, r)) for r in at.dataframe[0].value.iloc[:, -3:].to_numpy().tolist()} & {
        *rows[:4],
        other,
    }
    card = store().datasets.sources("toy")[1]
    assert (card.name, card.n_trials, len(card.skipped)) == ("new.csv", 5, 1)
    assert len(store().measured("toy").application) == 29
    assert set(store().measured("toy").application) == {"first"}

    # Taken back, the answer is the former one; the same file is known, and counts again on a press.
    press(at, "take_back")
    assert list(at.dataframe[1].value["runs"]) == [24]
    sound(at.file_uploader(key="results_1").set_value(file).run())
    sound(at.button(key="add_results").click().run())
    assert "already imported" in at.success[0].value
    press(at, "count_again")
    assert list(at.dataframe[1].value["runs"]) == [24, 29]
    again = sound(open_page("design_space", **choices))
    assert list(again.dataframe[1].value["best so far (us)"]) == list(at.dataframe[1].value["best so far (us)"])


def test_what_is_taken_back_or_counted_again_is_what_the_button_said(database, open_page) -> None:
    from pages._ui.database import store

    some, rest = first_designs()
    new, more = (
        replace(rest, source=name, sha256=name, trials=rest.trials.take(rows))
        for name, rows in (("new.csv", range(6)), ("more.csv", range(6, 12)))
    )
    for one in (some, new):
        store().add("toy", one)
    at = sound(open_page("design_space", space_view="Next experiments"))
    store().add("toy", more)  # by somebody else
    press(at, "take_back")
    assert not store().curation.exclusions("toy")
    press(press(at, "take_back"), "take_back")
    arrivals = {arrival.title: arrival.ids for arrival in store().datasets.arrivals("toy")}
    store().curation.include("toy", sorted(arrivals["new.csv"]), BY_HAND)
    press(at, "count_again")
    assert {card.trial for card in store().curation.exclusions("toy")} == arrivals["more.csv"]


def test_runs_of_measure_are_counted_as_they_come(toy, database, open_page) -> None:
    from pages._ui.database import store

    some, rest = first_designs()
    store().add("mine", some)
    choices = {"dataset": "mine", "space_view": "Next experiments", "next_number": "2", "space_model": "anova"}
    at = sound(open_page("design_space", **choices))
    (mark,) = (mark for of, mark in at.session_state["_plans_offered"] if of == "mine")
    one = replace(
        rest.trials,
        values=rest.trials.values[:1],
        labels={"plan": (f"p.csv {mark}",)},
        **{r: getattr(rest.trials, r)[:1] for r in ("application", "input", "machine")},
    )
    store().add("mine", replace(rest, sha256="1", trials=one))
    sound(at.run())
    assert at.get("progress")[0].proto.text.replace("\\", "") == f"1 of 2 runs of p.csv {mark} have come."
    assert list(at.dataframe[1].value["from"]) == ["some.csv", f"p.csv {mark}"]


def test_saved_models_can_be_asked(toy, open_page) -> None:
    from core.export import write_model
    from core.recipes import RECIPES
    from pages._ui.database import frame, store

    first = (("application", "=", "first"),)
    told = {"dataset": "toy", "recipe": "stargazer", "response": "time", "n_trials": 36, "scores": {}, "options": {}}
    for name, metrics, where in (
        ("kept", ("si*m*d", "ports"), first),
        ("of both", ("si*m*d", "ports", "application=first"), ()),
    ):
        model = RECIPES["stargazer"]().fit(frame("toy", "time", metrics, where))
        store().models.save(name, write_model(model), **told)
    at = sound(open_page("design_space", space_model="Saved: of both · v1", space_application="second"))
    slow = float(metric(at, "Predicted time").split()[0])
    at = sound(open_page("design_space", space_model="Saved: of both · v1", space_application="first"))
    assert float(metric(at, "Predicted time").split()[0]) < slow / 2
    at = sound(open_page("design_space", space_model="Saved: kept · v1"))
    assert metric(at, "Predicted time").endswith("us")
    assert metric(at, "90 % interval (us)") == "–"
    assert any("not tested yet" in c.value for c in at.caption)


def test_without_trials_there_is_a_way_on(database, open_page) -> None:
    at = sound(open_page("design_space"))
    assert at.button(key="load_first_sample")
    assert (len(at.info), len(at.tabs), len(at.file_uploader)) == (1, 0, 0)
    at = sound(at.button(key="without_trials").click().run())
    assert (len(at.info), at.tabs[0].label, len(at.file_uploader)) == (1, "Space", 1)
    assert sound(open_page("design_space", space_view="Space", space="Example: Stargazer, Table 2"))


def test_applications_are_compared(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Applications"))
    assert "2 models, one per application, asked for the same 36 designs" in " ".join(m.value for m in at.markdown)
    assert [s.value for s in at.header] == [
        "How differently they react",
        "What matters to each",
        "One parameter, all others in the middle",
    ]
    assert len(charts(at)) == 3
    at = sound(at.selectbox(key="applications_over").set_value("ports").run())
    at = sound(at.selectbox(key="space_model").set_value("stargazer").run())
    assert len(charts(at)) == 3
    at = sound(at.selectbox(key="space_model").set_value("extra_trees").run())
    assert len(charts(at)) == 2  # its models do not tell what each factor adds


def test_one_application_has_nothing_to_be_compared_with(toy, open_page) -> None:
    at = sound(open_page("design_space", space_view="Applications", where="application=first"))
    assert any("nothing to compare" in i.value for i in at.info)
