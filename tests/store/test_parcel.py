"""Whole imports as bytes: everything that the database keeps comes back bit for bit; damage is refused."""

import gzip
from dataclasses import fields, replace

import msgspec
import numpy as np
import pytest

from core.errors import ReadError
from core.store._parcel import pack, unpack
from core.trial import Facts, Import, Skipped, Trials
from tests.store.test_store import an_import

LOST = {"where", "execution"}
"""What the database does not keep anyway."""


def whole() -> Import:
    imported = an_import()
    values = imported.trials.values.copy()
    values[0] = [np.nan, 5e-324, -0.0]
    values[1, 0] = 1 / 3
    trials = replace(
        imported.trials,
        values=values,
        parameters=("suite",),
        ids=tuple(f"00000000-0000-0000-0000-{i:012d}" for i in range(24)),
        labels=imported.trials.labels | {"emoji 🎈": ("\x00",) * 24},
    )
    return replace(
        imported, trials=trials, skipped=(Skipped("line 3", "why"),), warnings=("w",), original_units={"time": "ns"}
    )


def same(a: object, b: object) -> bool:
    return np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b


@pytest.mark.parametrize("part", ["import", "trials", "machines", "inputs"])
def test_everything_comes_back(part: str) -> None:
    sent = whole()
    (delivery,) = unpack("x.import", pack("d", [sent]))
    assert (delivery.dataset, delivery.grows) == ("d", False)
    a, b = (sent, delivery.imported) if part == "import" else (getattr(sent, part), getattr(delivery.imported, part))
    assert isinstance(b, Import | Trials | Facts)
    names = {f.name for f in fields(b)} - LOST - {"trials", "machines", "inputs"}
    assert len(names) >= 4
    for name in names:
        assert same(getattr(a, name), getattr(b, name)), name
    if part == "trials":
        assert a.values.tobytes() == b.values.tobytes()


def test_several_imports_and_none_of_facts() -> None:
    plain = replace(an_import(), machines=None, inputs=None)
    first, second = unpack("x", pack("d", [plain, whole()]))
    assert (first.imported.machines, first.imported.trials.ids) == (None, ())
    assert second.imported.machines is not None


def test_texts_that_repeat_take_no_room() -> None:
    imported = an_import()
    long = replace(imported, trials=replace(imported.trials, application=("k" * 5000,) * 24), inputs=None)
    assert len(gzip.decompress(pack("d", [long]))) < 20_000


def damaged(**parts: object) -> bytes:
    plain = msgspec.msgpack.decode(gzip.decompress(pack("d", [whole()])))
    trials = plain["imports"][0]["trials"]
    for name, value in parts.items():
        (plain if name in plain else trials)[name] = value
    return gzip.compress(msgspec.msgpack.encode(plain), mtime=0)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "no whole import"),
        (b"hello", "no whole import"),
        (pack("d", [whole()])[:-30], "no whole import"),
        (gzip.compress(b"hello", mtime=0), "no whole import"),
        (damaged(version=9), "of version 9, expected 1"),
        (damaged(dataset=3), "no whole import"),
        (damaged(machine={"words": ["a"], "places": b"\x09\x00\x00\x00"}), "no whole import"),
        (damaged(machine={"words": ["a"], "places": b"\x00\x00\x00\x00"}), "no whole import"),
        (damaged(values={"n_rows": 24, "n_columns": 3, "numbers": b"\x00" * 9}), "no whole import"),
        (damaged(values={"n_rows": 1, "n_columns": 3, "numbers": b"\x00" * 24}), "no whole import"),
        (damaged(metrics=[{"name": "a", "kind": "odd", "unit": ""}]), "no whole import"),
    ],
    ids=["empty", "text", "cut", "gzip", "newer", "number", "place", "short", "bytes", "shape", "kind"],
)
def test_damage_is_refused(raw: bytes, sentence: str) -> None:
    with pytest.raises(ReadError, match=f"x.import .*{sentence}"):
        unpack("x.import", raw)


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.store import _parcel

    monkeypatch.setattr(_parcel, "MAX_BYTES", 10_000)
    with pytest.raises(ReadError, match="larger than 10000 bytes"):
        unpack("x.import", gzip.compress(b"\x00" * 1_000_000, mtime=0))
    big = replace(whole(), warnings=("w" * 20_000,))
    with pytest.raises(ReadError, match="too much for the inbox"):
        pack("d", [big])
