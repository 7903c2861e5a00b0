"""An experiment with its trials: the grid of its fits, results that are there, and the job that makes more."""

from collections.abc import Callable, Sequence

from core.curate import aggregate, join
from core.errors import OptionError
from core.experiment.experiment import Experiment, Result, Subject, result_to_plain
from core.experiment.grid import Grid, make_grid
from core.experiment.run import kept_results, run
from core.experiment.toml_text import experiment_id, experiment_toml
from core.experiment.trials import kernels_subject, trials_subjects
from core.frozen import Frozen
from core.progress import Progress
from core.store.cards import Condition, Sample
from pages._ui.database import frame, held, kept, labels, measured, metric_names, room_for, stamp, store
from pages._ui.state import parse_condition


class Question(Frozen):
    """An experiment, laid out.

    Attributes
    ----------
    id : of the experiment, whatever its trials are now
    key : of the experiment on these trials
    """

    experiment: Experiment
    id: str
    key: str
    grid: Grid


def question_of(experiment: Experiment) -> Question:
    """Return an experiment laid out over its trials as they are stored now."""
    id = experiment_id(experiment)
    homes = [name for name in (experiment.dataset, experiment.host_dataset) if name]
    for name in homes:
        if name not in store().datasets.names():
            raise OptionError(
                f"There is no dataset '{name}' here. If it is a sample, load it on the Trials page; else import it."
            )
    at = " ".join(stamp(name) for name in homes)
    return Question(experiment, id, f"experiment-{id[:32]}-{abs(hash(at)):x}", _grid(id, at, experiment))


@kept(lambda id, at, experiment: (id, at), 6, "Laying out the experiment …")
def _grid(id: str, at: str, experiment: Experiment) -> Grid:
    return make_grid(experiment, _subjects(experiment))


def _subjects(e: Experiment) -> tuple[Subject, ...]:
    if e.scaling is not None:
        return (kernels_subject(measured(e.dataset), e.response, e.scaling),)
    where, drawn = tuple(_conditions(e)), Sample(e.sample, e.sample_seed)
    if not e.host and e.draws:
        own = store().frame(e.dataset, e.response, e.metrics, where, sample=drawn)
        return trials_subjects(aggregate(own, e.repeats), e.each)
    if not e.host:
        return trials_subjects(frame(e.dataset, e.response, e.metrics, where, e.repeats), e.each)
    sides = store().host_target(
        e.dataset, e.response, e.host, e.target, e.metrics, where, host_dataset=e.host_dataset or None, sample=drawn
    )
    return trials_subjects(join(sides, e.repeats).frame, e.each)


def _conditions(e: Experiment) -> list[Condition]:
    columns = ["application", "input", "machine", *labels(e.dataset)]
    columns += [m.name for m in metric_names(e.dataset)]
    return [parse_condition(text, columns) for text in e.where]


_MOST_HELD = 8


def results_of(question: Question) -> dict[str, Result]:
    """Return the results of an experiment that are done, by the keys of its fits; a job may add to them."""
    there: dict[str, dict[str, Result]] = held(str(store().path), "experiments")
    if question.key not in there:
        room_for(there, _MOST_HELD)
        there[question.key] = kept_results(store().experiments.results(fit.key for fit in question.grid.fits))
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
