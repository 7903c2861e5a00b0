"""What a few runs of another target are worth, in a sentence, a table and a picture."""

import numpy as np
import pytest

from core.race.reuse import Reuse
from core.report.compare.versus import reuse_sentence, reuse_table
from core.report.figures.outcome import reuse_curves


@pytest.fixture
def found() -> Reuse:
    mape = np.array([[50.0, 12.0, np.nan, 90.0], [50.0, 11.0, 10.0, 30.0], [50.0, 10.5, 9.0, 8.0]])
    return Reuse((2, 5, 20), mape, "by:application", 3, True)


def test_it_says_when_training_anew_is_worth_it(found: Reuse) -> None:
    said = reuse_sentence(found, "old", "new")
    assert said == (
        "With 2 runs of new, the model of old is off by 12 % at best (times a factor). "
        "Training anew is worth it from 20 runs on."
    )
    never = Reuse(found.sizes[:2], found.mape[:2], found.folds, 3, True)
    assert "does not pay with up to 5 runs" in reuse_sentence(never, "old", "new")


def test_the_table_says_the_best_of_each_size(found: Reuse) -> None:
    shown = reuse_table(found)
    assert shown["runs of the new target"].tolist() == [2, 5, 20]
    assert shown["best"].tolist() == ["times a factor", "a line in logarithms", "trained anew"]


def test_the_picture_has_a_curve_per_method(found: Reuse) -> None:
    picture = reuse_curves(found, "old", "new")
    assert [len(t.x) for t in picture.figure.data] == [3, 3, 2, 3]
    assert picture.alt.endswith("from 20 runs on.")
    assert len(picture.values()) == 3
