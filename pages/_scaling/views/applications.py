"""The Applications view: segments that wait for one another, on devices whose kernels scale."""

from typing import Any

import pandas as pd
import streamlit as st

from core.report.figures.scaling_panel import ENERGY_UNKNOWN, everywhere_cloud, seconds, timeline_sketch
from core.report.scaling import application as applications
from core.report.scaling.kernels import texts_of
from core.report.scaling.predicted import ENERGY_METRIC, known_kernel, nearest_to, times_segments, typical_seconds
from core.report.shared.naming import quantity
from core.scaling.application import Application
from core.scaling.segments_file import Device, SegmentsSaid, read_segments
from pages._scaling.model import Trained, choose_and_train
from pages._scaling.study import Asked, current_target, draw_cloud, draw_target
from pages._ui.choices import pick
from pages._ui.drawn import csv_button, draw_sketch, ground, literal, table
from pages._ui.jobs import key_of
from pages._ui.page import fragment, guard, instrument

TITLE, PLACE = "Applications", 8

_SEGMENTS, _DEVICES, _VERSION, _FILE = "_segments_base", "_devices_base", "_segments_version", "_segments_file"
_MACHINE, _EXAMPLE = "machine", "_segments_example"
_HELP = (
    "A row per segment: its device, what it waits for (names with ; between), and either a kernel, which scales by the "
    "model, or a time of its own in seconds. Count is how often it runs."
)


def draw(asked: Asked) -> None:
    """Draw the schedule, and below it segments and devices for the user to fill in."""
    trained = choose_and_train(asked)
    if trained is None:
        return
    answer, scaled = st.container(gap="small"), times_segments(trained.model)
    clock = _choose_clock() if scaled == "cycles" else float("nan")
    if not scaled:
        st.info("The model predicts no time, so segments bring times of their own. Choose a time as the response.")
    _begin(asked, trained, clock)
    st.header("The application", anchor=False)
    st.caption(
        "What an application takes whose parts wait for one another. A part starts when all it waits for have ended; "
        "devices that have the model share the one chosen here."
    )
    _upload()
    segments, devices = _edit(asked)
    csv_button("Segments as CSV", pd.DataFrame(segments), "segments")
    application = _application(asked, trained, segments, devices, clock)
    with answer:
        if pd.DataFrame(segments).astype(str).equals(st.session_state[_EXAMPLE].astype(str)):
            st.caption("An example, made of kernels of this study: fill in your own application below, or upload it.")
        _bench(trained, application)


def _choose_clock() -> float:
    help = "The model predicts cycles; at this clock they become seconds."
    shown: dict[str, Any] = {"bind": "query-params", "width": 240}
    return float(st.number_input("Clock (GHz)", 0.001, 1000.0, 3.0, key="segments_clock", help=help, **shown))


def _begin(asked: Asked, trained: Trained, clock: float) -> None:
    """Put the example there where nothing has been filled in yet, or another study is asked for."""
    of = key_of(asked.dataset, asked.names, bool(trained.kernels))
    if st.session_state.get("_segments_of") != of:
        st.session_state["_segments_of"] = of
        model = trained.model
        kernels = trained.kernels if times_segments(model) else ()
        typical = typical_seconds(model, asked.study, clock) if kernels else 1e-3
        _set(applications.example(kernels, _MACHINE, typical, "W" in [a.response.unit for a in model.answers]))
        st.session_state[_EXAMPLE] = st.session_state[_SEGMENTS]


def _set(said: SegmentsSaid) -> None:
    named = any(device.model for device in said.devices)
    names = set() if named else {s.device for s in said.segments if s.kernel}
    st.session_state[_SEGMENTS] = applications.segment_rows(said.segments)
    st.session_state[_DEVICES] = applications.device_rows(said.devices, tuple(names))
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1
    for base in (_SEGMENTS, _DEVICES):
        st.session_state.pop(f"{base}_now", None)


def _upload() -> None:
    help = "JSON with devices and segments, or a CSV of segments, as `ridgeline segments` reads them."
    upload = st.file_uploader("An application", key="segments_upload", help=help)
    if upload is None:
        st.session_state.pop(_FILE, None)
    elif st.session_state.get(_FILE) != upload.file_id:
        with guard():
            said = read_segments(upload.getvalue(), upload.name)
            st.session_state[_FILE] = upload.file_id
            _set(said)


