"""Results that are there: in the database for good, in memory while they are looked at; and the job that makes more."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from core.errors import RidgelineError
from core.experiment.experiment import Result, result_from_plain, result_to_plain
from core.experiment.run import run
from core.experiment.toml_text import experiment_toml
from core.progress import Progress
from pages._experiments.question import Question
from pages._ui.database import store
from pages._ui.kept import held, room_for

_MOST_HELD = 8


def results_of(question: Question) -> dict[str, Result]:
    """Return the results of an experiment that are done, by the keys of its fits; a job may add to them."""
    there: dict[str, dict[str, Result]] = held(str(store().path), "experiments")
    if question.key not in there:
        room_for(there, _MOST_HELD)
        there[question.key] = _loaded(question)
    return there[question.key]


def experiment_work(question: Question, workers: int, cluster: str) -> Callable[[Progress], None]:
    """Return the experiment as work for a job; each result is kept as soon as it is there."""
    keep, there, e = store(), results_of(question), question.experiment
    keep.experiments.keep(e.dataset, question.id, e.name, question.grid.n_fits, experiment_toml(e))

    def on_result(results: Sequence[tuple[str, Result]]) -> None:
        keep.experiments.keep_results(e.dataset, [(key, result_to_plain(result)) for key, result in results])
        there.update(results)

    def work(progress: Progress) -> None:
        run(question.grid, dict(there), on_result, progress, workers=workers, cluster=cluster)

    return work


def _loaded(question: Question) -> dict[str, Result]:
    found = {}
    for key, plain in store().experiments.results(fit.key for fit in question.grid.fits).items():
        with suppress(KeyError, TypeError, ValueError, RidgelineError):  # written in another form: made again
            found[key] = result_from_plain(plain)
    return found
