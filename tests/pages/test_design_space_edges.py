"""The Design space page at its edges: categories, gaps, one level, one parameter; its learning curve."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.trial import Import, Kind, Metric, Trials
from tests.pages.conftest import PATIENT_S
from tests.pages.test_design_space import PORTS, designs_import, metric
from tests.pages.toys import charts, drawings, sound, space_import


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page wait for what it computes, however slow the machine is: nothing watches jobs here."""
    monkeypatch.setattr("pages._ui.jobs._AT_ONCE_S", PATIENT_S)


@pytest.fixture
def toy(add) -> None:
    add(designs_import())


def names_import(constant: bool = False, holes: str = "") -> Import:
    """Designs of a number and a category, layout; perhaps with a constant time, or a parameter that misses values.

    Parameters
    ----------
    holes : where it does: in "some" trials, or in all of the layout "row"
    """
    width = np.tile([1.0, 2.0, 4.0, 8.0], 6)
    layout = ("row",) * 12 + ("<b>column",) * 12
    time = 5 + 8 / width + np.repeat([0.0, 3.0], 12) + np.repeat(np.arange(6.0), 4) / 100
    missing = np.arange(24) < 12 if holes == "row" else np.arange(24) % 5 < 2
    gaps = np.where(missing, np.nan, 1 + np.arange(24.0) % 3)
    metrics = [Metric("width", Kind.PARAMETER, "lanes"), *([Metric("gaps", Kind.PARAMETER)] if holes else [])]
    columns = [width, *([gaps] if holes else []), np.full(24, 2.5) if constant else time]
    trials = Trials(
        ("app",) * 24,
        ("",) * 24,
        ("",) * 24,
        (*metrics, Metric("time", Kind.RESPONSE, "us")),
        np.column_stack(columns),
        labels={"layout": layout},
        parameters=("layout",),
    )
    return Import(source="n.csv", sha256=f"n{constant}{holes}", format="csv", trials=trials)


@pytest.fixture
def add(database):
    """Return a function that adds a dataset."""
    from pages._ui.database import store

    return lambda imported, name="toy": store().add(name, imported)


def test_applications_that_no_fold_can_teach_are_looked_at_together(add, open_page) -> None:
    """Five designs run once leave four to learn from, and the most designs tell nothing where all took 0."""
    lanes = np.tile([1.0, 2.0, 4.0, 8.0, 16.0], 4)
    time = np.where(np.arange(20) < 10, 8 / lanes + 1, 0.0)
    app = ("a",) * 5 + ("b",) * 5 + ("idle",) * 10
    metrics = (*(Metric(n, Kind.PARAMETER) for n in ("lanes", "ports")), Metric("time", Kind.RESPONSE, "us"))
    values = np.column_stack([lanes, np.repeat([1.0, 2.0, 1.0, 2.0], 5), time])
    trials = Trials(app, ("",) * 20, ("",) * 20, metrics, values)
    add(Import(source="few.csv", sha256="few", format="csv", trials=trials))
    at = sound(open_page("design_space", space_view="Best designs"))
    assert at.selectbox(key="space_application").value == "(all together)"


def test_the_history_of_a_rate_seeks_the_highest(add, open_page) -> None:
    lanes, ports = np.tile([1.0, 2.0, 4.0, 8.0], 3), np.repeat([1.0, 2.0, 3.0], 4)
    metrics = (*(Metric(n, Kind.PARAMETER) for n in ("lanes", "ports")), Metric("rate", Kind.RESPONSE, "GB/s"))
    trials = Trials(("a",) * 12, ("",) * 12, ("",) * 12, metrics, np.column_stack([lanes, ports, 10 * lanes + ports]))
    add(Import(source="rate.csv", sha256="rate", format="csv", trials=trials))
    at = sound(open_page("design_space", space_view="Next experiments", space_model="anova"))
    assert any("the best so far is 83 GB" in text.value for text in at.markdown)


def test_categories_have_a_slider_too(add, open_page) -> None:
    add(names_import())
    at = sound(open_page("design_space"))
    assert [s.key for s in at.select_slider] == ["at_width", "at_layout"]
    assert at.select_slider(key="at_layout").options == ["<b>column", "row"]
    before = metric(at, "Predicted time")
    sound(at.select_slider(key="at_layout").set_value("row").run())
    assert metric(at, "Predicted time") != before
    assert "here row" in drawings(at)[1]
    at = sound(open_page("design_space", space_view="Space"))
    assert at.dataframe[0].value["levels"].tolist() == ["1, 2, 4, 8", "<b>column, row"]
    at = sound(open_page("design_space", space_view="Best designs", space_conditions="layout == 'row'"))
    assert set(at.dataframe[0].value["layout"]) == {"row"}


def test_a_parameter_that_misses_values_is_left_out_and_named(add, open_page) -> None:
    add(names_import(holes="some"))
    at = sound(open_page("design_space"))
    assert [s.key for s in at.select_slider] == ["at_width", "at_layout"]
    assert any("miss values: gaps" in c.value.replace("\\", "") for c in at.caption)
    assert any("trained on 24 trials" in c.value for c in at.caption)


def test_a_parameter_that_one_layout_has_not_keeps_its_slider(add, open_page) -> None:
    add(names_import(holes="row"))
    at = sound(open_page("design_space"))
    assert {s.key for s in at.select_slider} == {"at_width", "at_layout", "at_gaps"}
    assert any("gaps' is not set where layout is row" in c.value.replace("\\", "") for c in at.caption)
    assert any("trained on 24 trials" in c.value for c in at.caption)


