"""Values of an option as people type them, there and back."""

import pytest

from core.errors import OptionError
from core.experiment.toml_text import experiment_of
from core.experiment.values_text import read_sizes, read_values, written_values


@pytest.mark.parametrize(
    "value",
    [
        {"from": 1048576.0, "to": 4194304.0, "count": 3, "scale": "log"},
        {"from": 0.1234567, "to": 1.0, "step": 0.1},
        {"from": 1e-05, "to": 0.1, "count": 13, "scale": "log"},
        [["signed"], ["log2", "product"]],
        ["1", "2", "4"],
    ],
)
def test_what_is_written_is_read_again_to_the_last_digit(value: object) -> None:
    assert read_values(written_values(value)) == value


def test_whole_ends_are_written_as_such() -> None:
    assert written_values({"from": 1, "to": 24}) == "1 to 24"
    assert read_sizes(written_values({"from": 1_000_001, "to": 1_234_567})) == {"from": 1_000_001, "to": 1_234_567}


@pytest.mark.parametrize(
    ("key", "text", "why"),
    [
        ("vary", "0.1 to 0.9 log 2.7", r"count must be a whole number from 1 to 100,000.*got 2\.7"),
        ("vary", "0.1 to 0.9 log 1e999", r"count must be a whole number from 1 to 100,000.*got inf"),
        ("sizes", "1 to 1e999", "sizes goes from 1 to inf"),
    ],
)
def test_a_number_that_cannot_be_meant_is_refused_with_a_sentence(key: str, text: str, why: str) -> None:
    plain = {"dataset": "d", "response": "time", "recipe": "stargazer"}
    asked = {"sizes": read_sizes(text)} if key == "sizes" else {"vary": {"theta": read_values(text)}}
    with pytest.raises(OptionError, match=why):
        experiment_of(plain | asked)
