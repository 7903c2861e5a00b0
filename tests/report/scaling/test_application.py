"""Applications of segments: rows to fill in and back, timeline, time and energy everywhere."""

import numpy as np
import pytest

from core.errors import OptionError, ReadError
from core.report.figures.scaling_panel import cloud_picture, cloud_sketch, everywhere_cloud, timeline_sketch
from core.report.scaling.application import (
    MOST_SEGMENTS,
    application_of,
    device_rows,
    everywhere,
    example,
    said_devices,
    said_in_rows,
    segment_rows,
    timeline,
)
from core.report.scaling.kernels import texts_of
from core.report.scaling.predicted import known_kernel, times_segments, typical_seconds
from core.scaling.race import fit_scaling, predictor_named
from core.scaling.segments_file import Device
from tests.scaling.made import made_study

STUDY = made_study(12, (2, 3, 2))
MODEL = fit_scaling(STUDY, predictor_named("mean_surface", {}), folds="kfold:3", base=11)
LIKE = Device("", MODEL, {name: known_kernel(STUDY, i, MODEL) for i, name in enumerate(STUDY.kernels)})
SAID = example(STUDY.kernels, "machine", typical_seconds(MODEL, STUDY), has_power=True)
DEVICES = said_devices(device_rows(SAID.devices).to_dict("records"))
APPLICATION = application_of(SAID.segments, DEVICES, LIKE)


def test_rows_are_segments_again() -> None:
    back = said_in_rows(segment_rows(SAID.segments).to_dict("records"))
    assert [s.name for s in back] == [s.name for s in SAID.segments]
    assert [s.after for s in back] == [s.after for s in SAID.segments]
    assert [s.count for s in back] == [s.count for s in SAID.segments]
    assert said_in_rows([{"name": None, "count": 1.0}, {"name": "a", "device": "b", "time_s": 1.0}])[0].name == "a"


def test_a_row_without_a_name_is_refused() -> None:
    with pytest.raises(ReadError, match="The table line 2 has no name"):
        said_in_rows([{"device": "host", "time_s": 1.0}])
    with pytest.raises(OptionError, match="Use `ridgeline segments`"):
        said_in_rows([{"name": f"s{i}", "device": "host"} for i in range(MOST_SEGMENTS + 1)])
    with pytest.raises(OptionError, match="has to be 0 or more"):
        said_devices([{"device": "host", "idle_w": -1.0}])


def test_the_timeline_ends_with_the_critical_path() -> None:
    found = timeline(APPLICATION, APPLICATION.schedule())
    on = np.array(found.critical)
    assert found.time_s[on].sum() == pytest.approx(found.total_s)
    assert (found.slack_s[on] == 0).all()
    assert found.path().startswith("load → ")
    assert found.table()["starts (s)"].is_monotonic_increasing
    sketch = timeline_sketch(found)
    assert found.path() in sketch.alt
    assert sketch.svg.count("<rect") >= 6


def test_everywhere_agrees_with_one_place() -> None:
    found = everywhere(APPLICATION, "machine", texts_of(MODEL.grid, MODEL.axes))
    assert found.total_s[11] == pytest.approx(timeline(APPLICATION, APPLICATION.schedule()).total_s)
    assert found.total_s[found.front[0]] == found.total_s.min()
    assert len(found.table()) == 12
    cloud = everywhere_cloud(found, 11)
    assert "fastest" in cloud_picture(cloud).alt
    drawn = cloud_sketch(cloud)
    assert drawn.alt == cloud_picture(cloud).alt
    assert drawn.svg.count("M") == 12 + len(found.front)


def test_an_application_without_a_model_has_times_of_its_own() -> None:
    said = example((), "machine", 1e-3, has_power=False)
    own = application_of(said.segments, said_devices(device_rows(said.devices).to_dict("records")), LIKE)
    assert timeline(own, own.schedule()).total_s > 0
    assert times_segments(MODEL) == "time"
