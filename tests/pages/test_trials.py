"""The Trials page: a dataset in view, samples in a click, uploads mapped, imported, refused, reported."""

import gzip
import inspect
import re

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.ingest.recognition import questions
from pages._trials.files import in_page_words
from tests.ingest.table.test_strangers import workbook
from tests.made import jobs_of
from tests.pages.conftest import PATIENT_S
from tests.pages.toys import N_APPS, N_MACHINES, charts, sound, toy_import

CSV = (
    b"program,size,gpu,l2 misses,time (us)\n"
    b"fft,small,K40,10,1.5\nfft,large,K40,100,15\nmm,small,K40,20,2.5\nmm,large,K40,200,30.25\n"
    b"fft,small,Titan,11,1.25\nfft,small,Titan,12,1.5\n"
)
MACHINES = b"gpu,clock (GHz),vendor\nK40,0.75,N\nTitan,1.5,N\n"


def store():
    from pages._ui.database import store

    return store()


def said(texts) -> str:
    """Return escaped texts as a person reads them."""
    return " | ".join(t.value.replace("\\", "").replace("\u2060", "") for t in texts)


def upload(open_page, *files: tuple[str, bytes]) -> AppTest:
    at = open_page("trials", trials_view="Upload")
    uploader = at.file_uploader(key="upload_trials_0")
    return uploader.set_value([(name, raw, "text/csv") for name, raw in files]).run()


def press_import(at: AppTest) -> AppTest:
    return at.button(key="import").click().run()


def columns(at: AppTest) -> pd.DataFrame:
    """Return the columns as the first table of an upload shows them, by name."""
    return next(d.value for d in at.dataframe if "taken for" in d.value.columns).set_index("column")


def roles(at: AppTest) -> dict[str, list[str]]:
    """Return the columns of each role, counters and facts apart."""
    names = ("Application", "Input", "Machine", "Response", "Parameter", "Label", "Left out")
    found = columns(at)["taken for"]
    return {name: list(found[found == name].index) for name in names if (found == name).any()}


def edit(monkeypatch: pytest.MonkeyPatch, **changes: tuple[str, str]) -> None:
    """Let the editor return other roles or units: by column (underscores for blanks), what and the new text."""

    def edited(shown: pd.DataFrame, **_: object) -> pd.DataFrame:
        after = shown.copy()  # the machines of a dataset are an editor, too
        for name, (what, text) in changes.items() if "column" in shown else ():
            after.loc[after["column"] == name.replace("_", " "), what] = text
        return after

    monkeypatch.setattr(st, "data_editor", edited)


# --- a dataset in view ---


def test_a_dataset_at_a_glance(toy, open_page) -> None:
    at = sound(open_page("trials"))
    assert {m.label: m.value for m in at.metric} == {
        "Trials": str(N_APPS * N_MACHINES),
        "Applications": str(N_APPS),
        "Inputs": str(N_APPS),
        "Machines": str(N_MACHINES),
        "Metrics": "4",
        "Responses": "1",
    }
    figure = charts(at)[0]
    assert figure["layout"]["xaxis"]["title"]["text"] == "time (us)"
    assert figure["layout"]["yaxis"]["title"]["text"] == "trials"
    assert at.get("plotly_chart")[0].proto.alt.startswith("Histogram of time (us) over 40 trials")


@pytest.mark.parametrize(("axis", "kind"), [("Logarithmic", "log"), ("Linear", None), ("Automatic", "log")])
def test_the_axis_is_in_the_url(toy, open_page, axis: str, kind: str | None) -> None:
    at = sound(open_page("trials", axis=axis))
    assert charts(at)[0]["layout"]["xaxis"].get("type") == kind


def test_tables_of_trials_metrics_and_files(toy, open_page) -> None:
    at = sound(open_page("trials"))
    trials, metrics, machines, _, sources = (block.value for block in at.dataframe)
    assert len(trials) == N_APPS * N_MACHINES
    assert not {"id", "input"} & set(trials.columns)  # the file names no input
    assert metrics.set_index("metric").loc["time", ["kind", "unit", "missing"]].tolist() == ["response", "us", 0]
    assert sources["file"].tolist() == ["toy.csv"]
    assert machines["trials"].tolist() == [N_APPS] * N_MACHINES
    assert any(e.label == "No configuration was measured more than once" for e in at.expander)


