"""`ridgeline measure`: each point run, read and stored once, whatever fails, hangs or is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from core.cli import main
from core.cli._command import Template, words
from core.cli._runs import STORED, Entry, Job, Journal, Runner, ended_by_signals
from core.errors import OptionError, RidgelineError
from core.ingest import READERS
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import Builder
from core.store import DatabaseError, Store
from core.trial import Kind

PLAN = "run,width,mode\n001,8,row\n002,16,row\n003,32,two words\n"
SIMULATOR = """
import sys
width, mode = float(sys.argv[1]), sys.argv[2]
print("application,time,cycles")
print(f"sim,{1 / width},{width * 100}")
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    monkeypatch.chdir(tmp_path)
    Path("plan.csv").write_text(PLAN)
    Path("sim.py").write_text(SIMULATOR)

    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(w) for w in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def measure(run: Run, script: str = "sim.py {width} {mode}", *words: object) -> tuple[int, str, str]:
    return run("measure", "plan.csv", "--command", f"{sys.executable} {script}", "--dataset", "d", *words)


def stored(response: str = "time") -> dict[float, float]:
    """Response by width, as the database has it."""
    with Store.open(Path(os.environ["RIDGELINE_DB"])) as store:
        frame = store.frame("d", response)
    return dict(zip(frame.X[:, frame.names.index("width")].tolist(), frame.y.tolist(), strict=True))


PERF = """
import sys
width = float(sys.argv[1])
print(f" Performance counter stats for './mul --fast {width:g} 7':\\n\\n {width * 100:,.0f}      cycles\\n")
print(f"       {1 / width:.9f} seconds time elapsed\\n")
"""


def test_what_was_set_is_not_told_again_by_the_command_that_was_measured(run: Run) -> None:
    Path("perf.py").write_text(PERF)
    assert measure(run, "perf.py {width}")[0] == 0
    with Store.open(Path(os.environ["RIDGELINE_DB"])) as store:
        frame = store.frame("d", "time_s")
        labels = store.labels("d")
    assert set(frame.labels["application"]) == {"mul"}
    assert sorted(frame.names) == ["cycles", "mode=row", "mode=two words", "width"]
    assert set(labels) >= {"command", "mode"}
    assert "fast" not in labels


def test_every_point_is_run_and_stored_with_its_parameters(run: Run) -> None:
    code, out, err = measure(run, "sim.py {width} {mode}", "--response", "time:s", "--jobs", 2, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["n_runs"], found["n_stored"], found["failed"]) == (3, 3, [])
    assert stored() == {8.0: 1 / 8, 16.0: 1 / 16, 32.0: 1 / 32}
    with Store.open(Path(os.environ["RIDGELINE_DB"])) as store:
        kinds = {m.name: m.kind for m in store.metric_names("d")}
        labels = store.labels("d")
        settings = store.frame("d", "time").configuration
    assert kinds["width"] == Kind.PARAMETER
    assert kinds["time"] == Kind.RESPONSE
    assert labels["mode"] == ("row", "two words")
    assert labels["run"] == ("001", "002", "003")
    (plan,) = labels["plan"]
    assert plan == f"plan.csv {sha256(Path('plan.csv').read_bytes()).hexdigest()[:8]}"
    with Store.open(Path(os.environ["RIDGELINE_DB"])) as store:
        assert [(one.title, len(one.ids)) for one in store.datasets.arrivals("d")] == [(plan, 3)]
    assert len(set(settings.tolist())) == 3
    assert Path("plan.runs/003.out").read_text().startswith("application")


def test_what_the_results_are_taken_for_is_told(run: Run) -> None:
    out = measure(run)[1]
    assert "  application: application – named like an application\n" in out
    assert "question: What is the unit of time?" in out


def test_a_finished_series_runs_nothing_again(run: Run) -> None:
    Path("sim.py").write_text(SIMULATOR + "\nopen('count', 'a').write('x')\n")
    measure(run, "sim.py {width} {mode}", "--response", "time:s")
    code, _, err = measure(run, "sim.py {width} {mode}", "--response", "time:s")
    assert code == 2
    assert "--resume" in err
    code, out, _ = measure(run, "sim.py {width} {mode}", "--response", "time:s", "--resume")
    assert (code, Path("count").read_text()) == (0, "xxx")
    assert "3 of 3 runs stored" in out
    code, _, err = measure(run, "sim.py {mode} {width}", "--response", "time:s", "--resume")
    assert code == 2
    assert "its command was" in err


