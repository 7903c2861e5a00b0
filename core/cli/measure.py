"""`ridgeline measure`: run a command for every point of a plan and import each result as it comes."""

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.cli._command import Template, with_point, words
from core.cli._deliver import store_or_deliver
from core.cli._recognised import recognised_lines
from core.cli._runs import FAILED, NAME, RAN, STORED, Entry, Job, Journal, Runner, ended_by_signals
from core.cli._space import load_plan, load_space
from core.cli.base import Arguments, Parser, Report, Verb, flag, open_store, progress, timed
from core.cli.import_ import mapping_of
from core.codec import Frozen, fields_of
from core.errors import OptionError, ReadError, RidgelineError, StoreError
from core.ingest import READERS, Dropped, Mapping, Part, Recognition, SourceFile, drop, parts_of
from core.ingest.files import read_bytes
from core.ingest.joining.logs import programs_of, table_of
from core.ingest.readers.csv import Csv
from core.space.design_space import Level
from core.space.plan import RUN, Plan, codes_of, shown
from core.store import DatabaseError, OwnedError
from core.trial import PLAN

LOG = "log"
_TOLD = 5


class MeasureVerb(Verb):
    """Run a command for every point of a plan, and import each result as it comes."""

    group = "explore a design space"
    examples = (
        "ridgeline measure plan.csv --command './simulator {width} {depth}' --reader csv --dataset runs --jobs 2",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "plan PLAN.csv")
        help = (
            "split into words and filled in per point with the plan's columns, {run} and {log}; "
            "no shell sees it, so there are no pipes, redirections or wildcards"
        )
        flag(parser, "--command '… {parameter} …'", help, required=True)
        flag(parser, "--shell", "give the command to /bin/sh instead, each value quoted")
        flag(parser, "--dataset NAME", "what the results are imported into", required=True)
        flag(parser, "--reader NAME", "of the results; found by content if not given")
        flag(parser, "--output '{log}/{run}.out'", "the file that the command writes; its standard output if not given")
        flag(parser, "--jobs N", "commands at once", default=1)
        flag(parser, "--timeout S", "seconds after which a command is stopped; never if not given", type=float)
        flag(parser, "--retries N", "further attempts after a failure (0)", default=0)
        flag(parser, "--log FOLDER", "journal and files of each run; PLAN.runs if not given")
        flag(parser, "--resume", "go on where a series was interrupted")
        flag(parser, "--space SPACE.toml", "checks the points, and gives the parameters' units")
        flag(parser, "--application COL[,COL]", "of a CSV result; see import")
        flag(parser, "--input COL[,COL]", "likewise")
        flag(parser, "--machine-name NAME", "the machine, if the results do not say")
        flag(parser, "--response COL[:UNIT]", "likewise; may be given several times", several=True)
        unsaid = dict.fromkeys(("machine", "parameter", "ignore", "names"))
        parser.set_defaults(**unsaid, missing="refuse", decimal="", header="", sheet="")

    @timed
    def run(self, a: Arguments) -> Report:
        """Run what is not done yet, store each result, report."""
        series = _series(a)
        if series.output and not (a.resume and (series.log / NAME).is_file()):
            _refuse_results(series)
        with ended_by_signals(), Journal(series.log, series.about, resume=a.resume) as journal:
            _measure(a, series, journal)
            entries = [journal.entries.get(run) for run in series.plan.runs]
        failed = [e for e in entries if e is not None and e.state == FAILED]
        n_stored = sum(e is not None and e.state == STORED for e in entries)
        if failed and not n_stored:
            raise RidgelineError(f"None of {len(failed)} runs succeeded; the first: {_said(failed[0], series)}")
        counts = {"n_runs": len(series.plan), "n_stored": n_stored}
        told = [fields_of(entry, "run why") for entry in failed]
        plain = {"dataset": a.dataset, **counts, "failed": told, "log": str(series.log)}
        found = _taken_for(a, series, [e.run for e in entries if e is not None and e.state == STORED])
        lines = [*_lines(a, series, plain, failed), *recognised_lines(found)]
        return Report(lines, plain | found.plain(), bool(failed))


class _Series(Frozen):
    """A plan and what is to be done for each of its points; whether the dataset is there."""

    file: str
    plan: Plan
    command: Template
    output: Template | None
    log: Path
    mapping: Mapping
    units: dict[str, str]
    about: dict[str, Any]
    there: bool

    @property
    def title(self) -> str:
        """What the trials of this plan have in common: its hash tells it from a later one of the same name."""
        return f"{self.file} {self.about['plan'][:8]}"

    def point(self, run: str) -> dict[str, Level]:
        """Return the design point of a run."""
        return dict(zip(self.plan.names, self.plan.points[self.plan.runs.index(run)], strict=True))

    def result(self, run: str) -> Path:
        """Return the file that holds a run's result."""
        if self.output is None:
            return self.log / f"{run}.out"
        return Path(self.output.filled(self.values(run), quoted=False))

    def values(self, run: str) -> dict[str, str]:
        """Return what places in templates mean for a run."""
        return {RUN: run, LOG: str(self.log), **{name: shown(level) for name, level in self.point(run).items()}}


def _series(a: Arguments) -> _Series:
    """Check everything that can be checked before the first command runs."""
    plan, raw = load_plan(a.plan), read_bytes(a.plan)
    _check(a, plan)
    log = Path(a.log) if a.log else Path(a.plan).with_suffix(".runs")
    command, output = Template(a.command), Template(a.output) if a.output else None
    known = (RUN, LOG, *plan.names)
    command.check(known, "--command")
    if output is not None:
        output.check(known, "--output")
        if RUN not in output.names and len(plan) > 1:
            raise OptionError(f"--output '{a.output}' is the same file for every run. Put {{run}} into it.")
    said = {name: getattr(a, name) or "" for name in ("command", "output", "dataset", "reader")}
    about = {"plan": sha256(raw).hexdigest(), **said}
    return _Series(Path(a.plan).name, plan, command, output, log, mapping_of(a), _units(a, plan), about, _is_there(a))