def test_an_input_is_shown_once(database, open_page) -> None:
    at = sound(press_import(upload(open_page, ("runs.csv", CSV.replace(b"size", b"input")))))
    trials = next(block.value for block in at.dataframe if "l2 misses" in block.value.columns)
    assert "input (label)" in store().trials("runs").columns
    assert trials["input"].tolist() == ["small", "large", "small", "large", "small", "small"]
    assert "input (label)" not in trials.columns


def test_rename_and_delete(toy, open_page) -> None:
    at = sound(open_page("trials"))
    at.text_input(key="rename_toy").set_value("better *name*")
    sound(at.button(key="do_rename_toy").click().run())
    assert [d.name for d in store().datasets.all()] == ["better *name*"]
    assert at.header[0].value == "better \\*name\\*"
    assert "40 trials is deleted for good" in said(at.markdown)
    at.button(key="delete_for_good_better *name*").click().run()
    assert store().datasets.all() == ()


def test_a_taken_name_is_refused(toy, open_page) -> None:
    store().add("other", toy_import(4))
    at = open_page("trials", dataset="toy")
    at.text_input(key="rename_toy").set_value("other")
    at.button(key="do_rename_toy").click().run()
    assert said(at.error) == "There is a dataset 'other' already. Choose another name."
    assert {d.name for d in store().datasets.all()} == {"toy", "other"}


# --- samples ---


def test_samples_load_with_one_click(database, open_page) -> None:
    at = sound(open_page("trials", trials_view="Samples"))
    loads = [b.key for b in at.button if b.key.startswith("load_") and b.key != "load_first_sample"]
    assert {"load_generations", "load_design_space", "load_scaling", "load_cachegrind"} <= set(loads)
    at = sound(at.button(key="load_cachegrind").click().run())
    assert at.selectbox(key="dataset").value == "cachegrind"
    assert "stored in dataset **cachegrind**" in said(at.success)
    assert [d.name for d in store().datasets.all()] == ["cachegrind"]
    at = sound(at.button(key="dismiss_report").click().run())
    assert not at.success


# --- upload ---


def test_an_upload_is_guessed_shown_and_imported(database, open_page) -> None:
    at = sound(upload(open_page, ("run 7.csv", CSV)))
    assert roles(at) == {"Response": ["time"], "Application": ["program"], "Input": ["size"], "Machine": ["gpu"]}
    assert at.text_input(key="dataset_name_0").value == "run_7"
    assert columns(at).loc["time", ["unit", "range"]].tolist() == ["us", "1.25 … 30.2"]
    assert columns(at).loc["l2 misses", "taken for"] == "Counter"
    assert "6 rows" in said(at.caption)
    assert {b.label for b in at.button if b.key.startswith("ask_")} >= {r"Across machines\: K40 → Titan"}
    at = sound(press_import(at))
    assert said(at.success) == "6 trials stored in dataset **run_7**, nothing skipped."
    assert at.selectbox(key="dataset").value == "run_7"
    assert any("1 configuration measured more than once" in e.label for e in at.expander)
    frame = store().frame("run_7", "time", ["l2 misses"])
    assert sorted(frame.y) == [1.25, 1.5, 1.5, 2.5, 15.0, 30.25]
    assert frame.response.unit == "us"


