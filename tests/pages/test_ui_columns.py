"""How columns of tables are shown: no digit before the point is lost, long texts are cut."""

import pandas as pd

from pages._ui.drawn import large_as_texts, short_numbers, short_texts


def formats(values: pd.DataFrame) -> dict[str, str]:
    return {name: config["type_config"]["format"] for name, config in short_numbers(values).items()}


def test_fractions_are_short_and_counts_are_whole() -> None:
    values = pd.DataFrame(
        {
            "s": [1.234567e-6, 2e-6],
            "us": [1234567.891, 2.0],
            "count": [123456789.0, None],
            "n": [1, 2],
            "text": ["a", "b"],
            "none": [None, None],
        }
    )
    assert formats(values) == {"s": "%,.5g", "us": "%,.8g", "count": "%,.15g", "n": "%,.15g"}


def test_long_texts_are_cut_and_the_table_is_not_changed() -> None:
    values = pd.DataFrame({"kernel": ["k" * 5000, "short"], "x": [1.5, 2.5]})
    shown = short_texts(values, 30)
    assert shown["kernel"].str.len().tolist() == [30, 5]
    assert shown["x"].tolist() == [1.5, 2.5]
    assert len(values["kernel"][0]) == 5000


def test_numbers_that_a_browser_cannot_shorten_are_texts_and_the_table_is_not_changed() -> None:
    values = pd.DataFrame({"far": [2.9643326464479914e25, None], "near": [1.5, 2.5], "n": [1, 2]})
    shown = large_as_texts(values)
    assert shown["far"][0] == "2.964e+25"
    assert pd.isna(shown["far"][1])
    assert shown["near"].tolist() == [1.5, 2.5]
    assert values["far"][0] == 2.9643326464479914e25