def test_equal_outputs_of_different_points_are_different_trials(run: Run) -> None:
    Path("sim.py").write_text("print('application,time,cycles')\nprint('sim,1.5,7')")
    assert measure(run, "sim.py {width} {mode}", "--response", "time:s")[0] == 0
    assert stored() == {8.0: 1.5, 16.0: 1.5, 32.0: 1.5}


def test_equal_outputs_of_two_series_are_repeats(run: Run) -> None:
    Path("sim.py").write_text("print('application,time,cycles')\nprint('sim,1.5,7')")
    for log in ("first", "second"):
        assert measure(run, "sim.py {width}", "--response", "time:s", "--log", log)[0] == 0
    assert "d: 6 trials" in run("datasets")[1]


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_series_that_goes_on_is_the_same_one(run: Run, forgotten: bool) -> None:
    """Also where its journal was begun before series had an id."""
    journal = Path("plan.runs/journal.jsonl")
    assert measure(run)[0] == 0
    first, *rest = journal.read_text().splitlines()
    about = {key: value for key, value in json.loads(first).items() if not (forgotten and key == "series")}
    journal.write_text("\n".join([json.dumps(about), *rest[:-1], ""]))  # killed before the last was known to be stored
    if forgotten:
        assert run("datasets", "--remove", "d")[0] == 0
        assert measure(run, "sim.py {width} {mode}", "--resume")[0] == 0
        journal.write_text("\n".join([json.dumps(about), *rest[:-1], ""]))
    assert measure(run, "sim.py {width} {mode}", "--resume")[0] == 0
    assert "d: 3 trials" in run("datasets")[1]


def test_failures_are_told_and_can_be_run_again(run: Run) -> None:
    Path("sim.py").write_text(
        "import sys, os\nif sys.argv[1] == '16' and not os.path.exists('mended'): sys.exit('no such width')" + SIMULATOR
    )
    code, out, _ = measure(run, "sim.py {width} {mode}", "--response", "time:s", "--json")
    found = json.loads(out)
    assert (code, found["n_stored"]) == (1, 2)
    assert found["failed"] == [{"run": "002", "why": "it ended with exit code 1"}]
    Path("mended").touch()
    code, out, _ = measure(run, "sim.py {width} {mode}", "--response", "time:s", "--resume", "--json")
    assert (code, json.loads(out)["n_stored"]) == (0, 3)
    assert len(stored()) == 3


def test_retries(run: Run) -> None:
    flaky = (
        "import os, sys\nname = 'tried' + sys.argv[1]\nif not os.path.exists(name):\n    open(name, 'w'); sys.exit(1)\n"
    )
    Path("sim.py").write_text(flaky + SIMULATOR)
    found = json.loads(measure(run, "sim.py {width} {mode}", "--response", "time:s", "--retries", 1, "--json")[1])
    assert found["n_stored"] == 3
    lines = [json.loads(line) for line in Path("plan.runs/journal.jsonl").read_text().splitlines()]
    assert {line["attempts"] for line in lines[1:]} == {2}


