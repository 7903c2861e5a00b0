"""A trained scaling model: its file, its domain, points between configurations, and what comes of time and power."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, ModelFileError, OptionError, PredictError, ReadError
from core.ingest.base import SourceFile
from core.scaling.clusters import Behaviours, elasticities
from core.scaling.interpolate import mixture
from core.scaling.model_file import is_scaling, read_kernels, read_scaling, write_scaling
from core.scaling.outcome import outcome, pareto
from core.scaling.race import fit_scaling, predictor_named
from core.scaling.scaling_model import Kernel, ScalingModel
from core.trial import Kind, Metric
from tests.scaling.made import kernel_of, made_study

STUDY = made_study(60)
BASE = STUDY.n_configurations - 1
KNOWN, NEW = STUDY.take(np.arange(45)), STUDY.take(np.arange(45, 60))


@pytest.fixture(scope="module")
def model() -> ScalingModel:
    return fit_scaling(
        KNOWN, predictor_named("extra_trees", {"trees": "30"}), base=BASE, folds="kfold:5", dataset="made"
    )


def test_new_kernels_are_predicted(model: ScalingModel) -> None:
    errors, covered = [], []
    for k in range(NEW.n_kernels):
        found = model.predict(kernel_of(NEW, k, BASE))
        surface, truth = found.surfaces["time_s"], NEW.surface("time_s")[k]
        assert surface.value[BASE] == truth[BASE] == surface.low[BASE] == surface.high[BASE]
        errors.append(np.abs(surface.value / truth - 1)[:BASE].mean())
        covered.append(((surface.low <= truth) & (truth <= surface.high))[:BASE].mean())
    assert np.mean(errors) < 0.15
    assert np.mean(covered) > 0.75
    assert set(model.responses) == {"time_s", "power_w"}


def test_nearest_kernels_and_domain(model: ScalingModel) -> None:
    own = model.predict(kernel_of(KNOWN, 4, BASE))
    assert own.nearest[0] == (KNOWN.kernels[4], pytest.approx(0, abs=1e-4))
    assert own.in_domain
    assert own.why == ""
    kernel = kernel_of(KNOWN, 4, BASE)
    far = model.predict(replace(kernel, counts={**kernel.counts, "flops": 1e20}))
    assert not far.in_domain
    assert "flops = 1e+20 is outside the trained" in far.why
    without = model.predict(replace(kernel, counts={"flops": kernel.counts["flops"]}))
    assert not without.in_domain
    assert "no value of bytes, valu_busy" in without.why


def test_refused_kernels(model: ScalingModel) -> None:
    kernel = kernel_of(KNOWN, 4, BASE)
    with pytest.raises(PredictError, match="has no 'power_w' at the base"):
        model.predict(replace(kernel, at_base={"time_s": 1.0}))
    with pytest.raises(PredictError, match=r"'time_s' of mixed_.* is -1"):
        model.predict(replace(kernel_of(KNOWN, 2, BASE), at_base={"time_s": -1.0, "power_w": 1.0}))


def test_file_round_trip(model: ScalingModel) -> None:
    raw = write_scaling(model)
    assert is_scaling(raw)
    back = read_scaling(raw)
    kernel = kernel_of(NEW, 2, BASE)
    a, b = model.predict(kernel), back.predict(kernel)
    for name in model.responses:
        np.testing.assert_array_equal(a.surfaces[name].value, b.surfaces[name].value)
        np.testing.assert_array_equal(a.surfaces[name].high, b.surfaces[name].high)
    assert a.nearest == b.nearest
    assert write_scaling(back) == raw


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("base",), 99),
        (("format",), "ridgeline-model"),
        (("version",), 2),
        (("grid",), [[1, 2, 3]]),
        (("points",), [[1.0]]),
        (("answers",), []),
        (("typical_distance",), 0.0),
        (("features", "mean"), [1.0]),
        (("features", "n_groups"), -1),
        (("answers", 0, "half_width"), [1.0]),
        (("answers", 0, "predictor", "name"), "magic"),
        (("answers", 0, "predictor", "state", "trees", "roots"), [10**6]),
        (("answers", 0, "predictor", "state", "trees", "left"), [0]),
        (("kernels",), []),
        (("surprise",), 1),
        (("features", "scales"), ["y" * 9000]),
        (("axes", 0, "kind"), "z" * 9000),
    ],
)
def test_damaged_files_are_refused(model: ScalingModel, path: tuple[str | int, ...], value: object) -> None:
    plain = json.loads(write_scaling(model))
    place = plain
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ModelFileError) as caught:
        read_scaling(json.dumps(plain).encode())
    assert len(str(caught.value)) <= 400
    assert "\n" not in str(caught.value)


def test_what_is_no_finite_number_is_refused(model: ScalingModel) -> None:
    kernel = kernel_of(NEW, 0, BASE)
    wide = tuple(replace(answer, half_width=np.full_like(answer.half_width, 1e4)) for answer in model.answers)
    with pytest.raises(PredictError, match=r"no finite number at \d+ of \d+ configurations"):
        replace(model, answers=wide).predict(kernel)


def test_a_model_that_wants_measurements() -> None:
    model = fit_scaling(
        KNOWN, predictor_named("measure_next", {"trees": "30"}), responses=["time_s"], base=BASE, folds="kfold:3"
    )
    kernel, j = kernel_of(NEW, 0, BASE), model.wants[0]
    with pytest.raises(PredictError, match=r"asks for 'time_s' of .* besides the base"):
        model.predict(kernel)
    there = np.full(STUDY.n_configurations, np.nan)
    there[j] = NEW.surface("time_s")[0, j]
    found = model.predict(replace(kernel, measured={"time_s": there}))
    assert found.surfaces["time_s"].value[j] == there[j]
    read_scaling(write_scaling(model))


def test_kernels_from_a_file(model: ScalingModel) -> None:
    head = "kernel,flops,bytes,valu_busy,time_s,power_w\n"
    rows = [
        ",".join(map(str, [k.name, *k.counts.values(), *k.at_base.values()]))
        for k in (kernel_of(NEW, i, BASE) for i in (0, 1))
    ]
    found = read_kernels(SourceFile("k.csv", (head + "\n".join(rows) + "\n").encode()), model)
    assert found[1].counts == kernel_of(NEW, 1, BASE).counts
    with pytest.raises(ReadError, match="no column 'power_w'"):
        read_kernels(SourceFile("k.csv", b"kernel,time_s\na,1\n"), model)
    with pytest.raises(ReadError, match=r"k.csv row 1: 'time_s' is 'fast', expected a number"):
        read_kernels(SourceFile("k.csv", b"kernel,time_s,power_w\na,fast,1\n"), model)
    european = read_kernels(SourceFile("k.csv", b"kernel;time_s [s];power_w\nb;1,5;40,25\nc;1,25;41\n"), model)
    assert [kernel.at_base for kernel in european] == [
        {"time_s": 1.5, "power_w": 40.25},
        {"time_s": 1.25, "power_w": 41},
    ]
    for time in ("time_s (ms)", "time_ms"):
        small = read_kernels(SourceFile("k.csv", f"kernel,{time},power_w\na,1,1\nb,2,2\n".encode()), model)
        assert [kernel.at_base["time_s"] for kernel in small] == [0.001, 0.002]
    with pytest.raises(PredictError, match=r"k.csv has 'time_s' in J, but the model was trained with s. Convert"):
        read_kernels(SourceFile("k.csv", b"kernel,time_s (J),power_w\na,1,1\nb,2,2\n"), model)
    axes = "kernel,cores,clock_mhz,mem_gbs,time_s,power_w\n"
    with pytest.raises(ReadError, match="kernel 'a' has no row at the model's base"):
        read_kernels(SourceFile("k.csv", f"{axes}a,4,300,60,1,1\n".encode()), model)
    with pytest.raises(ReadError, match="no configuration of the model"):
        read_kernels(SourceFile("k.csv", f"{axes}a,5,300,60,1,1\n".encode()), model)
    two = read_kernels(SourceFile("k.csv", f"{axes}a,32,1000,260,1,50\na,4,300,60,9,20\n".encode()), model)
    assert two[0].measured["time_s"][0] == 9
    assert two[0].at_base["time_s"] == 1


def test_what_a_profiler_wrote_is_measured_at_the_base(model: ScalingModel) -> None:
    timed = replace(model, answers=model.answers[:1], counters=(Metric("dram__bytes.sum", Kind.COUNTER, "byte"),))
    header = ('"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"', '"","","","","us"')
    launches = (
        '"0","copy(float*)","(64, 1, 1)","(8, 1, 1)","12.5"',
        '"1","scale(float*)","(64, 1, 1)","(8, 1, 1)","20"',
    )
    moved = ('"dram__bytes.sum"', '"Mbyte"', '"3"', '"4"')
    text = "".join(f"{line},{cell}\n" for line, cell in zip((*header, *launches), moved, strict=True))
    found = read_kernels(SourceFile("k.ncu.csv", text.encode()), timed)
    assert [kernel.name.partition(" · ")[0] for kernel in found] == ["copy(float*)", "scale(float*)"]
    assert found[0].at_base["time_s"] == pytest.approx(12.5e-6)
    assert found[1].counts == {"dram__bytes.sum": pytest.approx(4e6)}


def test_between_configurations() -> None:
    grid = np.array([[x, y] for x in (1.0, 2.0, 4.0) for y in (10.0, 100.0)])
    log = np.log(grid[:, 0] ** 2 / grid[:, 1])
    names = ("x", "y")
    at = mixture(grid, names, np.array([3.0, 50.0]))
    assert np.exp(at.of(log)) == pytest.approx(9 / 50)  # powers are exact
    assert mixture(grid, names, np.array([2.0, 10.0])).configurations.tolist() == [2]
    out = mixture(grid, names, np.array([8.0, 50.0]))
    assert "x = 8 is outside the measured 1 to 4" in out.why
    assert np.exp(out.of(log)) == pytest.approx(16 / 50)
    assert np.exp(out.unknown(log)) == pytest.approx(4)  # what x changes from 4 to 2
    assert np.exp(mixture(grid, names, np.array([16.0, 50.0])).unknown(log)) == pytest.approx(16)
    assert np.exp(mixture(grid, names, np.array([64.0, 50.0])).unknown(log)) == pytest.approx(16**2)  # measured to 1/4
    assert at.unknown(log) == 0
    holes = np.delete(grid, 3, axis=0)
    irregular = mixture(holes, names, np.array([1.5, 40.0]))
    assert irregular.weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(irregular.weights @ holes[irregular.configurations], [1.5, 40.0])
    with pytest.raises(OptionError, match="finite value for each of x, y"):
        mixture(grid, names, np.array([np.nan, 1.0]))


def test_target_needs_every_axis(model: ScalingModel) -> None:
    with pytest.raises(PredictError, match="'mem_gbs' is missing"):
        model.place({"cores": 8, "clock_mhz": 500})
    surface = model.predict(kernel_of(NEW, 0, BASE)).surfaces["time_s"]
    edges = {axis.name: float(model.grid[:, i].max()) for i, axis in enumerate(model.axes)}
    inside, beyond = (surface.at(model.place({**edges, "cores": edges["cores"] * k})) for k in (1, 2))
    assert beyond[0] == inside[0]
    assert (
        beyond[2] / beyond[1] > 1.2 * inside[2] / inside[1]
    )  # the edge speaks, and nobody knows by how much it is off
    value, low, high = surface.at(model.place(model.base_point))
    assert value == low == high == pytest.approx(surface.value[BASE])


def test_too_few_kernels_at_the_base() -> None:
    values = KNOWN.values.copy()
    values[:, 2:, BASE] = np.nan
    with pytest.raises(FitError, match="Only 2 kernels have all responses at the base"):
        fit_scaling(replace(KNOWN, values=values), predictor_named("ridge"), base=BASE)


def test_energy_delay_and_front() -> None:
    time, power = np.array([1.0, 2.0, 4.0, 3.0]), np.array([80.0, 30.0, 20.0, 35.0])
    found = outcome(Metric("t", unit="ms"), 1000 * time, power)
    np.testing.assert_allclose(found.energy_j, time * power)
    np.testing.assert_allclose(found.edp_js, time**2 * power)
    assert found.front.tolist() == [0, 1, 2]
    assert [found.best(x) for x in ("time", "power", "energy", "edp")] == [0, 2, 1, 0]
    with pytest.raises(OptionError, match="no objective"):
        found.best("beauty")
    with pytest.raises(OptionError, match="in 'cycle'"):
        outcome(Metric("t", unit="cycle"), time, power)
    assert pareto(np.array([1.0, 1.0, 2.0]), np.array([5.0, 5.0, 5.0])).tolist() == [0]


def test_labels_follow_the_shape() -> None:
    grid = STUDY.grid
    shapes = [
        grid[:, 0] * grid[:, 1],
        grid[:, 2],
        1 / (1 / (grid[:, 0] * grid[:, 1]) + 1 / (grid[:, 2] * 60)),
        np.ones(len(grid)),
    ]
    found = Behaviours().of(STUDY.axes, grid, np.log(np.array(shapes)))
    assert [b.label for b in found] == ["compute-bound", "bandwidth-bound", "balanced", "not scaling"]
    np.testing.assert_allclose(elasticities(grid, np.log(shapes[0])[None]), [[1, 1, 0]], atol=1e-9)
    made = made_study(60, noise=0.0)
    labels = Behaviours().of(made.axes, made.grid, -np.log(made.surface("time_s")))
    assert {b.label for b in labels[9::30]} == {"not scaling"} or labels[9].label != "bandwidth-bound"


def test_kernels_without_further_measurements_are_plain(model: ScalingModel) -> None:
    kernel = Kernel("new", {}, {"time_s": 1.0, "power_w": 40.0}, {})
    assert model.predict(kernel).surfaces["time_s"].value[BASE] == 1.0
