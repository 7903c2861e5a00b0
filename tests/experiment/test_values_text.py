"""Values of an option as people type them, there and back."""

import pytest

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
