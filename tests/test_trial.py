"""Frames: canonical order, repeats, selections."""

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from core.codec import to_plain
from core.errors import FitError
from core.trial import Frame, Kind, Metric, Note, make_frame, notes_about


def build(order: list[int]) -> Frame:
    X = np.array([[1.0, 5.0], [2.0, 5.0], [1.0, 5.0], [3.0, 1.0]])[order]
    y = np.array([4.0, 2.0, 3.0, 1.0])[order]
    apps = [["b", "a", "b", "a"][i] for i in order]
    ids = [str(i) for i in order]
    return make_frame(X, y, [Metric("p"), Metric("q")], Metric("t", unit="s"), {"application": apps}, ids)


def test_order_depends_on_contents_alone() -> None:
    one, other = build([0, 1, 2, 3]), build([3, 1, 0, 2])
    assert one.ids == other.ids
    assert np.array_equal(one.X, other.X)
    assert one.digest() == other.digest()


def test_what_is_known_before_a_run_is_part_of_the_digest() -> None:
    frame = build([0, 1, 2, 3])
    known = replace(frame, metrics=(frame.metrics[0], replace(frame.metrics[1], kind=Kind.MACHINE)))
    assert known.digest() != frame.digest()
    assert known.is_of(known.digest())
    assert known.is_of(frame.digest())  # as earlier versions took it
    assert not frame.is_of(known.digest())


def test_repeats_share_a_configuration() -> None:
    frame = build([0, 1, 2, 3])
    by_app = {frame.labels["application"][i]: frame.configuration[i] for i in range(4)}
    assert len(set(frame.configuration)) == 2
    assert by_app["a"] != by_app["b"]


def test_parameters_tell_configurations_apart() -> None:
    frame = make_frame(
        np.ones((3, 1)),
        np.arange(3.0),
        [Metric("x")],
        Metric("y"),
        {"application": ["a"] * 3},
        parameters=["w=1", "w=2", "w=1"],
    )
    assert len(set(frame.configuration)) == 2


def test_select_names_what_is_missing() -> None:
    frame = build([0, 1, 2, 3])
    assert frame.select(["q"]).names == ("q",)
    with pytest.raises(FitError, match="no metric 'z' here; there are: p, q"):
        frame.select(["z"])


def test_what_one_machine_reports_again_and_again_is_no_repeat() -> None:
    X, y = np.arange(6.0)[:, None], np.arange(1.0, 7.0)
    metrics, response = [Metric("load")], Metric("power", unit="W")
    assert len(set(make_frame(X, y, metrics, response, {"machine": ("gpu",) * 6}).configuration)) == 6
    several = make_frame(X, y, metrics, response, {"machine": ("gpu",) * 3 + ("cpu",) * 3})
    assert len(set(several.configuration)) == 2
    run = make_frame(X, y, metrics, response, {"machine": ("gpu",) * 6, "application": ("sort",) * 6})
    assert len(set(run.configuration)) == 1


@pytest.mark.parametrize("seed", range(30))
def test_rows_stand_by_configuration_texts_and_values(seed: int) -> None:
    """Against one sort by all columns at once, the least significant first."""
    draw = np.random.default_rng(seed)
    n, p = int(draw.integers(1, 80)), int(draw.integers(0, 4))
    X, y = draw.integers(0, 3, (n, p)).astype(float), draw.integers(0, 3, n).astype(float)
    if p and seed % 3 == 0:
        X[draw.random((n, p)) < 0.2] = np.nan
    texts = {name: draw.choice(["a", "b", "10", "9"], n).tolist() for name in ("application", "machine", "size", "by")}
    settings = draw.choice(["", "t=1", "t=2"], n).tolist()
    names = [str(i) for i in range(n)]
    found = make_frame(X, y, [Metric(f"m{j}") for j in range(p)], Metric("t"), texts, names, settings)
    keys = ["\x1f".join(key) for key in zip(texts["application"], [""] * n, texts["machine"], settings, strict=True)]
    every = {**texts, "input": [""] * n}
    order = np.lexsort([y, *X.T[::-1], *(np.array(every[name]) for name in sorted(every)), np.array(keys)])
    assert found.ids == tuple(names[i] for i in order)
    assert found.configuration.tolist() == [sorted(set(keys)).index(keys[i]) for i in order]


@pytest.mark.parametrize("ids", [["a", "b", "", "d"], ["a\x1f", "b", "c", "d"], ["x"], [""], []])
def test_a_frame_is_the_same_in_another_process(ids: list[str]) -> None:
    n = len(ids)
    labels = {"application": ["fft"] * n, "machine": list("KTKK")[:n]}
    one = make_frame(
        np.eye(max(n, 1), 2)[:n], np.arange(n, dtype=float), [Metric("p"), Metric("q")], Metric("t"), labels, ids
    )
    one.found["folds"] = "known"
    other = deepcopy(one)  # by the same two steps as a process is told
    assert (other.ids, other.labels, other.metrics, other.found) == (one.ids, one.labels, one.metrics, one.found)
    assert other.digest() == one.digest()
    assert other.what_ran == one.what_ran


def test_texts_of_a_frame_are_sent_once_each() -> None:
    n = 5000
    labels = {"application": ["a name that is rather long, and that every trial has"] * n}
    frame = make_frame(np.zeros((n, 0)), np.zeros(n), [], Metric("t"), labels, ["0"] * n)
    told = frame.__getstate__()
    assert told["labels"]["application"].texts == tuple(set(labels["application"]))
    assert isinstance(told["ids"], str)


def test_a_note_knows_what_it_is_about_wherever_it_goes() -> None:
    note = Note("2 trials are left out", "trials", ", as they failed")
    assert (note, note.brief) == ("2 trials are left out, as they failed", "2 trials are left out")
    assert notes_about(["2 trials are left out", deepcopy(note)], "trials") == [note]
    assert json.dumps(to_plain({"notes": (note,)})) == '{"notes": ["2 trials are left out, as they failed"]}'