def test_roles_and_units_can_be_changed(database, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(monkeypatch, l2_misses=("taken for", "Response"), size=("taken for", "Label"), gpu=("taken for", "Machine"))
    at = upload(open_page, ("run.csv", CSV))
    edit(monkeypatch, l2_misses=("unit", "lines"))
    at.text_input(key="dataset_name_0").set_value("mine")
    sound(press_import(at))
    card = store().datasets.all()[0]
    assert (card.name, {str(m) for m in card.responses}) == ("mine", {"l2 misses (lines)", "time (us)"})
    assert store().labels("mine")["size"] == ("large", "small")


def test_a_column_can_be_left_out(database, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(monkeypatch, l2_misses=("taken for", "Left out"))
    sound(press_import(upload(open_page, ("run.csv", CSV))))
    assert [m.name for m in store().metric_names("run")] == ["time"]


UNITLESS = CSV.replace(b"time (us)", b"runtime")


def test_a_doubt_is_a_question_and_the_next_file_gets_the_same_answer(database, open_page) -> None:
    at = sound(upload(open_page, ("run.csv", UNITLESS)))
    assert "What is the unit of runtime?" in said(at.markdown)
    at = sound(next(b for b in at.button if b.key.endswith("_ask_runtime_ms")).click().run())
    assert "What is the unit" not in said(at.markdown)
    assert columns(at).loc["runtime", "unit"] == "ms"
    sound(press_import(at))
    at = sound(upload(open_page, ("next.csv", UNITLESS.replace(b"1.5", b"1.75"))))
    assert "What is the unit" not in said(at.markdown)
    sound(press_import(at))
    assert [str(m) for m in store().datasets.all()[0].responses] == ["runtime (ms)"]


def test_questions_that_differ_in_the_column_are_one(database, open_page) -> None:
    names = ("encode_time", "decode_time", "prep_time")
    rows = [f"a{i},{i + 1},{2 * i + 5},{i * i + 3},{4 * i + 9}" for i in range(6)]
    raw = "\n".join(["program,size," + ",".join(names), *rows]).encode()
    at = sound(upload(open_page, ("run.csv", raw)))
    asked = "What is the unit of encode_time, decode_time and prep_time? Until you answer, lower is taken as better."
    assert asked in said(at.markdown)
    (button,) = [b for b in at.button if b.key.endswith("_ms")]
    at = sound(button.click().run())
    assert "What is the unit" not in said(at.markdown)
    assert columns(at).loc[list(names), "unit"].tolist() == ["ms"] * 3


def test_a_button_imports_and_leads_to_the_page_that_answers(
    database, open_page, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[tuple[str, dict[str, object]]] = []
    monkeypatch.setattr(st, "switch_page", lambda path, query_params: went.append((path, query_params)))
    raw = b"tile,unroll,time_ms\n" + b"".join(b"%d,%d,%d\n" % (t, u, t + u) for t in (1, 2, 4) for u in (1, 2))
    at = sound(upload(open_page, ("tuned.csv", raw)))
    button = at.button(key="ask_design_space")
    assert button.label.replace("\\", "") == "Design space of 2 parameters (6 combinations)"
    sound(button.click().run())
    assert store().datasets.all()[0].n_trials == 6
    assert went[0][0] == "pages/design_space.py"
    assert went[0][1]["dataset"] == "tuned"


def test_many_columns_are_grouped_and_searched(database, open_page) -> None:
    names = [f"sm__{i}" for i in range(40)] + [f"dram__{i}" for i in range(30)]
    head, rows = (
        ",".join(["program", "time (s)", *names]),
        [",".join([f"p{r}", f"{1 + r}", *(str(i * r + r * r) for i in range(70))]) for r in range(4)],
    )
    at = sound(upload(open_page, ("many.csv", "\n".join([head, *rows]).encode())))
    group = next(s for s in at.selectbox if "_group_" in s.key)
    assert group.options == [
        "All but counters (2)",
        "streaming multiprocessors (40)",
        "device memory (30)",
        "All columns (72)",
    ]
    assert set(columns(at).index) == {"program", "time"}
    at = sound(group.set_value("device memory").run())
    assert len(columns(at)) == 30
    at = sound(next(t for t in at.text_input if "_search_" in t.key).set_value("M__1").run())
    assert set(columns(at).index) == {n for n in names if "m__1" in n}


def test_a_machine_is_asked_for_where_no_column_names_it(database, open_page) -> None:
    at = sound(upload(open_page, ("run.csv", b"program,cycles,loads\na,10,1\nb,20,2\n")))
    at.text_input(key="machine_name_0").set_value("my laptop")
    sound(press_import(at))
    assert store().labels("run")["machine"] == ("my laptop",)


def test_machine_metrics_join_from_a_second_file(database, open_page) -> None:
    at = upload(open_page, ("run.csv", CSV))
    at = sound(at.file_uploader(key="upload_machines_0").set_value(("gpus.csv", MACHINES, "text/csv")).run())
    at = sound(press_import(at))
    assert "gpus.csv: joined by machine." in said(at.markdown)
    kinds = {str(m): str(m.kind) for m in store().metric_names("run")}
    assert kinds["clock (GHz)"] == "machine"


def test_several_files_of_one_kind_and_of_two(database, open_page) -> None:
    other = CSV.replace(b"K40", b"P100").replace(b"Titan", b"V100")
    at = sound(upload(open_page, ("a.csv", CSV), ("b.csv.gz", gzip.compress(other))))
    assert len([d for d in at.dataframe if "taken for" in d.value.columns]) == 1
    assert "+ b.csv.gz: 6 rows below" in said(at.caption)
    at = sound(upload(open_page, ("a.csv", CSV), ("c.csv", b"nothing,in common_j\n1,2\n5,3\n")))
    assert len([d for d in at.dataframe if "taken for" in d.value.columns]) == 2


def test_the_same_file_twice_is_recognised(database, open_page) -> None:
    sound(press_import(upload(open_page, ("run.csv", CSV))))
    at = sound(press_import(upload(open_page, ("run.csv", CSV))))
    assert "run.csv was already imported on" in said(at.info)
    assert store().datasets.all()[0].n_trials == 6


def test_a_large_file_is_imported_as_a_job(database, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._trials import receipts
    from pages._ui import jobs

    monkeypatch.setattr(receipts, "_LARGE_BYTES", 10)
    at = press_import(upload(open_page, ("run.csv", CSV)))
    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(PATIENT_S)
    sound(at.run())
    assert said(at.success) == "6 trials stored in dataset **run**, nothing skipped."
    assert [(kind, state) for kind, _, state in jobs_of(store())] == [("import", "done")]


MISSING = CSV.replace(b"2.5", b"few")


def test_a_cell_that_is_no_number_is_refused_by_default(database, open_page) -> None:
    at = press_import(upload(open_page, ("run.csv", MISSING)))
    assert said(at.error) == (
        "run.csv line 4: response 'time' is 'few', expected a number. Fix the row, or choose “Leave out the trial” "
        "for such cells."
    )
    assert store().datasets.all() == ()


@pytest.mark.parametrize(("choice", "n_trials", "n_skipped"), [("drop", 5, 1), ("keep", 6, 0)])
def test_a_cell_that_is_no_number_may_be_left_out(
    database, open_page, choice: str, n_trials: int, n_skipped: int
) -> None:
    at = upload(open_page, ("run.csv", MISSING))
    at.selectbox(key="missing_0").set_value(choice)
    at = sound(press_import(at))
    assert store().datasets.all()[0].n_trials == n_trials
    assert ("1 place skipped" in said(at.success)) == bool(n_skipped)
    skipped = [d.value for d in at.dataframe if "why" in d.value.columns]
    if n_skipped:
        assert skipped[0].loc[0].tolist() == ["line 4", "response 'time' is 'few', expected a number"]
    else:
        assert "cells that are no numbers, taken as missing values: 'time' 1" in said(at.markdown)


@pytest.mark.parametrize(
    ("name", "raw", "sentence"),
    [
        ("empty.csv", b"", "empty.csv is empty: a table needs a row of column names and rows of values."),
        ("dup.csv", b"a,b,a\n1,2,3\n", "dup.csv line 1: two columns are called 'a'. Rename or remove one of them."),
        ("page.csv", b"<html><body>Log in</body></html>", "page.csv seems to be a web page, not a table."),
        ("book.csv", b"PK\x03\x04" + bytes(200), "book.csv is a damaged zip archive or workbook."),
        ("ragged.csv", b"a,b\n1,2\n3\n", "ragged.csv line 3 has 1 cell and the header 2"),
        ("cut.csv.gz", gzip.compress(CSV * 50, mtime=0)[:60], "cut.csv.gz is a gzip file that was cut off."),
        ("prose.txt", b"This is a text, not a table.\nIt goes on.\n", "prose.txt line 2 has 1 cell and the header 2"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(database, open_page, name: str, raw: bytes, sentence: str) -> None:
    at = upload(open_page, (name, raw))
    assert not at.exception
    assert len(at.error) == 1
    assert said(at.error).startswith(sentence)
    assert not [b for b in at.button if b.key == "import"]
    assert store().datasets.all() == ()


def test_words_as_a_response_are_refused(database, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(monkeypatch, size=("taken for", "Response"))
    at = press_import(upload(open_page, ("run.csv", CSV)))
    assert said(at.error).startswith("run.csv line 2: response 'size' holds words, such as 'small'")
    assert store().datasets.all() == ()


def test_a_dataset_needs_a_name(database, open_page) -> None:
    at = upload(open_page, ("run.csv", CSV))
    at.text_input(key="dataset_name_0").set_value("  ")
    assert said(press_import(at).error) == "The dataset needs a name. Give it one above."


def test_too_much_at_once_is_refused(database, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._trials import files as page

    monkeypatch.setattr(page, "_MOST_BYTES", 300)
    at = upload(open_page, ("a.csv", CSV), ("b.csv", CSV))
    assert said(at.error).startswith("These 2 files have 0 MiB together")


def test_hostile_names_are_shown_letter_for_letter(database, open_page) -> None:
    name = "![x](http://evil.example/a.png) $a$ b$ <script>"
    raw = f'program,"{name}",time (s)\n=cmd(),1,2\nb,2,3\n'.encode()
    at = sound(upload(open_page, (f"{name}.csv".replace("/", "_"), raw)))
    at.text_input(key="dataset_name_0").set_value(name)
    at = sound(press_import(at))
    assert at.header[0].value.replace("\\", "").replace("\u2060", "") == name
    assert "![" not in at.header[0].value
    assert at.selectbox(key="dataset").value == name


def test_real_measurements(database, open_page, real_data) -> None:
    folder = real_data / "data" / "aiwc"
    at = upload(open_page, ("trials.csv", (folder / "trials.csv").read_bytes()))
    assert roles(at) == {
        "Application": ["application", "kernel"],
        "Input": ["size"],
        "Machine": ["device"],
        "Response": ["kernel_time_us"],
    }
    devices = ("devices.csv", (folder / "devices.csv").read_bytes(), "text/csv")
    at = sound(at.file_uploader(key="upload_machines_0").set_value(devices).run())
    at = sound(press_import(at))
    assert {m.label: m.value for m in at.metric}["Machines"] == "12"
    assert said(at.success) == "1,056 trials stored in dataset **trials**, nothing skipped."


# --- how a table is written ---


def test_a_table_without_a_header_gets_names(database, open_page) -> None:
    at = upload(open_page, ("runs.csv", b"fft,1,10.5\nfft,2,20.25\nmm,1,11.5\nmm,2,22.75\n"))
    at.selectbox(key="form_header_0").select("no").run()
    at.text_input(key="form_names_0").set_value("program, threads, time (s)").run()
    assert columns(sound(at)).loc["time", "unit"] == "s"
    assert columns(at).loc["time", "taken for"] == "Response"
    at.text_input(key="form_names_0").set_value("program, threads").run()
    assert "3 columns" in said(at.error) or "2 names" in said(at.error)
    at.text_input(key="form_names_0").set_value("").run()  # the choice is still there to be mended
    assert sound(at)


def test_a_sheet_is_chosen(database, open_page) -> None:
    raw = workbook(first=[["app", "time_ms"], ["fft", 1.5], ["mm", 2.5]], second=[["app", "power_w"], ["fft", 90]])
    at = upload(open_page, ("book.xlsx", raw))
    assert "time_ms" in columns(at).index
    at.selectbox(key="form_sheet_0").select("second").run()
    assert "power_w" in columns(sound(at)).index
    at.selectbox(key="form_sheet_0").select("").run()
    told = [m.value for m in sound(press_import(at)).markdown if "Choose one" in m.value]
    assert told
    assert all("How the table is written" in text for text in told)


def test_remedies_name_the_choices_of_the_page() -> None:
    flagged = [text for text in re.findall(r'"([^"]*)"', inspect.getsource(questions)) if "(--" in text]
    assert len(flagged) == 3
    assert not [text for text in map(in_page_words, flagged) if "--" in text]
