"""Scores as people compare them."""

from dataclasses import replace

import numpy as np
import pytest

from core.report.shared.scorecard import fold_label, folds_in_words, honest_sentence, score_card, unseen
from core.trial import Metric
from core.validate.scores import Scores, score

TIME = Metric("time", unit="us")
GOOD = score(np.array([1.0, 2.0, 4.0]), np.array([1.1, 2.1, 3.9]))
FAR = score(np.array([1.0, 2.0, 4.0]), np.array([1.2, 2.5, 400.0]))
NONE = Scores(0, 3, None, None, None, None, None, None, None, None, None)


def test_a_card_has_a_column_per_validation_with_units() -> None:
    card = score_card({"training": GOOD, "one machine left out": FAR}, TIME)
    assert card.columns == ("training", "one machine left out")
    assert card.row("mape").values == (GOOD.mape, FAR.mape)
    assert card.row("rmse").unit == "us"
    assert card.row("mse").unit == "us²"
    assert card.row("coverage_90").values == (None, None)
    table = card.table()
    assert list(table.columns) == ["score", "training", "one machine left out", "unit", "meaning"]
    assert table["meaning"].str.len().min() > 2


def test_a_unit_of_several_parts_is_squared_as_a_whole() -> None:
    assert score_card({"a": GOOD}, Metric("rate", unit="B/s")).row("mse").unit == "(B/s)²"
    assert score_card({"a": GOOD}, Metric("rate")).row("mse").unit == ""


@pytest.mark.parametrize(
    ("folds", "label", "words", "new"),
    [
        ("by:machine", "each machine", "one machine left out at a time", "a machine that it has not seen"),
        (
            "by:application",
            "each application",
            "one application left out at a time",
            "an application that it has not seen",
        ),
        ("kfold:5", "5 random folds", "5 random folds", "trials drawn at random that it has not seen"),
        (
            "loo",
            "each configuration",
            "one configuration left out at a time",
            "trials drawn at random that it has not seen",
        ),
        ("holdout:9", "9 at random", "9 configurations held out once", "trials drawn at random that it has not seen"),
    ],
)
def test_folds_in_words(folds: str, label: str, words: str, new: str) -> None:
    assert (fold_label(folds), folds_in_words(folds), unseen(folds)) == (label, words, new)


def test_the_sentence_says_both_errors() -> None:
    said = honest_sentence("by:machine", GOOD, GOOD)
    assert said.startswith("For a machine that it has not seen, half of the predictions are within")
    assert "MAPE" in said
    assert "far off" not in said
    assert "On the trials it learnt from" in said
    assert "a few are far off" in honest_sentence("by:machine", FAR)
    assert honest_sentence("loo", NONE).endswith("no relative error can be given.")


def test_what_is_within_a_fifth_is_said_where_it_is_not_half() -> None:
    assert "of the truth and 61 % within 20 %" in honest_sentence("loo", replace(GOOD, inliers_20=61.0))
    assert "of them" not in honest_sentence("loo", replace(GOOD, median_ape=20.4, inliers_20=49.0))
