"""Arrow arrays by their buffers are those that pyarrow makes, there and back, and nothing imports pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from core import arrow

VALUES = np.array([1.5, np.nan, -0.0, np.inf, 3e-310] * 5)
WORDS = ["a", "", "µm", '"', "𝟙 x"] * 3


@pytest.mark.parametrize(
    "values",
    [VALUES, VALUES[::2], VALUES.astype(np.float32), np.arange(9, dtype=np.int8), np.arange(9) % 2 > 0, VALUES[:0]],
)
def test_numbers_are_those_of_pyarrow_and_come_back(values: np.ndarray) -> None:
    assert arrow.numbers(values).equals(pa.array(values)) or np.isnan(values).any()
    back = arrow.plain(arrow.numbers(values)[1:])
    assert back.dtype == values.dtype
    assert np.array_equal(back, values[1:], equal_nan=values.dtype.kind == "f")


def test_nothing_stands_for_what_is_no_number_where_asked() -> None:
    assert arrow.numbers(VALUES, nan_is_null=True).equals(pa.array(VALUES, from_pandas=True))
    assert arrow.numbers(VALUES).null_count == 0


def test_texts_are_those_of_pyarrow() -> None:
    assert arrow.texts(WORDS).equals(pa.array(WORDS, pa.string()))
    assert arrow.texts(()).equals(pa.array([], pa.string()))
    assert (arrow.text("µ").as_py(), arrow.null(pa.int8()).as_py()) == ("µ", None)


def test_what_is_not_there_is_nan_or_false() -> None:
    assert np.array_equal(arrow.plain(pa.array([2**53 + 1, None])), [2.0**53, np.nan], equal_nan=True)
    assert arrow.plain(pa.array([None, True, False])).tolist() == [False, True, False]


def test_pandas_is_not_imported() -> None:
    asks = "from core import arrow as a; import numpy as n, sys; a.plain(a.numbers(n.ones(2), nan_is_null=True))"
    told = f"{asks}; a.texts(['a']); a.plain(a.numbers(n.ones(2) > 0)); print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "False\n"
