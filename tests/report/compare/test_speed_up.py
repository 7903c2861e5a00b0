"""Speed-up over a simulator: its time over the host's, per workload, smallest first; only where units agree."""

import numpy as np
import pytest

from core.errors import FitError
from core.report.compare.side_by_side import speed_up
from core.trial import Frame, Metric, make_frame


def frame_of(y: list[float], ids: list[str], unit: str = "s", host: tuple[float, ...] = (1.0, 2.0, 4.0)) -> Frame:
    labels = {"application": [f"app{i}" for i in ids]}
    X = np.array(host)[:, None]
    return make_frame(X, np.array(y), [Metric("time on old", unit="s")], Metric("t", unit=unit), labels, ids)


def test_it_is_the_ratio_smallest_first() -> None:
    frame = frame_of([1, 1, 1], ["a", "b", "c"])
    found = speed_up(frame, frame_of([30, 40, 1000], ["a", "b", "c"]), "time on old")
    assert found.names == ("appb", "appa", "appc")
    assert found.factor.tolist() == [20, 30, 250]
    assert "On average the simulator takes 100 times as long" in found.sentence()
    assert found.table().columns.tolist() == ["workload", "simulator (s)", "host (s)", "speed-up (times)"]


def test_workloads_without_a_time_are_counted() -> None:
    found = speed_up(frame_of([1, 1, 1], ["a", "b", "c"]), frame_of([30, 0, 9], ["a", "b", "x"]), "time on old")
    assert (found.names, found.n_without) == (("appa",), 2)


def test_other_units_and_no_times_are_refused() -> None:
    frame = frame_of([1, 1, 1], ["a", "b", "c"])
    with pytest.raises(FitError, match="different units"):
        speed_up(frame, frame_of([30, 40, 9], ["a", "b", "c"], unit="ms"), "time on old")
    with pytest.raises(FitError, match="No workload has both"):
        speed_up(frame, frame_of([30, 40, 9], ["x", "y", "z"]), "time on old")
