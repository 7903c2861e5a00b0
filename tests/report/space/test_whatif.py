"""What a model says of a design and around it: the same as asking the model itself, point by point."""

from functools import cache

import numpy as np
import pytest

from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import RECIPES, Treated, train
from core.report.figures.scaling_panel import profile
from core.report.figures.sketch import DARK, LETTER, LIGHT, Plot
from core.report.figures.surface import NARROW, surface_contours, surface_in_space, surface_map
from core.report.space.design_points import (
    measured_designs,
    middle_point,
    point_of_texts,
    start_levels,
    texts_of,
)
from core.report.space.whatif import log_axis, surface, what_if
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.sums import surrogate
from core.trial import Frame, Kind, Metric, make_frame

SPACE = make_space(
    [
        Parameter("width", (1.0, 2.0, 4.0, 8.0, 16.0), "lanes"),
        Parameter("<b>depth", (1.0, 2.0, 3.0), ""),
        Parameter("ports", (1.0, 2.0, 3.0, 4.0), "count"),
    ],
    ["width * ports <= 32"],
)
RECIPES_TRIED = ("stargazer", "anova", "extra_trees")


@cache
def _frame() -> Frame:
    """Trials of half of the levels of width: 16 was never measured."""
    rng = np.random.default_rng(1)
    codes = SPACE.codes(np.arange(SPACE.n_combinations, dtype=np.int64))
    X = SPACE.numbers(codes)[codes[:, 0] < 4]
    y = 100 / X[:, 0] + 5 * X[:, 1] * (X[:, 0] > 2) + rng.normal(0, 0.01, len(X))
    metrics = [Metric(p.name, Kind.PARAMETER, p.unit) for p in SPACE.parameters]
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "us"))


@cache
def _model(name: str) -> FittedPipeline:
    recipe = RECIPES[name]() if name in RECIPES else Treated(family=FAMILIES[name]())
    return train(recipe, _frame()).model


def _asked(model: FittedPipeline, space: DesignSpace, point: tuple[int, ...]) -> float:
    known = dict(zip(space.names, space.numbers(np.array([point]))[0], strict=True))
    return float(model.predict(np.array([[known[m] for m in model.names]])).value[0])


@pytest.mark.parametrize("name", RECIPES_TRIED)
def test_curves_and_surface_are_what_the_model_says(name: str) -> None:
    model, point = _model(name), (1, 2, 1)
    value = what_if(surrogate(model, SPACE), point, pinned=(0, 0, 0))
    assert value.answer.value == pytest.approx(_asked(model, SPACE, point), rel=1e-9)
    for curve in value.curves:
        for level in range(len(curve.values)):
            moved = tuple(level if SPACE.names[i] == curve.parameter.name else code for i, code in enumerate(point))
            assert curve.values[level] == pytest.approx(_asked(model, SPACE, moved), rel=1e-9)
        assert curve.values[curve.at] == pytest.approx(value.answer.value, rel=1e-9)
        assert curve.pinned is not None
        assert curve.pinned[curve.pinned_at] == pytest.approx(_asked(model, SPACE, (0, 0, 0)), rel=1e-9)
    found = surface(surrogate(model, SPACE), point, 0, 1)
    assert found.values.shape == (3, 5)
    assert found.values[2, 3] == pytest.approx(_asked(model, SPACE, (3, 2, 1)), rel=1e-9)


def test_differences_are_in_unit_and_percent() -> None:
    model = _model("stargazer")
    value = what_if(surrogate(model, SPACE), (3, 0, 1), pinned=(0, 0, 1))
    a, b = _asked(model, SPACE, (3, 0, 1)), _asked(model, SPACE, (0, 0, 1))
    assert value.difference is not None
    assert value.difference.absolute == pytest.approx(a - b)
    assert value.difference.percent == pytest.approx(100 * (a - b) / b)
    assert value.difference.changed == ("width 1 → 8",)
    assert what_if(surrogate(model, SPACE), (3, 0, 1)).difference is None


def test_extrapolation_and_constraints_show() -> None:
    value = what_if(surrogate(_model("stargazer"), SPACE), (4, 0, 3))
    assert value.answer.why == "width = 16 is outside the trained 1 to 8"
    assert value.answer.forbidden == ("width * ports <= 32",)
    width = next(c for c in value.curves if c.parameter.name == "width")
    assert width.outside.tolist() == [False] * 4 + [True]
    assert width.allowed.tolist() == [True] * 4 + [False]
    found = surface(surrogate(_model("stargazer"), SPACE), (0, 0, 0), 0, 2)
    assert found.n_forbidden == 2
    assert np.isnan(found.values[3, 4])


def test_what_the_model_makes_nothing_of_is_named() -> None:
    assert surrogate(_model("stargazer"), SPACE).idle == ("ports",)
    assert surrogate(_model("extra_trees"), SPACE).idle == ()