@pytest.mark.slow
def test_a_command_that_hangs_is_stopped_with_its_children(run: Run) -> None:
    Path("sim.py").write_text(
        "import os, subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open('new' + sys.argv[1], 'w').write(str(p.pid))\nos.rename('new' + sys.argv[1], 'child' + sys.argv[1])\ntime.sleep(600)\n"
    )
    children = [Path(name) for name in ("child8", "child16", "child32")]
    for seconds, more in ((0.7, ()), (7, ("--resume",)), (70, ("--resume",))):  # a busy machine starts them late
        code, _, err = measure(run, "sim.py {width} {mode}", "--timeout", seconds, "--jobs", 3, *more)
        assert code == 2
        assert "None of 3 runs succeeded" in err
        assert f"longer than {seconds} s" in err
        if all(child.exists() for child in children):
            break
    for child in children:
        pid, end = int(child.read_text()), time.monotonic() + 60
        while _alive(pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_result_that_cannot_be_read_is_that_runs_failure(run: Run) -> None:
    Path("sim.py").write_text("import sys\nif sys.argv[1] == '8': print('Segmentation fault'); sys.exit()" + SIMULATOR)
    found = json.loads(measure(run, "sim.py {width} {mode}", "--response", "time:s", "--json")[1])
    assert found["n_stored"] == 2
    assert found["failed"][0]["run"] == "001"
    assert "its result cannot be stored: 001.out" in found["failed"][0]["why"]


def test_an_output_that_contradicts_the_plan_is_refused(run: Run) -> None:
    Path("sim.py").write_text("print('application,width,time,x')\nprint('sim,8,1,2')")
    found = json.loads(measure(run, "sim.py {width} {mode}", "--response", "time:s", "--json")[1])
    assert [f["run"] for f in found["failed"]] == ["002", "003"]
    assert "'width' is 8, but the plan says 16" in found["failed"][0]["why"]


def test_the_command_may_write_a_file(run: Run) -> None:
    Path("sim.py").write_text(
        SIMULATOR.replace("print(", "print(file=open(sys.argv[3], 'a'), *(").replace('")\n', '",))\n')
    )
    code, out, err = measure(
        run, "sim.py {width} {mode} {log}/{run}.csv", "--output", "{log}/{run}.csv", "--response", "time:s", "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["n_stored"] == 3
    Path("sim.py").write_text("pass")
    code, _, err = measure(run, "sim.py {width} {mode}", "--output", "none/{run}.csv", "--log", "again")
    assert code == 2
    assert "did not write none/001.csv" in err


class Fake(Reader):
    """A format of one number."""

    label = "fake"

    def sniff(self, head: bytes) -> bool:
        return head.startswith(b"took ")

    def read(self, file: SourceFile, mapping: object = None):
        builder = Builder(file.name, "0" * 64, format="fake")
        t = builder.trial("fake")
        builder.put(t, "time_s", float(file.content.split()[1]), "ms", Kind.RESPONSE)
        return builder.build()


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--reader", "fake")])
def test_readers_of_other_formats(run: Run, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS._names, "fake", __name__)
    Path("sim.py").write_text("import sys\nprint('took', sys.argv[1])")
    assert measure(run, "sim.py {width} {mode}", "--machine-name", "m", *words)[0] == 0
    assert stored("time_s") == {8.0: 0.008, 16.0: 0.016, 32.0: 0.032}


def test_units_and_levels_from_the_space(run: Run) -> None:
    Path("space.toml").write_text(
        '[parameters.width]\nunit = "lanes"\nlevels = [8, 16, 32]\n[parameters.mode]\nvalues = ["row", "two words"]\n'
    )
    assert measure(run, "sim.py {width} {mode}", "--space", "space.toml", "--response", "time:s")[0] == 0
    with Store.open(Path(os.environ["RIDGELINE_DB"])) as store:
        assert {m.name: m.unit for m in store.metric_names("d")}["width"] == "lanes"
    Path("space.toml").write_text(
        '[parameters.width]\nlevels = [8, 16]\n[parameters.mode]\nvalues = ["row", "two words"]\n'
    )
    code, _, err = measure(run, "sim.py {width} {mode}", "--space", "space.toml", "--log", "again")
    assert code == 2
    assert "no level of width" in err


def test_wrong_wishes_are_one_sentence(run: Run) -> None:
    for script, more, says in (
        ("sim.py {depth}", (), "--command has {depth}"),
        ("sim.py 'x", (), "cannot be split"),
        ("sim.py {width}", ("--output", "same.csv"), "the same file for every run"),
        ("sim.py {width}", ("--reader", "nothing"), "no reader 'nothing'"),
        ("sim.py {width}", ("--jobs", 0), "--jobs must be at least 1"),
        ("sim.py {width}", ("--timeout", "nan"), "--timeout over 0"),
    ):
        code, _, err = measure(run, script, "--log", "x", *more)
        assert code == 2
        assert says in err
        assert err.count("\n") == 1
    code, _, err = run("measure", "plan.csv", "--command", "/no/such/program {width}", "--dataset", "d", "--log", "y")
    assert code == 2
    assert "'/no/such/program' cannot be run" in err


def test_words_are_quoted_and_no_shell_sees_them() -> None:
    values = {"a": "x; rm -rf / $(id)", "b": "8"}
    assert words(Template("sim --mode={a} -w {b} '{{}}'"), values) == (
        "sim",
        "--mode=x; rm -rf / $(id)",
        "-w",
        "8",
        "{}",
    )
    assert words(Template("sim {a}"), values, shell=True) == ("/bin/sh", "-c", "sim 'x; rm -rf / $(id)'")
    marked = {**values, "a b": "two words"}
    assert words(Template("sim '{a b}' \"{b}\" x={a b}"), marked) == ("sim", "two words", "8", "x=two words")
    assert words(Template("sim '{b}' {a b}"), marked, shell=True)[2] == "sim '8' 'two words'"
    with pytest.raises(OptionError, match="in quotation marks, in which a shell would change the value 'x; rm"):
        words(Template("sim '{b}' \"{a}\""), values, shell=True)
    with pytest.raises(OptionError, match="is empty"):
        words(Template("  "), values)


WRITER = (
    "open(__import__('sys').argv[2], 'w').write(f'application,time\\nsim,{1 / float(__import__(\"sys\").argv[1])}\\n')"
)


def test_the_command_may_write_where_its_output_would_go(run: Run) -> None:
    Path("sim.py").write_text(WRITER)
    told = "sim.py {width} {log}/{run}.out", "--output", "{log}/{run}.out", "--response", "time:s"
    assert measure(run, *told)[0] == 0
    assert stored() == {8.0: 1 / 8, 16.0: 1 / 16, 32.0: 1 / 32}


def test_what_is_there_before_the_first_run_stays(run: Run) -> None:
    Path("002.csv").write_text("precious")
    Path("003.csv").mkdir()
    code, _, err = measure(run, "sim.py {width} {mode}", "--output", "{run}.csv")
    assert code == 2
    assert "002.csv, which the command is to write, is there already" in err
    assert Path("002.csv").read_text() == "precious"


def test_results_of_a_dataset_that_is_gone_are_stored_again(run: Run) -> None:
    assert measure(run, "sim.py {width} {mode}", "--response", "time:s")[0] == 0
    assert run("datasets", "--remove", "d")[0] == 0
    Path("sim.py").unlink()  # nothing runs again
    assert measure(run, "sim.py {width} {mode}", "--response", "time:s", "--resume")[0] == 0
    assert stored() == {8.0: 1 / 8, 16.0: 1 / 16, 32.0: 1 / 32}


def test_a_journal_survives_a_torn_line_and_refuses_a_second_writer(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_bytes(b'{"plan": "')
    with Journal(tmp_path, {"plan": "p"}, resume=False) as journal:
        journal.write(Entry("001", STORED))
        with pytest.raises(RidgelineError, match="Another process"), Journal(tmp_path, {"plan": "p"}, resume=True):
            pass
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b'{"run": "002", "sta')
    with Journal(tmp_path, {"plan": "p"}, resume=True) as journal:
        assert (journal.state("001"), journal.state("002")) == (STORED, "")
        journal.write(Entry("002", STORED))
    with Journal(tmp_path, {"plan": "p"}, resume=True) as journal:
        assert journal.state("002") == STORED


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 2])
def test_killed_at_any_moment_and_resumed(run: Run, at: int, tmp_path: Path) -> None:
    """The process is killed while run `at` + 1 is under way: what was stored stays, and nothing is stored twice."""
    Path("sim.py").write_text(
        f"import sys, os, time\nif sys.argv[1] == '{[8, 16, 32][at]}' and not os.path.exists('go'): time.sleep(30)"
        + SIMULATOR
    )
    command = [
        sys.executable,
        "-m",
        "core.cli",
        "measure",
        "plan.csv",
        "--command",
        f"{sys.executable} sim.py {{width}} {{mode}}",
        "--dataset",
        "d",
        "--response",
        "time:s",
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    journal = tmp_path / "plan.runs" / "journal.jsonl"
    while not (journal.exists() and journal.read_text().count('"stored"') >= at):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    Path("go").touch()
    code, out, err = measure(run, "sim.py {width} {mode}", "--response", "time:s", "--resume", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["n_stored"] == 3
    assert stored() == {8.0: 1 / 8, 16.0: 1 / 16, 32.0: 1 / 32}


TOLD = """
import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from core.cli import main
raise SystemExit(main())
"""
"""The program, told of a terminal that closes even where tests run without one, as under nohup."""


@pytest.mark.slow
def test_a_signal_that_ends_the_program_ends_its_commands(run: Run) -> None:
    Path("sim.py").write_text("import os, time\nopen('pid', 'w').write(f'{os.getpid()}\\n')\ntime.sleep(600)\n")
    words = ["measure", "plan.csv", "--command", f"{sys.executable} sim.py", "--dataset", "d", "--log"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    for how in (signal.SIGTERM, signal.SIGHUP):
        Path("pid").unlink(missing_ok=True)
        process = subprocess.Popen([sys.executable, "-c", TOLD, *words, how.name], env=environment)
        while not (Path("pid").exists() and Path("pid").read_text()):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(how)
        assert process.wait(60) == 128 + how
        assert not _alive(int(Path("pid").read_text()))


def test_a_signal_that_does_not_interrupt_the_wait_for_commands_ends_them_too(run: Run) -> None:
    writes = "import time; open('begun', 'w'); time.sleep(3); open('ended', 'w')"

    def told() -> None:
        while not Path("begun").exists():
            time.sleep(0.01)
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)  # this thread takes it: the other goes on waiting

    threading.Thread(target=told).start()
    with pytest.raises(SystemExit, match=str(128 + signal.SIGTERM)), ended_by_signals():
        list(Runner(1, None, 0).run([Job("001", (sys.executable, "-c", writes), Path("001.out"))]))
    assert not Path("ended").exists()


def test_what_an_orphan_still_writes_is_not_in_a_file_of_the_next_attempt(run: Run) -> None:
    Path("plan.runs").mkdir()
    names = [f"plan.runs/{name}" for name in ("001.out.part", "001.err")]
    orphans = [Path(name).open("w") for name in names]  # noqa: SIM115
    assert measure(run)[0] == 0
    for orphan in orphans:
        orphan.write("13.75")
        orphan.close()
    assert [Path(name).read_text() for name in ("plan.runs/001.out", "plan.runs/001.err")] == [
        "application,time,cycles\nsim,0.125,800.0\n",
        "",
    ]


def test_what_ran_but_was_not_stored_is_stored_without_running_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sim.py").write_text(SIMULATOR + "\nopen('count', 'a').write(f'<{sys.argv[1]}>')\n")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("core.cli.measure.store_or_deliver", killed)
        assert measure(run, "sim.py {width} {mode}", "--response", "time:s")[0] == 130
    assert "<8>" in Path("count").read_text()
    assert measure(run, "sim.py {width} {mode}", "--response", "time:s", "--resume")[0] == 0
    assert Path("count").read_text().count("<8>") == 1
    assert len(stored()) == 3


def test_nothing_runs_whose_result_could_not_be_stored(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sim.py").write_text(SIMULATOR + "\nopen('count', 'a').write('x')\n")
    command = [sys.executable, "sim.py", "{width}", "{mode}"]
    assert "A dataset needs a name" in run("measure", "plan.csv", "--command", " ".join(command), "--dataset", "")[2]
    with monkeypatch.context() as patched:
        patched.setenv("RIDGELINE_DB", "none/x.duckdb")
        assert measure(run)[0] == 2
    assert not Path("count").exists()
    assert measure(run)[0] == 0  # as no journal of another dataset was begun


def test_what_the_database_could_not_store_is_stored_when_it_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sim.py").write_text(SIMULATOR + "\nopen('count', 'a').write(f'<{sys.argv[1]}>')\n")

    def full(*_: object) -> None:
        raise DatabaseError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr("core.cli.measure.store_or_deliver", full)
        code, _, err = measure(run)
    assert (code, "--resume stores it" in err, err.count("\n")) == (2, True, 1)
    assert measure(run, "sim.py {width} {mode}", "--resume")[0] == 0
    assert Path("count").read_text().count("<8>") == 1
    assert len(stored()) == 3


@pytest.mark.parametrize("said", ["size: 64\ntime: {t} s", "Elapsed: {t} s", '{{"size": 64, "time": {t}}}'])
def test_a_program_that_says_its_own_time_is_a_trial_of_the_plan(run: Run, said: str) -> None:
    Path("sim.py").write_text(f"import sys\nprint({said!r}.format(t=1 / float(sys.argv[1])))")
    code, out, err = measure(run, "sim.py {width}")
    assert code == 0, err
    assert out.startswith("3 of 3 runs stored in d")
    assert "no model can be learnt" not in out  # the plan has what differs
    assert set(stored("Elapsed" if said.startswith("E") else "time")) == {8.0, 16.0, 32.0}
