"""`ridgeline experiment`: a study of many fits from a TOML file, each made once, whatever interrupts it."""

import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from core.cli._files import text_of, write_bytes
from core.cli._frame import add_cluster, add_workers, load_scenario, table_lines
from core.cli.base import Arguments, Parser, Report, Verb, flag, open_store, progress
from core.codec import dumps, fields_of
from core.errors import RidgelineError, StoreError, count
from core.experiment.experiment import Experiment, Result, Subject, measure_title, result_from_plain, result_to_plain
from core.experiment.grid import Grid, make_grid
from core.experiment.run import estimate, kept_results, run
from core.experiment.toml_text import experiment_id, experiment_toml, read_experiment
from core.experiment.trials import kernels_subject, trials_subjects
from core.journal import Lines
from core.progress import duration
from core.report.experiment.best import Best, bests
from core.report.experiment.results import Point, fits_table, named, points, points_table
from core.report.shared.csv_text import to_csv
from core.store import OwnedError
from core.workspace import database_path


class Journal(Lines):
    """Results in a file, a line each: no database is held while an experiment runs, and any end loses nothing whole."""

    busy: ClassVar[str] = "Another program writes to {path}: this experiment runs already. Wait for it, or stop it."
    strange: ClassVar[str] = "{path} holds no results of experiments. Give --journal another file."
    begins: ClassVar[bytes] = b'{"fit":'

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.known: dict[str, Result] = {}

    def keep(self, results: Sequence[tuple[str, Result]]) -> None:
        """Write results at once."""
        self.append(*(dumps({"fit": key, "result": result_to_plain(result)}) for key, result in results))
        self.known.update(results)

    def take(self, plain: Any) -> None:
        """Take in a result that is there."""
        try:
            self.known[str(plain["fit"])] = result_from_plain(plain["result"])
        except RidgelineError as error:
            raise ValueError(str(error)) from None


def load_subjects(a: Arguments, experiment: Experiment) -> tuple[Subject, ...]:
    """Return what an experiment is made on."""
    if experiment.scaling is not None:
        with open_store(a) as store:
            measured = store.measured(experiment.dataset)
        return (kernels_subject(measured, experiment.response, experiment.scaling),)
    asked = Namespace(**{**vars(experiment), "db": a.db, "metrics": None, "seed": experiment.sample_seed})
    frame = load_scenario(asked, experiment.response, experiment.metrics).frame
    return trials_subjects(frame, experiment.each)


def begin(a: Arguments, grid: Grid) -> dict[str, Result]:
    """Write the experiment down in the database, unless results stay out of it, and return those kept there."""
    e = grid.experiment
    with open_store(a) as store:
        if not a.journal:
            store.experiments.keep(e.dataset, experiment_id(e), e.name, grid.n_fits, experiment_toml(e))
        return kept_results(store.experiments.results(fit.key for fit in grid.fits))


def journal_path(a: Arguments, experiment: Experiment) -> Path:
    """Return where results are kept while an experiment runs: the file asked for, or one beside the database."""
    if a.journal:
        return Path(a.journal)
    return database_path(a.db).resolve().parent / "experiments" / f"{experiment_id(experiment)[:32]}.jsonl"


def hand_over(a: Arguments, experiment: Experiment, journal: Journal) -> str:
    """Move results from the journal to the database; if that is not possible now, they stay and it says so."""
    pairs = [(key, result_to_plain(result)) for key, result in journal.known.items()]
    try:
        with open_store(a) as store:
            store.experiments.keep_results(experiment.dataset, pairs)
    except OwnedError:
        return f"The database is in use, so the results stay in {journal.path}; the next run finds them there."
    except StoreError as error:
        return f"The results stay in {journal.path}, which --journal takes up, as they cannot be stored: {error}"
    journal.path.unlink(missing_ok=True)
    return ""


def experiment_lines(grid: Grid, found: Sequence[Point], chosen: Mapping[tuple[str, str], Best]) -> list[str]:
    """Return the table and the best settings as a person reads them."""
    e = grid.experiment
    question = f"{e.response} of {e.dataset}" + (f", {e.host} → {e.target}" if e.host else "")
    lines = [f"{e.name}: {question}, {', '.join(e.recipes)}, folds {', '.join(e.folds)}"]
    lines += table_lines(points_table(grid, found))
    for (subject, folds), best in chosen.items():
        where = ", ".join(part for part in (subject, folds if len(e.folds) > 1 else "") if part)
        lines.append(f"{where}: {best.sentence()}" if where else best.sentence())
    return lines


def experiment_plain(grid: Grid, found: Sequence[Point], chosen: Mapping[tuple[str, str], Best]) -> dict[str, Any]:
    """Return the same for `--json`."""
    e = grid.experiment
    return {
        **fields_of(e, "experiment=name dataset response recipes folds measure"),
        "measure_name": measure_title(e.measure),
        "settings": [_point(p) for p in found],
        "best": [
            {
                "subject": subject,
                "folds": folds,
                "smallest": _point(best.smallest),
                "chosen": _point(best.chosen),
                "simpler": dict(best.towards),
                "sentence": best.sentence(),
            }
            for (subject, folds), best in chosen.items()
        ],
    }


def _point(p: Point) -> dict[str, Any]:
    return {
        **fields_of(p, "subject folds recipe=setting.recipe"),
        "setting": named(p.setting.values),
        **fields_of(p, "error training standard_error by_fold n n_refused why"),
    }


class ExperimentVerb(Verb):
    """Sweep options over folds and seeds, as a TOML file says; goes on where it was interrupted."""

    group = "make a model"
    examples = ("ridgeline experiment data/experiments/eiger_dimensions.toml --plan",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "file FILE.toml", "the experiment; see docs/experiments.md")
        flag(parser, "--plan", "only say how many fits it has and how long they take")
        add_workers(parser, 1)
        add_cluster(parser)
        flag(parser, "--out FILE.csv", "write a row per fit there")
        flag(parser, "--journal FILE", "keep results in this file and leave them there, in place of the database")

    def run(self, a: Arguments) -> Report:
        """Run it and report."""
        experiment = read_experiment(text_of(a.file), Path(a.file).stem)
        grid = make_grid(experiment, load_subjects(a, experiment))
        known = begin(a, grid)
        with Journal(journal_path(a, experiment)) as journal:
            known |= journal.known
            if a.plan:
                return _plan(a, grid, known, journal)
            started = time.perf_counter()
            results = run(grid, known, journal.keep, progress(a), workers=a.workers, cluster=a.cluster)
            seconds = time.perf_counter() - started
            note = "" if a.journal else hand_over(a, experiment, journal)
        return _report(a, grid, results, sum(key in known for key in results), seconds, note)


def _plan(a: Arguments, grid: Grid, known: dict[str, Result], journal: Journal) -> Report:
    found = estimate(grid, known, journal.keep)
    note = "" if a.journal else hand_over(a, grid.experiment, journal)
    left, seconds = found.n_fits - found.n_known, found.seconds(a.workers)
    each = found.seconds_per_fit
    timed = f" About {duration(seconds)} with {a.workers} process{'' if a.workers == 1 else 'es'}" if left else ""
    timed += f", at {each:.3g} s a fit of those that were timed." if left and each else ""
    head = f"{grid.experiment.name}: {count(found.n_fits, 'fit')} of {count(len(grid.settings), 'setting')}"
    line = f"{head}; {left:,} are left.{timed}"
    counts = {"n_fits": found.n_fits, "n_settings": len(grid.settings), "n_known": found.n_known}
    plain = {"experiment": grid.experiment.name, **counts, "seconds_per_fit": each, "seconds": seconds}
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
