"""The Trials page: profilers' own files and folders, shown as what they are, imported, refused, reported."""

import io
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import captures
from tests.pages.captures import AGENTS, FAILED, LONG, counters, perf, trace
from tests.pages.conftest import PATIENT_S
from tests.pages.test_trials import CSV, columns, press_import, said, store, upload
from tests.pages.toys import sound

PASSES = (
    ("run/pmc_1/out_counter_collection.csv", counters(("WAVES", "VALU"))),
    ("run/pmc_2/out_counter_collection.csv", counters(("HIT", "MISS"))),
    ("run/out_kernel_trace.csv", trace()),
    ("run/out_agent_info.csv", AGENTS),
    ("run/notes.txt", b"what I did on Tuesday\nit was warm\n"),
)
MANY = 25
"""Files, more than are stored while the page waits."""


def upload_folder(open_page, *files: tuple[str, bytes]) -> AppTest:
    at = open_page("trials", trials_view="Upload")
    at.session_state["upload_kind"] = "Folder"
    at.run()
    return at.file_uploader(key="upload_folder_0").set_value([(n, raw, "text/csv") for n, raw in files]).run()


def cards(at: AppTest) -> str:
    return said(at.caption)


def test_a_recognised_file_is_shown_and_imported(database, open_page) -> None:
    at = sound(upload(open_page, ("trace.csv", trace())))
    assert "12 rows · runs · " in cards(at)
    assert "AMD rocprofv3 kernel trace" in cards(at)
    rows = columns(at)
    assert rows.loc["time_s", ["taken for", "unit"]].tolist() == ["Response", "s"]
    at = sound(press_import(at))
    assert said(at.success) == "12 trials stored in dataset **trace**, nothing skipped."
    assert set(store().labels("trace")["application"]) == set(captures.KERNELS)


@pytest.mark.parametrize("dropped", [False, True], ids=["chosen", "dropped"])
def test_a_folder_of_passes_trace_machine_and_rubbish(database, open_page, dropped: bool) -> None:
    files = [(name.rpartition("/")[2] if dropped else name, raw) for name, raw in PASSES]
    at = sound(upload_folder(open_page, *files))
    assert "12 rows" in cards(at)
    assert columns(at).loc["machine", "range"] == "Test GPU 7"
    assert bool(at.warning) == dropped  # a dropped folder's files have lost their folders' names
    assert any(e.label == "1 file of the folder left out" for e in at.expander)
    assert not [t for t in at.text_input if t.key == "machine_name_0"]
    at = sound(press_import(at))
    name = store().datasets.all()[0].name
    metrics = {str(m): str(m.kind) for m in store().metric_names(name)}
    assert {"WAVES", "VALU", "HIT", "MISS", "time_s (s)"} <= set(metrics)
    assert metrics["Cu_Count"] == "machine"
    assert store().datasets.all()[0].n_trials == 12
    assert dropped or name == "run"
    assert any("notes.txt" in str(d.value.to_numpy()) for d in at.dataframe)


def test_mixed_profiler_files_and_tables(database, open_page) -> None:
    at = sound(upload(open_page, ("stat.csv", perf()), ("mine.csv", CSV)))
    assert "perf stat" in cards(at)
    assert "CSV, one row per trial" in cards(at)
    at.text_input(key="dataset_name_0").set_value("both")
    at = sound(press_import(at))
    assert said(at.success) == "7 trials stored in dataset **both**, nothing skipped."
    assert {c.name: c.format for c in store().datasets.sources("both")} == {"stat.csv": "perf_stat", "mine.csv": "csv"}


def test_without_a_time_a_response_is_asked_for(database, open_page) -> None:
    at = sound(upload(open_page, ("long.csv", LONG)))
    assert "there are no times, so there is nothing to predict" in said(at.caption)
    chosen = next(m for m in at.selectbox if m.key.endswith("_response"))
    assert "sm__cycles_active.avg" in chosen.options
    at = sound(chosen.set_value("sm__cycles_active.avg").run())
    assert not [m for m in at.selectbox if m.key.endswith("_response")]
    sound(press_import(at))
    assert [str(m) for m in store().datasets.all()[0].responses] == ["sm__cycles_active.avg (cycle)"]


def test_a_failed_capture_says_what_the_tool_said(database, open_page) -> None:
    at = upload(open_page, ("ncu.csv", FAILED))
    assert not at.exception
    assert said(at.error) == (
        "ncu.csv holds only messages of Nsight Compute and no measurements: '==ERROR== ERR_NVGPUCTRPERM - no "
        "permission to access counters' (line 2). Run the capture again."
    )
    assert not [b for b in at.button if b.key == "import"]


def test_the_machine_is_asked_for_and_kept(database, open_page) -> None:
    at = sound(upload(open_page, ("stat.csv", perf())))
    at.text_input(key="machine_name_0").set_value("my laptop")
    sound(press_import(at))
    assert store().labels("stat")["machine"] == ("my laptop",)


def test_a_folder_without_measurements_is_refused(database, open_page) -> None:
    at = upload_folder(open_page, ("d/a.txt", b"a text\nand more\nof it, yes\n"), ("d/b.png", b"\x89PNG" + bytes(99)))
    assert said(at.error).startswith("None of the 2 files of the folder could be read as measurements. d/a.txt:")
    assert not [b for b in at.button if b.key == "import"]


def test_many_files_report_alike_things_once_and_are_read_outside_the_page(database, open_page) -> None:
    from pages._trials import receipts
    from pages._ui import jobs

    assert MANY > receipts._MANY_FILES
    files = [(f"many/run{i:03}.csv", perf(i)) for i in range(MANY)]
    at = upload_folder(open_page, *files)
    _wait(jobs)
    at = sound(at.run())
    told = f"many/run000.csv and {MANY - 1} more: <not supported>, and so without a value: 'stalled-cycles-frontend'."
    assert told in said(at.markdown)
    press_import(at)
    _wait(jobs)
    at = sound(at.run())
    assert said(at.success) == f"{MANY} trials stored in dataset **many**, nothing skipped."
    assert said(at.markdown).count("<not supported>") == 2  # the report, and the dataset's files
    at = upload_folder(open_page, *files)
    _wait(jobs)
    press_import(sound(at.run()))
    _wait(jobs)
    at = sound(at.run())
    assert said(at.info).startswith(f"Nothing new: many/run000.csv (and {MANY - 1} more) was already imported on ")
    assert store().datasets.all()[0].n_trials == MANY


def test_more_files_than_a_browser_sends_reliably_are_refused(
    database, open_page, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages._trials import files

    monkeypatch.setattr(files, "_MOST_FILES", 2)
    at = upload_folder(open_page, *((f"many/run{i}.csv", perf(i)) for i in range(3)))
    assert said(at.error).startswith("3 files came, and some may have been lost on the way")
    assert not [b for b in at.button if b.key == "import"]


def _wait(jobs) -> None:
    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(PATIENT_S)


def test_an_archive_of_logs_is_one_table(database, open_page) -> None:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for n in (256, 512, 1024):
            archive.writestr(f"run_n{n}.log", f"starting\nThreads: 4\nTime: 0.{n} s\n")
    at = sound(upload(open_page, ("runs.zip", into.getvalue())))
    assert columns(at)["taken for"].to_dict() == {"n": "Parameter", "Threads": "Parameter", "Time": "Response"}
    sound(press_import(at))
    assert store().datasets.all()[0].n_trials == 3
