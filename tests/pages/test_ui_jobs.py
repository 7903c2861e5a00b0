"""Long work: watched, stopped, failed, done, and in the store's list of jobs."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import FitError
from tests.made import jobs_of
from tests.pages.conftest import PATIENT_S


def _script() -> None:
    import streamlit as st
    from tests_pages_work import work

    from pages._ui import jobs

    job = jobs.submit("test", "A *long* job", work, "job:1")
    if jobs.watch(job, "watched"):
        st.write(f"result {job.result}")


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch, database):
    """Let a test say what the job does."""
    import sys
    import types

    module = types.ModuleType("tests_pages_work")
    monkeypatch.setitem(sys.modules, "tests_pages_work", module)

    def given(function) -> AppTest:
        module.work = function
        return AppTest.from_function(_script, default_timeout=600)

    return given


def states() -> list[tuple[str, str]]:
    from pages._ui.database import store

    return [(kind, state) for kind, _, state in jobs_of(store())]


def ended() -> None:
    from pages._ui import jobs

    job = jobs.find("job:1")
    assert job is not None
    assert job.wait(PATIENT_S)


def test_progress_then_result(work) -> None:
    gate = threading.Event()

    def long(progress) -> int:
        progress(0.25, "folds *1* of 4")
        gate.wait(PATIENT_S)
        return 42

    at = work(long).run()
    assert states() == [("test", "running")]
    assert not at.markdown
    assert at.button(key="watched_stop").label == "Stop"
    gate.set()
    ended()
    at.run()
    assert at.markdown[0].value == "result 42"
    assert states() == [("test", "done")]


def test_the_bar_says_how_far_the_work_is_and_what_is_left(work, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._ui import jobs

    begun, gate, now = threading.Event(), threading.Event(), [0.0]
    monkeypatch.setattr("core.progress.monotonic", lambda: now[0])

    def long(progress) -> None:
        now[0] = 1200.0
        progress(0.25, "folds *1* of 4")
        begun.set()
        gate.wait(PATIENT_S)

    at = work(long).run()
    try:
        assert begun.wait(PATIENT_S)
        job = jobs.find("job:1")
        assert job is not None
        at.run()
        bar = at.get("progress")[0].proto
        assert bar.value == 25
        assert bar.text == "A \\*long\\* job\\: folds \\*1\\* of 4; about 60 min left"
    finally:
        gate.set()


def test_what_is_at_its_end_has_no_time_left() -> None:
    from core.jobs import Job
    from pages._ui import jobs

    assert [jobs.left_of(Job("a job", fraction=share, started=1.0)) for share in (0.0, 1.0)] == ["", ""]


def test_stop(work) -> None:
    from pages._ui import jobs

    def endless(progress) -> None:
        while True:
            progress(0.5, "working")

    at = work(endless).run()
    at.button(key="watched_stop").click().run()
    ended()
    assert states() == [("test", "cancelled")]
    assert jobs.find("job:1").state == "cancelled"


def test_a_users_error_is_shown_as_it_is(work) -> None:
    def fails(progress) -> None:
        raise FitError("Stepwise needs more trials than terms.")

    at = work(fails).run()
    ended()
    at.run()
    assert at.error[0].value == "Stepwise needs more trials than terms\\."
    assert states() == [("test", "failed")]


def test_a_bug_is_a_reference_on_the_page_and_a_trace_in_the_log(work, caplog: pytest.LogCaptureFixture) -> None:
    def broken(progress) -> None:
        raise KeyError("secret")

    at = work(broken).run()
    ended()
    at.run()
    assert "secret" not in at.error[0].value
    assert "secret" in caplog.text


def test_the_same_key_is_the_same_job(work) -> None:
    calls = []
    at = work(lambda progress: calls.append(1)).run()
    ended()
    at.run()
    at.run()
    assert calls == [1]
    assert len(states()) == 1


def test_old_results_are_let_go_of(database) -> None:
    from pages._ui import jobs

    for i in range(jobs._MOST_KEPT + 5):
        assert jobs.submit("test", "short", lambda progress: "result", f"job:{i}").wait(PATIENT_S)
    assert [i for i in range(jobs._MOST_KEPT + 5) if jobs.find(f"job:{i}") is None] == [0, 1, 2, 3, 4]


def _moving_script() -> None:
    import streamlit as st
    from tests_pages_work import work

    from pages._ui.jobs import computed

    computed("test", "A job", str(st.query_params.get("of", "1")), work, wait_s=0.0)


@pytest.mark.parametrize("another_watches", [True, False])
def test_a_job_that_another_session_watches_goes_on(
    work, monkeypatch: pytest.MonkeyPatch, another_watches: bool
) -> None:
    from pages._ui import jobs

    gate = threading.Event()

    def long(progress) -> int:
        while not gate.wait(0.01):
            progress(0.5, "half")
        return 42

    work(long)
    tab, other = (AppTest.from_function(_moving_script, default_timeout=600) for _ in "ab")
    monkeypatch.setattr(jobs, "_session", lambda: "one")
    tab.run()
    if another_watches:
        monkeypatch.setattr(jobs, "_session", lambda: "another")
        other.run()
        monkeypatch.setattr(jobs, "_session", lambda: "one")
    job = jobs.find("test-1")
    tab.query_params["of"] = "2"
    tab.run()
    if another_watches:
        assert not job.wait(0.5)
        gate.set()
        assert job.wait(PATIENT_S)
        assert (job.state, job.result) == ("done", 42)
    else:
        assert job.wait(PATIENT_S)
        assert job.state == "cancelled"
        gate.set()
    jobs.find("test-2").wait(PATIENT_S)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "goes_on"), [("validate", False), ("race", True), ("import", True)])
def test_a_job_ends_once_nobody_is_left_unless_it_keeps_what_it_finds(
    monkeypatch: pytest.MonkeyPatch, database, kind: str, goes_on: bool
) -> None:
    from pages._ui import jobs

    monkeypatch.setattr(jobs, "_RELOAD_S", 0.2)
    monkeypatch.setattr(jobs, "_is_open", lambda session: False)
    gate = threading.Event()

    def long(progress) -> int:
        while not gate.wait(0.01):
            progress(0.5, "half")
        return 42

    job = jobs.submit(kind, "A job", long, "job:1")
    assert job.wait(1.0 if goes_on else PATIENT_S) == (not goes_on)
    gate.set()
    assert job.wait(PATIENT_S)
    assert job.state == ("done" if goes_on else "cancelled")
    assert (jobs.find("job:1") is None) == (not goes_on)  # who asks again starts it again


def test_a_job_of_an_open_tab_goes_on_while_another_page_is_in_view(monkeypatch: pytest.MonkeyPatch, database) -> None:
    from pages._ui import jobs

    monkeypatch.setattr(jobs, "_RELOAD_S", 0.0)
    monkeypatch.setattr(jobs, "_is_open", lambda session: True)
    job = jobs.submit("validate", "A job", lambda progress: [progress(i / 9, "goes on") for i in range(9)], "job:1")
    assert job.wait(PATIENT_S)
    assert job.state == "done"


def test_races_keep_no_short_job_waiting(database) -> None:
    from pages._ui import jobs

    gate = threading.Event()
    races = [
        jobs.submit(kind, kind, lambda progress: gate.wait(PATIENT_S), kind)
        for kind in ("race", "experiment", "scaling race")
    ]
    short = jobs.submit("validate", "A short job", lambda progress: 42, "short")
    assert short.wait(PATIENT_S)
    gate.set()
    assert all(race.wait(PATIENT_S) for race in races)


def _together_script() -> None:
    import streamlit as st
    from tests_pages_work import work

    from pages._ui.jobs import computed, one_bar

    with one_bar("bar", st.container()):
        for name in ("first", "second"):
            if (found := computed(name, f"A {name} job", name, work, wait_s=0.0)) is not None:
                st.write(f"{name}: {found}")


def _named_script() -> None:
    from tests_pages_work import work

    from pages._ui.jobs import computed

    computed("named", "A *long* job", "named", work)


def test_a_name_in_what_is_waited_for_is_shown_letter_for_letter(work, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import nullcontext

    import streamlit as st

    said: list[str] = []
    shown = threading.Event()  # a job that has ended before is not waited for
    monkeypatch.setattr(st, "spinner", lambda text: nullcontext((said.append(text), shown.set())))
    work(lambda progress: shown.wait(PATIENT_S))
    AppTest.from_function(_named_script, default_timeout=600).run()
    assert said == [r"A \*long\* job …"]


def test_what_is_waited_for_together_has_one_bar_and_one_way_to_stop(work) -> None:
    from pages._ui import jobs

    def endless(progress) -> None:
        while True:
            progress(0.5, "half")

    work(endless)
    at = AppTest.from_function(_together_script, default_timeout=600).run()
    assert [bar.proto.text.partition("\\")[0] for bar in at.get("progress")] == ["A first job"]
    at.button(key="bar_stop").click().run()
    for name in ("first", "second"):
        job = jobs.find(f"{name}-{name}")
        assert job is not None
        assert job.wait(PATIENT_S)
        assert job.state == "cancelled"
