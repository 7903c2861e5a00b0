"""What the verb `experiment` shares: trials from the store, results from and to it, findings as lines and as JSON."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.cli._frame import load_scenario
from core.cli._lines import table_lines
from core.cli._store import open_store
from core.cli.base import Arguments
from core.codec import fields_of
from core.errors import RidgelineError
from core.experiment.experiment import Experiment, measure_title
from core.experiment.grid import Grid
from core.experiment.journal import Journal
from core.experiment.kernels import kernels_subject
from core.experiment.result import Result, Subject, result_from_plain, result_to_plain
from core.experiment.toml_text import experiment_id, experiment_toml
from core.experiment.trials import trials_subjects
from core.report.experiment.best import Best
from core.report.experiment.results import Point, named, points_table
from core.store import OwnedError
from core.workspace import database_path


def load_subjects(a: Arguments, experiment: Experiment) -> tuple[Subject, ...]:
    """Return what an experiment is made on."""
    if experiment.scaling is not None:
        with open_store(a) as store:
            measured = store.measured(experiment.dataset)
        return (kernels_subject(measured, experiment.response, experiment.scaling),)
    asked = Namespace(
        db=a.db,
        dataset=experiment.dataset,
        metrics=None,
        where=list(experiment.where),
        repeats=experiment.repeats,
        host=experiment.host,
        target=experiment.target,
        host_dataset=experiment.host_dataset or None,
        sample=experiment.sample,
        seed=experiment.sample_seed,
    )
    frame = load_scenario(asked, experiment.response, experiment.metrics).frame
    return trials_subjects(frame, experiment.each)


def begin(a: Arguments, grid: Grid) -> dict[str, Result]:
    """Write the experiment down in the database, and return the results that are kept there."""
    experiment = grid.experiment
    with open_store(a) as store:
        store.keep_experiment(
            experiment.dataset, experiment_id(experiment), experiment.name, grid.n_fits, experiment_toml(experiment)
        )
        return readable(store.kept_results(fit.key for fit in grid.fits))


def readable(kept: Mapping[str, Mapping[str, Any]]) -> dict[str, Result]:
    """Return kept results; those that were written in another form are made again."""
    found = {}
    for key, plain in kept.items():
        with suppress(KeyError, TypeError, ValueError, RidgelineError):
            found[key] = result_from_plain(dict(plain))
    return found


def journal_path(a: Arguments, experiment: Experiment) -> Path:
    """Return where results are kept while an experiment runs: the file asked for, or one beside the database."""
    if a.journal:
        return Path(a.journal)
    return database_path(a.db).resolve().parent / "experiments" / f"{experiment_id(experiment)[:32]}.jsonl"


def hand_over(a: Arguments, experiment: Experiment, journal: Journal) -> str:
    """Move results from the journal to the database; if another program owns it now, they stay and it says so."""
    pairs = [(key, result_to_plain(result)) for key, result in journal.known.items()]
    try:
        with open_store(a) as store:
            store.keep_results(experiment.dataset, pairs)
    except OwnedError:
        return f"The database is in use, so the results stay in {journal.path}; the next run finds them there."
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
        "experiment": e.name,
        **fields_of(e, "dataset response recipes folds measure"),
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
        "subject": p.subject,
        "folds": p.folds,
        "recipe": p.setting.recipe,
        "setting": named(p.setting.values),
        **fields_of(p, "error training standard_error by_fold n n_refused why"),
    }
