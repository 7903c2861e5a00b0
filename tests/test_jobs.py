"""Jobs report, stop when asked, survive their caller, and turn bugs into references."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.errors import FitError, StoreError
from core.jobs import Job, JobRunner, JobState
from core.progress import Progress, part

PATIENT_S = 120
"""How long a busy machine may take to what is done at once elsewhere."""


@pytest.fixture
def runner():
    runner = JobRunner(workers=1)
    yield runner
    runner.close()


def test_a_job_ends_with_its_result(runner: JobRunner) -> None:
    job = runner.submit("adding", lambda progress: 1 + 1)
    assert job.wait(PATIENT_S)
    assert (job.state, job.result, job.fraction) == (JobState.DONE, 2, 1.0)


def test_cancel_stops_at_the_next_report(runner: JobRunner) -> None:
    started, steps = threading.Event(), []

    def work(progress: Progress) -> None:
        for i in range(100_000):
            progress(i / 100_000, f"step {i}")
            steps.append(i)
            started.set()

    job = runner.submit("counting", work)
    assert started.wait(PATIENT_S)
    job.cancel()
    assert job.wait(PATIENT_S)
    assert job.state == JobState.CANCELLED
    assert len(steps) < 100_000


def test_a_queued_job_can_be_cancelled(runner: JobRunner) -> None:
    gate = threading.Event()
    first = runner.submit("waiting", lambda progress: gate.wait(PATIENT_S))
    second = runner.submit("never", lambda progress: 1)
    second.cancel()
    gate.set()
    assert first.wait(PATIENT_S)
    assert second.wait(PATIENT_S)
    assert (first.state, second.state) == (JobState.DONE, JobState.CANCELLED)


def test_errors_of_users_and_bugs_are_told_apart(runner: JobRunner) -> None:
    def refuse(progress: Progress) -> None:
        raise FitError("Too few trials.")

    def bug(progress: Progress) -> None:
        raise ZeroDivisionError

    mine, ours = runner.submit("a", refuse), runner.submit("b", bug)
    assert mine.wait(PATIENT_S)
    assert ours.wait(PATIENT_S)
    assert (mine.error, mine.trace) == ("Too few trials.", "")
    assert ours.id[:8] in ours.error
    assert "ZeroDivisionError" in ours.trace


def test_same_id_is_the_same_job(runner: JobRunner) -> None:
    one = runner.submit("a", lambda progress: 1, id="x")
    assert runner.submit("a", lambda progress: 2, id="x") is one
    assert one.wait(PATIENT_S)
    assert runner.find("x") is one
    runner.forget("x")
    assert runner.find("x") is None


def test_parts_of_progress() -> None:
    seen = []
    inner = part(lambda f, m: seen.append((round(f, 3), m)), 0.2, 0.6)
    inner(0.5, "half")
    assert seen == [(0.4, "half")]


ENDING = """
import time
from core.jobs import JobRunner
def work(progress):
    for i in range(10_000):
        progress(i / 10_000, "")
        time.sleep(0.02)
    print("done")
job = JobRunner().submit("long", work)
while job.state != "running":
    time.sleep(0.01)
"""


def test_a_program_that_ends_does_not_wait_for_its_jobs_to_be_done() -> None:
    root = Path(__file__).resolve().parents[1]
    ended = subprocess.run(
        [sys.executable, "-c", ENDING], cwd=root, capture_output=True, timeout=150, check=True
    )  # the job takes 200 s
    assert (ended.stdout, ended.stderr) == (b"", b"")


def test_a_job_that_computes_lets_others_answer() -> None:
    """A thread that waits a hundred times, as a page does, is kept from going on by much less than Python's 5 ms each."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.005)
    try:
        runner = JobRunner(workers=1)
        assert sys.getswitchinterval() < 0.001
        runner.close()
    finally:
        sys.setswitchinterval(before)


def test_a_runner_waits_only_so_long() -> None:
    runner, begun, go_on = JobRunner(workers=1), threading.Event(), threading.Event()
    job = runner.submit("deaf", lambda progress: (begun.set(), go_on.wait(PATIENT_S)))
    assert begun.wait(PATIENT_S)
    runner.close(timeout_s=0.1)
    assert not job.ended
    go_on.set()
    assert job.wait(PATIENT_S)


@pytest.mark.parametrize(("error", "settled"), [(FitError, True), (StoreError, False), (ValueError, False)])
def test_the_same_is_worth_another_try_unless_the_fault_is_in_what_was_asked(
    runner: JobRunner, error: type[Exception], settled: bool
) -> None:
    def fails(progress: Progress) -> None:
        raise error("It fails.")

    job = runner.submit("fails", fails)
    assert job.wait(PATIENT_S)
    assert job.settled is settled


def test_the_time_left_runs_down_between_reports_and_is_not_told_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("core.progress.monotonic", lambda: now[0])
    job = Job("a job")
    for passed, share, left_s in ((0.0, 0.0, None), (60.0, 0.5, 60.0), (40.0, 0.5, 20.0), (20.0, 0.5, None)):
        now[0] += passed
        job.report(share, "at it")
        assert job.pace.left_s == left_s


def test_the_time_left_follows_from_what_was_done_since_the_first_that_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes took a minute to start, or nine of ten fits were known before."""
    now = [0.0]
    monkeypatch.setattr("core.progress.monotonic", lambda: now[0])
    for told, left_s in (
        (((0.0, 0.0), (60.0, 0.01), (63.0, 0.04)), 96.0),
        (((0.0, 0.0), (60.0, 0.01), (61.0, 0.02)), None),
        (((0.0, 0.9), (2.0, 0.92), (5.0, 0.95)), 5.0),
    ):
        job = Job("a job")
        for at, share in told:
            now[0] = at
            job.report(share, "at it")
        assert job.pace.left_s == (None if left_s is None else pytest.approx(left_s))
