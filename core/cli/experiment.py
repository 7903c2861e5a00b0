"""`ridgeline experiment`: a study of many fits from a TOML file, each made once, whatever interrupts it."""

import argparse
import time
from pathlib import Path

from core.cli._experiment import begin, experiment_lines, experiment_plain, hand_over, journal_path, load_subjects
from core.cli._files import read_bytes, write_bytes
from core.cli._frame import add_cluster, add_workers, progress
from core.cli.base import Arguments, Report, Verb, add_json
from core.errors import ReadError
from core.execution.pace import duration
from core.experiment.experiment import Experiment
from core.experiment.grid import Grid, make_grid
from core.experiment.journal import Journal
from core.experiment.result import Result
from core.experiment.run import estimate, run
from core.experiment.toml_text import read_experiment
from core.report.experiment.best import bests
from core.report.experiment.results import fits_table, points
from core.report.shared.csv_text import to_csv


class ExperimentVerb(Verb):
    """Run an experiment."""

    help = "sweep options over folds and seeds, as a TOML file says; goes on where it was interrupted"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        parser.add_argument("file", metavar="FILE.toml", help="the experiment; see docs/experiments.md")
        parser.add_argument("--plan", action="store_true", help="only say how many fits it has and how long they take")
        add_workers(parser, 1)
        add_cluster(parser)
        parser.add_argument("--out", metavar="FILE.csv", help="write a row per fit there")
        parser.add_argument(
            "--journal", metavar="FILE", help="keep results in this file and leave them there, in place of the database"
        )
        add_json(parser)

    def run(self, a: Arguments) -> Report:
        """Run it and report."""
        experiment = read_file(a.file)
        grid = make_grid(experiment, load_subjects(a, experiment))
        known = begin(a, grid)
        with Journal(journal_path(a, experiment)) as journal:
            known |= journal.known
            if a.plan:
                return _plan(a, grid, known, journal)
            started = time.perf_counter()
            results = run(grid, known, journal.keep, progress(), workers=a.workers, cluster=a.cluster)
            seconds = time.perf_counter() - started
            note = "" if a.journal else hand_over(a, experiment, journal)
        return _report(a, grid, results, sum(key in known for key in results), seconds, note)


def read_file(path: str) -> Experiment:
    """Return the experiment of a file."""
    try:
        text = read_bytes(path).decode()
    except UnicodeDecodeError:
        raise ReadError(f"{path} is not UTF-8 text, so it is no experiment.") from None
    return read_experiment(text, Path(path).stem)


def _plan(a: Arguments, grid: Grid, known: dict[str, Result], journal: Journal) -> Report:
    found = estimate(grid, known, journal.keep)
    note = "" if a.journal else hand_over(a, grid.experiment, journal)
    left, seconds = found.n_fits - found.n_known, found.seconds(a.workers)
    each = found.seconds_per_fit
    timed = f" About {duration(seconds)} with {a.workers} process{'' if a.workers == 1 else 'es'}" if left else ""
    timed += f", at {each:.3g} s a fit of those that were timed." if left and each else ""
    head = f"{grid.experiment.name}: {found.n_fits:,} fits of {len(grid.settings):,} settings"
    line = f"{head}; {left:,} are left.{timed}"
    plain = {
        "experiment": grid.experiment.name,
        "n_fits": found.n_fits,
        "n_settings": len(grid.settings),
        "n_known": found.n_known,
        "seconds_per_fit": each,
        "seconds": seconds,
    }
    return Report([line, *([note] if note else [])], plain)


def _report(a: Arguments, grid: Grid, results: dict[str, Result], n_known: int, seconds: float, note: str) -> Report:
    found = points(grid, results)
    chosen = bests(grid.experiment, found)
    if a.out:
        write_bytes(a.out, to_csv(fits_table(grid, results)).encode())
    n = grid.n_fits
    told = [f"{n:,} fits, {n_known:,} of them kept from before, in {seconds:.1f} s."]
    told += [f"A row per fit is in {a.out}."] if a.out else []
    plain = {**experiment_plain(grid, found, chosen), "n_fits": n, "n_known": n_known, "seconds": round(seconds, 3)}
    return Report([*experiment_lines(grid, found, chosen), *told, *([note] if note else [])], plain)