def _edit(asked: Asked) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Let the user fill in both tables; what was filled in stays while another view is open."""
    version = st.session_state[_VERSION]
    for base in (_SEGMENTS, _DEVICES):
        if f"{base}_{version}" not in st.session_state and f"{base}_now" in st.session_state:
            st.session_state[base] = st.session_state[f"{base}_now"]
    column = st.column_config
    config: dict[str, Any] = {
        "kernel": column.SelectboxColumn(options=list(asked.study.kernels), width="medium"),
        "after": column.TextColumn(help="Names with ; between"),
        "time_s": column.NumberColumn("time (s)", min_value=0.0, help="Its own, where it has no kernel"),
        "power_w": column.NumberColumn("power (W)", min_value=0.0),
        "count": column.NumberColumn(min_value=0.0, default=1.0),
    }
    segments = _filled_in(_SEGMENTS, "The application's segments, to be filled in", config)
    st.caption(_HELP)
    config = {
        "has the model": column.CheckboxColumn(help="Its kernels are predicted by the model trained here"),
        "idle_w": column.NumberColumn("power while waiting (W)", min_value=0.0, default=0.0),
    }
    with st.expander("Devices", key="segments_devices"):
        devices = _filled_in(_DEVICES, "The devices, to be filled in", config)
    return segments, devices


def _filled_in(base: str, alt: str, config: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the user fill in a table, and return its rows."""
    shown: dict[str, Any] = {"num_rows": "dynamic", "hide_index": True, "placeholder": "–", "column_config": config}
    key = f"{base}_{st.session_state[_VERSION]}"
    edited = st.data_editor(st.session_state[base], key=key, alt=alt, **shown)
    st.session_state[f"{base}_now"] = edited
    return edited.to_dict("records")


def _application(
    asked: Asked, trained: Trained, segments: list[dict[str, Any]], devices: list[dict[str, Any]], clock: float
) -> Application:
    said = applications.said_in_rows(segments)
    wanted = {s.kernel for s in said} & set(trained.kernels)
    places = {name: asked.study.kernels.index(name) for name in wanted}
    kernels = {name: known_kernel(asked.study, place, trained.model) for name, place in places.items()}
    scaled = Device("", trained.model, kernels, clock_ghz=clock)
    return applications.application_of(said, applications.said_devices(devices), scaled)


@fragment()
def _bench(trained: Trained, application: Application) -> None:
    """Draw what a slider changes; it alone runs again when one moves."""
    model = trained.model
    scaled = [d.name for d in application.devices.values() if d.model is not None]
    point = current_target(model)
    found = applications.timeline(application, application.schedule(dict.fromkeys(scaled, point)))
    head, said, controls, picture = instrument()
    with head:
        _headline(found)
    said.markdown(f"Critical path: {literal(found.path())}.")
    if scaled:
        with controls:
            draw_target(model)
    with picture:
        draw_sketch(timeline_sketch(found, ground()), 640)
        st.caption("Orange: the critical path; dashed: how much longer a segment could take.")
        table(found.table(), "timeline", alt="When each segment runs and what it would gain", digits=3)
        if scaled:
            _everywhere(trained, application, scaled, nearest_to(model, point))


def _headline(found: applications.Timeline) -> None:
    with st.grid(3, min_column_width=108, gap="small"):
        st.metric("Total time", seconds(found.total_s), help="The longest path")
        said = "Of the segments, and of devices while they wait; a dash where a power is not known"
        st.metric("Energy", quantity(found.energy_j, ENERGY_METRIC), help=said)
        st.metric("Speed up first", literal(found.first), help="The segment that gains most if it were twice as fast")


def _everywhere(trained: Trained, application: Application, scaled: list[str], here: int) -> None:
    st.header("At every configuration", anchor=False)
    device = scaled[0]
    if len(scaled) > 1:
        device = pick("Of the device", scaled, "segments_over")
        st.caption("Other devices stay at their base configuration.")
    model = trained.model
    found = applications.everywhere(application, device, texts_of(model.grid, model.axes))
    draw_cloud(everywhere_cloud(found, here), "everywhere")
    if not found.has_energy:
        st.caption(ENERGY_UNKNOWN)