def test_the_start_is_allowed_and_texts_lead_back() -> None:
    assert middle_point(SPACE) == (2, 1, 1)
    tight = make_space(SPACE.parameters, ["width >= 16", "ports == 1"])
    assert tight.allowed(np.array([middle_point(tight)]))[0]
    assert point_of_texts(SPACE, start_levels(SPACE)) == (2, 1, 1)
    assert texts_of(SPACE, (4, 0, 3)) == {"width": "16", "<b>depth": "1", "ports": "4"}
    assert point_of_texts(SPACE, {"width": "5", "<b>depth": "1", "ports": "4"}) is None
    assert point_of_texts(SPACE, {"width": "4"}) is None


def test_the_nearest_measured_design() -> None:
    frame = _frame()
    designs = measured_designs(SPACE, frame)
    here = designs.nearest((1, 2, 1))
    assert here is not None
    row = frame.X[:, [frame.names.index(n) for n in SPACE.names]].tolist().index([2.0, 3.0, 2.0])
    assert (here.same, here.value, here.n_trials) == (True, frame.y[row], 1)
    near = designs.nearest((4, 2, 1))
    assert near is not None
    assert (near.same, near.differs) == (False, ("width 8",))


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ((1.0, 2.0, 4.0, 8.0), True),
        ((1.0, 2.0, 3.0, 4.0), False),
        ((10.0, 20.0, 30.0, 80.0), True),
        ((0.0, 1.0, 64.0), False),
    ],
)
def test_axes_are_logarithmic_where_levels_multiply(levels: tuple[float, ...], expected: bool) -> None:
    assert log_axis(Parameter("p", levels)) is expected


@pytest.mark.parametrize("ground", [LIGHT, DARK])
def test_sketches_are_valid_and_say_names_letter_for_letter(ground) -> None:
    from xml.etree import ElementTree

    value = what_if(surrogate(_model("stargazer"), SPACE), (1, 2, 1), pinned=(4, 0, 0))
    depth = next(c for c in value.curves if c.parameter.name == "<b>depth")
    sketch = profile(value, depth, ground)
    texts = [e.text for e in ElementTree.fromstring(sketch.svg).iter() if e.tag.endswith("text")]
    assert "<b>depth" in texts
    assert {"us", "1", "2", "3"} <= set(texts)
    assert sketch.alt.startswith("Predicted time (us) over <b>depth, all else as chosen: smallest ")
    assert ground.ink in sketch.svg
    found = surface(surrogate(_model("stargazer"), SPACE), (1, 2, 1), 0, 1)
    drawn = surface_map(found, ground)
    texts = [e.text for e in ElementTree.fromstring(drawn.svg).iter() if e.tag.endswith("text")]
    assert {"width (lanes)", "<b>depth", "16"} <= set(texts)
    assert drawn.alt.startswith("Map of the predicted time (us) over width (lanes) and <b>depth: from ")
    small = surface_map(found, ground, NARROW)
    assert small.alt == drawn.alt
    assert [e.text for e in ElementTree.fromstring(small.svg).iter() if e.tag.endswith("text")] == texts
    assert [f'stroke="{side.ink}"' in drawn.svg for side in (LIGHT, DARK)] == [True, True]  # seen on any cell


def test_tables_have_every_level() -> None:
    value = what_if(surrogate(_model("stargazer"), SPACE), (1, 2, 1), pinned=(4, 0, 0))
    table = value.table()
    assert len(table) == 5 + 3 + 4
    assert table["chosen"].sum() == 3
    assert {"predicted time (us)", "baseline time (us)"} <= set(table.columns)
    found = surface(surrogate(_model("stargazer"), SPACE), (1, 2, 1), 0, 1)
    assert len(found.table()) == 15
    assert surface_contours(found).figure.data[0].z.shape == (3, 5)
    solid = surface_in_space(surface(surrogate(_model("stargazer"), SPACE), (1, 2, 1), 0, 1, pinned=(4, 0, 0)))
    assert [t.type for t in solid.figure.data] == ["surface", "scatter3d", "scatter3d"]
    assert solid.figure.data[2].z[0] == pytest.approx(found.values[2, 1])
    assert solid.figure.layout.scene.xaxis.title.text == "width (lanes)"


def test_a_curve_can_have_a_scale_of_its_own() -> None:
    value = what_if(surrogate(_model("stargazer"), SPACE), (1, 2, 1))
    width, ports = (next(c for c in value.curves if c.parameter.name == n) for n in ("width", "ports"))
    assert value.ends_of(width) == value.ends
    low, high = value.ends_of(ports)
    assert value.ends[0] < low <= high < value.ends[1]
    assert profile(value, ports).svg != profile(value, ports, own=True).svg


def test_the_last_category_is_written_whole() -> None:
    backend = Parameter("backend", ("eager", "sdpa", "xformers"), "")
    plot = Plot(backend, False, 0.0, 1.0, 10.0, 100.0)
    ends = {part.split(">")[1].split("<")[0]: float(part.split('"')[1]) for part in plot.axes() if "middle" in part}
    assert ends["xformers"] + len("xformers") * LETTER / 2 <= plot.width
    assert ends["eager"] == pytest.approx(plot.x[0], abs=0.1)  # one that has room stays below its point
