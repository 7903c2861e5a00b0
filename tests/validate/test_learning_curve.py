"""Learning curves: which trials are learnt from, which are predicted, and what the errors are."""

import numpy as np
import pytest

from core.errors import FitError, OptionError
from core.progress import Progress
from core.scale import RowScale
from core.trial import Frame, Metric, make_frame
from core.validate.folds import parse_folds
from core.validate.learning_curve import UNSEEN, learning_curve


def frame(n: int = 60, repeats: int = 1) -> Frame:
    X = np.repeat(np.arange(n, dtype=float), repeats)[:, None]
    labels = {"application": [f"a{int(x)}" for x in X[:, 0]]}
    return make_frame(X, 1 + X[:, 0], [Metric("x")], Metric("t"), labels)


class Predicts:
    """Predicts the truth plus a share that falls with the number of trials; remembers what it saw."""

    def __init__(self, train: Frame, seen: list[tuple[set[float], set[float]]]) -> None:
        self.train, self.seen = {float(x) for x in train.X[:, 0]}, seen
        self.share = 1 / len(self.train)

    def scale_of(self, X: np.ndarray) -> RowScale:
        return RowScale("raw")

    def rows(self, frame: Frame) -> np.ndarray:
        return frame.X

    def predict_scaled(self, X: np.ndarray) -> np.ndarray:
        self.seen.append((self.train, set(X[:, 0].tolist())))
        value = (1 + X[:, 0]) * (1 + self.share)
        value[X[:, 0] == 7] = np.nan
        return value


def curve(frame: Frame, **options: object) -> tuple[object, list[tuple[set[float], set[float]]]]:
    seen: list[tuple[set[float], set[float]]] = []
    return learning_curve(lambda part, progress: Predicts(part, seen), frame, **options), seen


def test_errors_fall_as_the_training_set_grows() -> None:
    found, _ = curve(frame(), sizes=(10, 20), n_test=30, repeats=4)
    np.testing.assert_allclose(found.mean, [10, 5])
    np.testing.assert_allclose(found.largest, [10, 5])
    np.testing.assert_allclose(found.p98, [10, 5])
    assert found.by_repeat.shape == (2, 4)


def test_refused_predictions_are_counted_and_left_out() -> None:
    found, seen = curve(frame(), sizes=(10,), n_test=30, repeats=5)
    assert found.refused.tolist() == [sum(7 in test for _, test in seen)]
    assert np.isfinite(found.mean).all()


def test_sets_are_nested_apart_and_drawn_anew_in_each_repeat() -> None:
    _, seen = curve(frame(), sizes=(10, 20), n_test=30, repeats=3)
    assert [len(train) for train, _ in seen] == [10, 20] * 3
    for (small, test), (large, same) in zip(seen[::2], seen[1::2], strict=True):
        assert small < large
        assert test == same
        assert not test & large
        assert len(test) == 30
    assert len({frozenset(test) for _, test in seen}) == 3


def test_repeats_of_a_configuration_stay_together() -> None:
    _, seen = curve(frame(40, repeats=3), sizes=(15,), n_test=20, repeats=2)
    for train, test in seen:
        assert len(train) == 15
        assert len(test) == 20
        assert not train & test


def test_the_seed_decides() -> None:
    sets = [curve(frame(), sizes=(10,), n_test=30, repeats=1, seed=s)[1] for s in (1, 1, 2)]
    assert sets[0] == sets[1] != sets[2]


def test_progress_reaches_the_fits() -> None:
    told: list[float] = []

    def fit(part: Frame, progress: Progress) -> Predicts:
        progress(0.5, "half")
        return Predicts(part, [])

    learning_curve(fit, frame(), (10, 20), 30, 2, progress=lambda share, text: told.append(share))
    np.testing.assert_allclose(told, [0.125, 0.375, 0.625, 0.875])


def test_what_cannot_be_asked() -> None:
    with pytest.raises(FitError, match="needs 70 configurations, got 60"):
        curve(frame(), sizes=(40,), n_test=30)
    for bad in ({"sizes": ()}, {"sizes": (0,)}, {"n_test": 0}, {"repeats": 0}):
        with pytest.raises(OptionError, match="at least one"):
            curve(frame(), **{"sizes": (10,), "n_test": 10, **bad})


def test_what_a_curve_asks_can_be_said_as_folds() -> None:
    assert parse_folds(str(UNSEEN)) == UNSEEN