def test_a_constant_response_is_one_sentence(add, open_page) -> None:
    add(names_import(constant=True))
    at = open_page("design_space")
    assert not at.exception
    assert [e.value.replace("\\", "") for e in at.error] == [
        "The response 'time' is 2.5 in every trial: there is nothing to predict."
    ]


def built(open_page, text: str, **url: str):
    """Open the page on a space that was built in it."""
    at = open_page("design_space", space="Built here", **url)
    at.session_state["_space_built_text"] = text
    return at.run()


def test_a_space_of_one_design_is_one_sentence(toy, open_page) -> None:
    text = '[parameters."si*m*d"]\nlevels = [8]\n[parameters.ports]\nlevels = [1]\n[parameters.idle]\nlevels = [1]\n'
    at = sound(built(open_page, text))
    assert "no parameter of this design space that has more than one level" in at.info[0].value
    at = built(open_page, text, space_view="Best designs")
    assert not at.exception
    assert len(at.error) <= 2


def test_one_parameter_has_a_curve_and_no_map(toy, open_page) -> None:
    at = sound(built(open_page, "[parameters.ports]\nlevels = [1, 2, 4, 8, 64]\n"))
    assert [s.key for s in at.select_slider] == [PORTS]
    assert len(drawings(at)) == 1
    sound(at.select_slider(key=PORTS).set_value("64").run())
    assert any(
        "extrapolates: ports = 64 is outside the trained 1 to 8" in m.value.replace("\\", "") for m in at.markdown
    )


def test_a_model_that_needs_more_than_the_space_has_is_one_sentence(toy, open_page) -> None:
    from core.export import write_model
    from core.recipes import RECIPES
    from pages._ui.database import frame, store

    model = RECIPES["stargazer"]().fit(frame("toy", "time", ("si*m*d", "ports"), (("application", "=", "first"),)))
    store().models.save(
        "kept",
        write_model(model),
        dataset="toy",
        recipe="stargazer",
        response="time",
        n_trials=36,
        scores={},
        options={},
    )
    at = built(open_page, "[parameters.ports]\nlevels = [1, 2]\n", space_model="Saved: kept · v1")
    assert not at.exception
    assert "of which the trials have 3 values" in at.error[0].value


def test_a_learning_curve_says_how_many_are_enough(toy, open_page) -> None:
    url = {"space_view": "Learning curve", "learn_beside": "forest", "learn_repeats": "2"}
    at = sound(open_page("design_space", **url))
    assert (at.number_input(key="learn_largest").value, at.number_input(key="learn_test").value) == (24, 12)
    assert any("12 unseen ones with a mean error" in m.value.replace("\\", "") for m in at.markdown)
    assert [t["name"] for t in charts(at)[0]["data"]][:1] == ["mean"]
    at.number_input(key="learn_largest").set_value(30).run()
    assert not at.exception
    assert "needs 42 configurations, got 36" in at.error[0].value.replace("\\", "")


def test_sizes_of_a_learning_curve_that_nobody_chose_follow_the_dataset(add, open_page) -> None:
    for name, n in (("many", 80), ("few", 40)):
        add(space_import(n), name)
    for former, now in (("many", "few"), ("few", "many")):
        at = sound(open_page("design_space", dataset=former, space_view="Learning curve", learn_repeats="1"))
        sound(at.selectbox(key="dataset").set_value(now).run())
        assert not [name for name in at.query_params if name in ("learn_largest", "learn_step", "learn_test")]


def test_a_learning_curve_of_six_designs_learns_from_what_the_model_takes(add, open_page) -> None:
    """A third unseen would leave four, and this family takes five."""
    lanes = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    metrics = (Metric("lanes", Kind.PARAMETER), Metric("time", Kind.RESPONSE, "us"))
    trials = Trials(("app",) * 6, ("",) * 6, ("",) * 6, metrics, np.column_stack([lanes, 5 + 8 / lanes]))
    add(Import(source="six.csv", sha256="six", format="csv", trials=trials))
    at = sound(open_page("design_space", space_view="Learning curve", space_model="anova", learn_repeats="1"))
    assert (at.number_input(key="learn_largest").value, at.number_input(key="learn_test").value) == (5, 1)
    assert any("predicts 1 unseen one with a mean error" in m.value.replace("\\", "") for m in at.markdown)


def test_each_curve_can_have_its_own_scale(toy, open_page) -> None:
    def first(at: AppTest) -> str:
        return at.get("image")[0].proto.imgs[0].url

    assert first(sound(open_page("design_space"))) != first(sound(open_page("design_space", own_scale="true")))


def test_applications_with_parameters_of_their_own_are_asked_for_what_they_share(add, open_page) -> None:
    tile, own, first = np.tile([1.0, 2.0, 4.0, 8.0], 6), np.repeat(np.arange(3.0), 8), np.arange(24) < 12
    trials = Trials(
        tuple(np.where(first, "conv", "gemm").tolist()),
        ("",) * 24,
        ("",) * 24,
        (*(Metric(name, Kind.PARAMETER) for name in ("tile", "halo", "split")), Metric("time", Kind.RESPONSE, "us")),
        np.column_stack([tile, np.where(first, own, np.nan), np.where(first, np.nan, own), 5 + 8 / tile + own]),
    )
    add(Import(source="a.csv", sha256="apart", format="csv", trials=trials))
    at = sound(open_page("design_space", space_view="Applications"))
    assert "2 models, one per application" in " ".join(m.value for m in at.markdown)
    assert any("halo, split" in c.value for c in at.caption)
