"""JSON in and out: exact, strict, finite, bounded."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.codec import (
    FloatArray,
    IntArray,
    TwiceError,
    check_head,
    digest,
    dumps,
    from_plain,
    loads,
    once_each,
    to_plain,
)
from core.errors import ModelFileError


@dataclass(frozen=True)
class Inner:
    name: str
    weights: FloatArray


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    index: IntArray
    note: str | None = None


def sample() -> Outer:
    return Outer((Inner("a", np.array([[0.1, 1e-308], [np.pi, -2.5]])),), np.array([3, 1]))


def test_round_trip_is_exact() -> None:
    raw = dumps(to_plain(sample()))
    back = from_plain(Outer, loads(raw))
    assert np.array_equal(back.inner[0].weights, sample().inner[0].weights)
    assert back.index.dtype == np.int64
    assert dumps(to_plain(back)) == raw
    assert digest(to_plain(back)) == digest(to_plain(sample()))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_survives(x: float) -> None:
    assert loads(dumps({"x": x}))["x"] == x


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": 1e999}',
        b'{"a": 1, "a": 2}',
        b"\xff\xfe{\x00}\x00",
        b"[" * 100 + b"]" * 100,
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": "\\ud800"}',
        b'{"\\ud800": 1}',
        json.dumps({"a": "x" * 17_000_000}).encode(),
    ],
)
def test_bad_json_is_refused_in_one_sentence(raw: bytes) -> None:
    with pytest.raises(ModelFileError) as caught:
        loads(raw)
    assert str(caught.value).endswith(".")


def test_a_name_that_is_there_twice_is_found_without_comparing_each_with_each() -> None:
    compared = []

    class Name(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            compared.append(other)
            return str.__eq__(self, other)

    pairs = [(Name(f"m{i}"), i) for i in range(300)]
    with pytest.raises(TwiceError, match="m299"):
        once_each([*pairs, (Name("m299"), 0)])
    assert len(compared) < 3000


def test_brackets_in_texts_are_no_depth() -> None:
    assert loads(json.dumps({"a": "[" * 100 + '\\"' + "{" * 50}).encode())["a"].startswith("[[")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda p: p.update(extra=1), "unknown field 'extra'"),
        (lambda p: p["inner"][0].update(extra=1), "unknown field 'extra'"),
        (lambda p: p.pop("index"), "index"),
        (lambda p: p.update(index=[1.5]), "list of numbers"),
        (lambda p: p.update(index=[True]), "list of numbers"),
        (lambda p: p.update(index=[2**64]), "list of numbers"),
        (lambda p: p["inner"][0].update(weights=[10**400]), "too large"),
        (lambda p: p["inner"][0].update(weights=[[1.0], [1.0, 2.0]]), "list of numbers"),
        (lambda p: p["inner"][0].update(weights="abc"), "list of numbers"),
        (lambda p: p["inner"][0].update(name=3), "str"),
    ],
)
def test_wrong_shapes_and_types_are_refused(change, where: str) -> None:
    plain = loads(dumps(to_plain(sample())))
    change(plain)
    with pytest.raises(ModelFileError, match=where):
        from_plain(Outer, plain)


def test_a_file_of_another_format_is_called_by_it() -> None:
    with pytest.raises(ModelFileError, match="its format is 'ridgeline-scaling', not 'ridgeline-model'"):
        check_head({"format": "ridgeline-scaling"}, "Ridgeline model", "ridgeline-model", 1)
    with pytest.raises(ModelFileError, match="it has no format 'ridgeline-model'"):
        check_head([1], "Ridgeline model", "ridgeline-model", 1)
