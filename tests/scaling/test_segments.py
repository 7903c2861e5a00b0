"""Applications of segments: schedules by hand, files, and everything that is refused by name."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError, ReadError
from core.scaling.application import Application, make_application
from core.scaling.race import fit_scaling, predictor_named
from core.scaling.segments_file import Device, Segment, read_segments
from tests.scaling.made import kernel_of, made_study

CPU = Device("cpu")


def timed(name: str, time_s: float, *after: str, power_w: float = 10.0) -> Segment:
    return Segment(name, "cpu", after, time_s=time_s, power_w=power_w)


@pytest.fixture
def diamond() -> Application:
    #      b (5)
    # a (1)     d (2)     a → c → d is 1 + 3 + 2
    #      c (3)
    return make_application([timed("d", 2, "b", "c"), timed("b", 5, "a"), timed("c", 3, "a"), timed("a", 1)], [CPU])


def test_a_schedule_by_hand(diamond: Application) -> None:
    found = diamond.schedule()
    assert found.total_s.tolist() == [8]
    assert found.critical == ("a", "b", "d")
    start = dict(zip(found.segments, found.start_s[:, 0].tolist(), strict=True))
    assert start == {"a": 0, "b": 1, "c": 1, "d": 6}
    slack = dict(zip(found.segments, found.slack_s[:, 0].tolist(), strict=True))
    assert slack == {"a": 0, "b": 0, "c": 2, "d": 0}
    gain = dict(zip(found.segments, found.gain_s[:, 0].tolist(), strict=True))
    assert gain == {"a": 0.5, "b": 2, "c": 0, "d": 1}  # b twice as fast: then c is on the path
    assert found.speed_up_first() == "b"
    assert found.energy_j.tolist() == [110]


def test_idle_devices_take_power() -> None:
    app = make_application(
        [timed("a", 1), Segment("b", "gpu", ("a",), time_s=3, power_w=100)],
        [replace(CPU, idle_w=2), Device("gpu", idle_w=5)],
    )
    assert app.schedule().energy_j.tolist() == [10 + 300 + 2 * 3 + 5 * 1]


def test_an_unknown_power_makes_an_unknown_energy() -> None:
    found = make_application([timed("a", 1), timed("b", 1, power_w=float("nan"))], [CPU]).schedule()
    assert found.total_s.tolist() == [1]
    assert np.isnan(found.energy_j).all()


def test_repeats_take_their_time() -> None:
    assert make_application([replace(timed("a", 2), count=3)], [CPU]).schedule().total_s.tolist() == [6]


@pytest.mark.parametrize(
    ("segments", "said"),
    [
        ([timed("a", 1, "c"), timed("b", 1, "a"), timed("c", 1, "b")], "'a' → 'b' → 'c' → 'a'"),
        ([timed("a", 1, "a")], "'a' → 'a'"),
        ([timed("x", 1), timed("a", 1, "x", "b"), timed("b", 1, "a")], "'a' → 'b' → 'a'"),
        ([timed("a", 1, "ghost")], "'a' waits for 'ghost', and there is no such segment"),
        ([timed("a", 1), timed("a", 2)], "'a' is there twice"),
        ([Segment("a", "npu", time_s=1)], "'a' runs on 'npu', and the devices are: cpu"),
        ([Segment("a", "cpu")], "'a' has neither a kernel with a model nor a time"),
        ([Segment("a", "cpu", kernel="gemm")], "'a' runs kernel 'gemm' on 'cpu', which has no model"),
        ([replace(timed("a", 1), count=-1)], "'a' runs -1 times"),
        ([], "at least one segment"),
    ],
)
def test_refused_by_name(segments: list[Segment], said: str) -> None:
    with pytest.raises(OptionError) as error:
        make_application(segments, [CPU])
    turned = said.replace("'a' → 'b' → 'c' → 'a'", "")
    assert (said in str(error.value)) or (turned == "" and "in a circle" in str(error.value))


def test_devices_with_a_model() -> None:
    study = made_study(40)
    base = study.n_configurations - 1
    model = fit_scaling(study, predictor_named("ridge"), base=base, folds="kfold:3")
    kernels = {study.kernels[k]: kernel_of(study, k, base) for k in (0, 1)}
    gpu = Device("gpu", model, kernels)
    app = make_application(
        [Segment("solve", "gpu", kernel=study.kernels[0], count=2), timed("end", 1, "solve")], [gpu, CPU]
    )
    at_base = app.schedule()
    assert at_base.total_s[0] == pytest.approx(2 * study.surface("time_s")[0, base] + 1)
    over = app.over("gpu")
    assert over.total_s.shape == (study.n_configurations,)
    assert over.total_s[base] == pytest.approx(at_base.total_s[0])
    slow = app.schedule({"gpu": dict(zip(("cores", "clock_mhz", "mem_gbs"), study.grid[0], strict=True))})
    assert slow.total_s[0] == pytest.approx(over.total_s[0])
    assert slow.energy_j[0] == pytest.approx(over.energy_j[0])
    assert slow.total_s[0] > at_base.total_s[0]
    two = make_application(
        [Segment(name, name, kernel=study.kernels[0]) for name in ("gpu", "other")], [gpu, replace(gpu, name="other")]
    )
    low = {"other": dict(zip(("cores", "clock_mhz", "mem_gbs"), study.grid[0], strict=True))}
    assert two.over("gpu", low).energy_j[base] == pytest.approx(two.schedule(low).energy_j[0])
    assert two.over("gpu", low).energy_j[base] != pytest.approx(two.over("gpu").energy_j[base])
    with pytest.raises(OptionError, match="of which nothing was measured on 'gpu'"):
        make_application([Segment("a", "gpu", kernel="unknown")], [gpu])
    with pytest.raises(OptionError, match="'cpu' has no model; those that have one: gpu"):
        app.over("cpu")
    with pytest.raises(OptionError, match="no device 'tpu'"):
        app.schedule({"tpu": {}})


def test_files_say_the_same() -> None:
    plain = {
        "devices": {"cpu": {"idle_w": 2}, "gpu": {"model": "g.json", "kernels": "g.csv"}},
        "segments": [
            {"name": "a", "device": "cpu", "time_s": 1.5},
            {"name": "b", "device": "gpu", "kernel": "k", "after": ["a"], "count": 4},
        ],
    }
    one = read_segments(json.dumps(plain).encode(), "app.json")
    other = read_segments(b"name,device,after,kernel,time_s,count\na,cpu,,,1.5,\nb,gpu,a,k,,4\n", "app.csv")
    assert [s.name for s in one.segments] == ["a", "b"]
    assert one.segments[1] == other.segments[1] or one.segments[1].after == other.segments[1].after == ("a",)
    assert one.segments[1].count == other.segments[1].count == 4
    assert one.devices[1].model == "g.json"
    assert [d.name for d in other.devices] == ["cpu", "gpu"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"segments": [{"name": "a", "device": "cpu", "speed": 1}]}', "unknown field 'speed'"),
        (b'{"segments": [{"device": "cpu"}]}', "segment 1 has no name"),
        (b'{"segments": [{"name": "a", "device": "cpu", "after": "b"}]}', "'after' has to be a list"),
        (b'{"segments": 3}', "has to be a list"),
        (b'{"segments": [', "not whole JSON"),
        (b"name,device,time_s\na,cpu,fast\n", "line 2: time_s is 'fast', expected a number"),
        (b'{"segments": [{"name": "a", "device": "cpu", "time_s": 1' + 400 * b"0" + b"}]}", "expected a number"),
        (b"name,device,time_s\na,cpu,-1\n", "expected a number of 0 or more"),
        (b"name,machine\na,cpu\n", "has to have the columns name and device"),
        (b"name,device\na\n", "another number of fields"),
        (b"\xff\xfe", "no UTF-8"),
    ],
)
def test_damaged_files(raw: bytes, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        read_segments(raw, "app")
