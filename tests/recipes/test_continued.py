"""Predictions beyond the trained range: where the outermost levels say so they go on as inside."""

from dataclasses import replace

import numpy as np
import pytest

from core.export import read_model, write_model
from core.pipeline import CLAMP, REFUSE
from core.recipes import make_recipe, train
from core.recipes.parts.continued import continued
from core.recipes.parts.quick import members_of
from core.report.model.why import why
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds

SIZES, THREADS, TILES = (
    (128.0, 256.0, 512.0, 1024.0, 2048.0),
    (1.0, 2.0, 4.0, 8.0, 16.0),
    (8.0, 16.0, 32.0, 64.0, 128.0),
)


def law(n: np.ndarray, threads: np.ndarray, tile: np.ndarray) -> np.ndarray:
    """A time that grows as n^2.5, halves with threads and is least for tiles of 32."""
    return 1e-9 * n**2.5 / threads**0.9 * (1 + 0.1 * np.log2(tile / 32) ** 2)


def designs(kind: Kind = Kind.PARAMETER, applications: bool = False) -> Frame:
    """Every combination, with noise; of applications each size is one of its own."""
    X = np.array(np.meshgrid(SIZES, THREADS, TILES)).reshape(3, -1).T
    y = law(*X.T) * np.exp(0.02 * np.random.default_rng(0).standard_normal(len(X)))
    metrics = [Metric("n", kind), Metric("threads", Kind.PARAMETER), Metric("tile", Kind.PARAMETER)]
    labels = {"application": [f"of {n:g}" for n in X[:, 0]]} if applications else {}
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s"), labels)


def found(frame: Frame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return continued(frame, members_of(frame, 10, 0, hold=True, grouped=False))


def test_what_follows_a_trend_goes_on_and_what_turns_stays() -> None:
    assert found(designs()) == (("n", "threads"), ("n", "threads"))


def test_what_only_a_run_gives_stays_and_so_does_what_tells_applications_apart() -> None:
    assert "n" not in sum(found(designs(Kind.COUNTER)), ())
    assert found(designs(Kind.DETERMINISTIC)) == (("n", "threads"), ("n", "threads"))
    assert found(designs(Kind.DETERMINISTIC, applications=True)) == (("threads",), ("threads",))


def test_few_levels_say_nothing() -> None:
    frame = designs()
    assert found(frame.take(np.flatnonzero(frame.X[:, 0] > 128))) == (("threads",), ("threads",))


@pytest.fixture(scope="module")
def model():
    return make_recipe("auto", {"trees": "5", "folds": "kfold:3"}).fit(designs())


def test_the_automatic_model_tells_larger_sizes(model) -> None:
    """At the edge the time of twice the size would be that of the size."""
    X = np.array([[4096.0, 8.0, 32.0], [2048.0, 32.0, 32.0], [4096.0, 32.0, 16.0]])
    truth, said = law(*X.T), model.predict(X)
    assert np.abs(np.log(said.value / truth)).max() < 0.25
    stays = replace(model, continued=((), ()))
    assert np.abs(np.log(stays.predict(X).value / truth)).min() > 0.5
    assert not said.in_domain.any()
    assert said.why[0] == "n = 4096 is outside the trained 128 to 2048; predicted to go on as inside"
    assert (
        "beyond the trained range predictions go on as inside below n, threads and above n, threads" in model.notes[-1]
    )


def test_predictions_go_on_by_what_they_change_as_far_inside(model) -> None:
    """Checked by predictions inside the range alone, which are those of the model without."""
    stays = replace(model, continued=((), ()))

    def z(*row: float) -> float:
        return float(stays.predict_scaled(np.array([row]))[0])

    said = model.predict_scaled(np.array([[4096.0, 8.0, 32.0], [64.0, 32.0, 256.0], [2e6, 8.0, 32.0]]))
    assert said[0] == pytest.approx(z(2048, 8, 32) + (z(2048, 8, 32) - z(1024, 8, 32)))
    assert said[1] == pytest.approx(z(128, 16, 256) + (z(128, 16, 256) - z(256, 8, 256))), (
        "the tile stays where the model has it"
    )
    assert said[2] == pytest.approx(z(2048, 8, 32) + (z(2048, 8, 32) - z(128, 8, 32))), (
        "never by more than the range shows"
    )
    inside = designs().X
    assert np.array_equal(model.predict_scaled(inside), stays.predict_scaled(inside))


def test_why_tells_all_of_what_goes_on(model) -> None:
    found = why(model, np.array([8192.0, 32.0, 32.0]))
    assert found.held == 0
    assert found.prediction == pytest.approx(found.base + found.contributions.sum())
    edge = why(model, np.array([2048.0, 16.0, 32.0]))
    assert found.contributions[0] > 1.5 * edge.contributions[0] > 0
    assert found.contributions[1] < 1.2 * edge.contributions[1] < 0


def test_it_is_flag_that_goes_on_and_a_file_tells_it(model) -> None:
    X = np.array([[4096.0, 8.0, 32.0]])
    edge = model.predict(np.array([[2048.0, 8.0, 32.0]])).value
    assert replace(model, extrapolation=CLAMP).predict(X).value == edge
    assert np.isnan(replace(model, extrapolation=REFUSE).predict(X).value)
    again = read_model(write_model(model))
    assert again.continued == model.continued
    assert again.predict(X).value == model.predict(X).value


def test_the_interval_holds_what_stays_and_what_goes_on_twice(model) -> None:
    recipe = make_recipe("auto", {"trees": "5", "folds": "kfold:3"})
    tested = train(recipe, designs(), parse_folds("kfold:3")).model
    X = np.array([[4096.0, 8.0, 32.0]])
    said, edge = tested.predict(X), tested.predict(np.array([[2048.0, 8.0, 32.0]])).value
    assert said.low < edge < said.value < said.high
    assert said.high > said.value * (said.value / edge)
    narrow = np.log(said.high / said.low)
    stays = replace(tested, continued=((), ())).predict(X)
    assert narrow < 0.6 * np.log(stays.high / stays.low)