def _refuse_results(series: _Series) -> None:
    """Raise OptionError where a result is there already, as what an earlier attempt left is removed before a run."""
    for path in map(series.result, series.plan.runs):
        if os.path.lexists(path):
            raise OptionError(f"{path}, which the command is to write, is there already. Move it, or name others.")


def _check(a: Arguments, plan: Plan) -> None:
    if a.jobs < 1 or a.retries < 0 or not (a.timeout is None or a.timeout > 0):
        raise OptionError("--jobs must be at least 1, --retries at least 0 and --timeout over 0.")
    if a.reader:
        READERS.find(a.reader)
    for name in (RUN, LOG):
        if name in plan.names:
            raise OptionError(f"A parameter is called '{name}', which means something else in --command. Rename it.")
    for run in plan.runs:
        if "/" in run or run.startswith(".") or "\0" in run:
            raise OptionError(f"Run '{run}' cannot be the name of a file. Use letters, digits, - and _.")


def _measure(a: Arguments, series: _Series, journal: Journal) -> None:
    """Store what ran but was not stored, then run what did not run."""
    runs = series.plan.runs
    total, tell = len(runs), progress(a)
    for run in [run for run in runs if journal.state(run) in ((RAN,) if series.there else (RAN, STORED))]:
        _store(a, series, journal, journal.entries[run])
    left = [run for run in runs if journal.state(run) != STORED]
    jobs = [
        Job(
            run,
            words(series.command, series.values(run), shell=a.shell),
            series.log / f"{run}.out",
            series.result(run) if series.output else None,
        )
        for run in left
    ]
    done, n_failed = total - len(left), 0
    tell(done / total, f"{done} of {total} runs")
    for ran in Runner(a.jobs, a.timeout, a.retries).run(jobs):
        journal.write(ran)
        entry = ran if ran.why else _store(a, series, journal, ran)
        done, n_failed = done + 1, n_failed + (entry.state == FAILED)
        tell(done / total, f"{done} of {total} runs" + (f", {n_failed} failed" if n_failed else ""))


def _is_there(a: Arguments) -> bool:
    """Whether the database has the dataset, or another process owns it, into whose inbox results went.

    Raises
    ------
    StoreError
        If it could store no result; that is said before hours of measuring.
    """
    try:
        with open_store(a) as store:
            return store.takes(a.dataset)
    except OwnedError:
        return True


def _store(a: Arguments, series: _Series, journal: Journal, entry: Entry) -> Entry:
    """Import a run's result and write down that it is stored, or why not."""
    path = series.result(entry.run)
    try:
        found = _read(a, series, path).gathered().imports
        named, point = {PLAN: series.title, RUN: entry.run}, series.point(entry.run)
        store_or_deliver(a, [with_point(one, named, point, series.units, journal.series) for one in found])
        written = Entry(entry.run, STORED, entry.seconds, entry.attempts)
    except DatabaseError as error:
        raise StoreError(f"{error} What ran is kept in {series.log}; --resume stores it and goes on.") from None
    except RidgelineError as error:
        written = Entry(entry.run, FAILED, entry.seconds, entry.attempts, f"its result cannot be stored: {error}")
    journal.write(written)
    return written


def _read(a: Arguments, series: _Series, path: Path) -> Dropped:
    """Return what a run's result holds; one that only says names and values is a row, as the plan tells runs apart."""
    file = SourceFile(path.name, read_bytes(path))
    try:
        return drop(parts_of([file], series.mapping, a.reader))
    except ReadError:
        if not (programs := programs_of([file])):
            raise
    return drop([Part(SourceFile(file.name, b""), Csv(), series.mapping, table_of(programs[0]))])


def _taken_for(a: Arguments, series: _Series, stored: list[str]) -> Recognition:
    """Return what the first result that is there was taken for; what a model needs beside it, the plan has."""
    path = next((path for path in map(series.result, stored) if path.is_file()), None)
    found = _read(a, series, path).recognition if path else Recognition(())
    return replace(found, problems=tuple(p for p in found.problems if not p.undescribed))


def _units(a: Arguments, plan: Plan) -> dict[str, str]:
    if not a.space:
        return {}
    space = load_space(a.space)
    codes_of(space, plan)
    return {p.name: p.unit for p in space.parameters if p.unit}


def _said(entry: Entry, series: _Series) -> str:
    error = series.log / f"{entry.run}.err"
    try:
        lines = error.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    last = f" Its last words: '{lines[-1][:200]}'." if lines else ""
    return f"run {entry.run}: {entry.why.rstrip('.')}.{last}"


def _lines(a: Arguments, series: _Series, plain: dict[str, Any], failed: list[Entry]) -> list[str]:
    used = {*series.command.names, *(series.output or series.command).names}
    unused = [name for name in series.plan.names if name not in used]
    lines = [f"{plain['n_stored']} of {plain['n_runs']} runs stored in {a.dataset}; their files are in {series.log}"]
    lines += [f"note: the command does not use {', '.join(unused)}"] if unused else []
    lines += [_said(entry, series) for entry in failed[:_TOLD]]
    lines += [f"and {len(failed) - _TOLD} more failed"] if len(failed) > _TOLD else []
    return [*lines, *([f"{len(failed)} failed: mend the cause and add --resume"] if failed else [])]
