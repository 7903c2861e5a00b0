"""A design space from trials, categories among its parameters."""

import numpy as np
import pytest

from core.errors import OptionError
from core.models import FAMILIES
from core.recipes import Treated
from core.space.design_space import Parameter, make_space
from core.space.sums import surrogate
from core.space.trial_space import category_of, trial_space
from core.trial import Frame, Kind, Metric, make_frame


def _frame(texts: tuple[str, ...] = ("row", "col=umn", "row", "col=umn")) -> Frame:
    flags = np.array([[t == "col=umn", t == "row"] for t in texts], dtype=float)
    X = np.column_stack([[1.0, 2.0, 2.0, 4.0], flags, [7.0] * 4])
    names = ("width", "lay=out=col=umn", "lay=out=row", "fixed")
    metrics = [Metric(name, Kind.PARAMETER, "lanes" if name == "width" else "") for name in names]
    return make_frame(X, np.arange(4.0), metrics, Metric("time", Kind.RESPONSE), labels={"lay=out": texts})


def test_indicators_of_one_text_are_one_category() -> None:
    space = trial_space(_frame(), "mine")
    assert (space.name, space.names) == ("mine", ("width", "lay=out"))
    assert [p.levels for p in space.parameters] == [(1.0, 2.0, 4.0), ("col=umn", "row")]
    assert [p.categorical for p in space.parameters] == [False, True]
    assert space.parameters[0].unit == "lanes"


def test_names_are_held_against_the_texts() -> None:
    frame = _frame()
    assert category_of("lay=out=row", frame) == category_of("lay=out=col=umn", frame) == "lay=out"
    assert category_of("width", frame) == category_of("lay=out=tiled", frame) == category_of("lay=out", frame) == ""


def test_categories_alone_are_a_space() -> None:
    assert trial_space(_frame().select(("lay=out=row", "fixed"))).names == ("lay=out",)


def test_nothing_that_varies_is_refused() -> None:
    for names in (("fixed",), ("fixed", "lay=out=row")):
        with pytest.raises(OptionError, match="No metric of these trials varies"):
            trial_space(_frame(("row",) * 4).select(names))


def test_a_space_may_leave_categories_out() -> None:
    rng = np.random.default_rng(0)
    texts = tuple(np.array(["row", "col", "tile"])[rng.integers(0, 3, 60)])
    flags = np.array([[t == own for own in ("col", "row", "tile")] for t in texts], dtype=float)
    y = 10 + flags @ [5.0, 1.0, 3.0] + rng.normal(0, 0.01, 60)
    metrics = [Metric(f"lay={own}", Kind.PARAMETER) for own in ("col", "row", "tile")]
    frame = make_frame(flags, y, metrics, Metric("time", Kind.RESPONSE), labels={"lay": texts})
    model = Treated(family=FAMILIES["splines"]()).fit(frame)
    whole = trial_space(frame)
    few = make_space([Parameter("lay", ("row", "tile"))])
    found = surrogate(model, whole).values(np.array([[0], [1], [2]]))
    np.testing.assert_allclose(found, [15, 11, 13], rtol=1e-2)
    np.testing.assert_allclose(surrogate(model, few).values(np.array([[0], [1]])), found[1:])
