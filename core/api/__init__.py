"""Ridgeline in Python: the verbs as functions; what they return is what the pages draw.

    from ridgeline import api

    data = api.read("trials.csv")
    found = api.auto(data)
    api.save(found.model, "model.json")

In a notebook, `%load_ext ridgeline.api` shows these values as tables and pages.
"""

import tempfile
from collections.abc import Mapping as Entries
from collections.abc import Sequence
from dataclasses import field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.api.display import register
from core.curate import aggregate, join, usual_repeats
from core.errors import OptionError
from core.export import model_sha256, read_model, write_model
from core.export.card import write_card
from core.frozen import Frozen
from core.ingest import Mapping, Recognition, SourceFile, drop, load_sample, parts_of, samples, with_facts
from core.ingest.files import read_bytes, sources
from core.pipeline import FittedPipeline
from core.race.auto import Automatic, automatic
from core.race.entry import entries_for, entry_of
from core.race.race import race as raced
from core.race.result import Race
from core.recipes import Recipe, Trained, make_recipe, train
from core.recipes import validate as validated
from core.recipes.auto import Auto
from core.registry import unknown
from core.report.document.race import race_page, space_page
from core.report.document.scaling import scaling_model_page
from core.report.model.predictions import predict_file
from core.scaling.gather import study_from_measured
from core.scaling.model_file import write_scaling
from core.scaling.race import fit_scaling, predictor_named
from core.scaling.scaling_model import ScalingModel
from core.space.design_space import DesignSpace
from core.space.designs import Decision
from core.space.table import read_space
from core.store import Store
from core.trial import Frame, Import, Kind
from core.validate.crossval import Validation
from core.validate.folds import parse_folds
from core.workspace import SAMPLES, database_path

if TYPE_CHECKING:
    import pandas as pd

_READ = "read"
"""What the dataset of files that were read is called."""


class Data(Frozen):
    """Trials to learn from: a dataset of a database.

    Attributes
    ----------
    database : its file; of files that were read, one that goes when this value does
    dataset : its name there
    recognition : what the files were taken for; None of a dataset that was there
    """

    database: Path
    dataset: str
    recognition: Recognition | None = field(default=None, repr=False)
    _home: Any = field(default=None, repr=False, compare=False)

    @property
    def responses(self) -> tuple[str, ...]:
        """What can be predicted; the first is where nobody says."""
        with Store.open(self.database) as store:
            return tuple(m.name for m in store.metric_names(self.dataset) if m.kind is Kind.RESPONSE)

    def _wanted(self, response: str) -> str:
        """Return the response that is named, or the first one."""
        wanted = response or next(iter(self.responses), "")
        if not wanted:
            raise OptionError("No metric is a response. Name what to predict with response=….")
        return wanted

    def frame(
        self,
        response: str = "",
        metrics: Sequence[str] | None = None,
        where: Sequence[tuple[str, str, str | float]] = (),
        repeats: str = "",
    ) -> Frame:
        """Return the trials that count as rows of metrics beside a response.

        Parameters
        ----------
        response : the first one if not given
        metrics : what to predict from; whatever is known before the run if not given
        where : conditions (column, sign, value), such as ("machine", "=", "K40") or ("clock", ">", 900)
        repeats : "each", "mean", "median" or "minimum"; as the command line chooses if not given

        Raises
        ------
        OptionError, StoreError
            If there is no response, a name is unknown, or nothing is left.
        """
        wanted = self._wanted(response)
        with Store.open(self.database) as store:
            usual = usual_repeats(source.format for source in store.datasets.sources(self.dataset))
            chosen = [metrics] if isinstance(metrics, str) else metrics
            return aggregate(store.frame(self.dataset, wanted, chosen, _conditions(where)), repeats or usual)

    def between(self, host: str, target: str, response: str = "") -> Frame:
        """Return workloads that ran on both machines: the target's response beside what the host measured.

        Raises
        ------
        OptionError, StoreError
            If there is no response, a machine is unknown, or no workload ran on both.
        """
        wanted = self._wanted(response)
        with Store.open(self.database) as store:
            return join(store.host_target(self.dataset, wanted, host, target)).frame


def inspect(*paths: str | Path, **columns: Any) -> Recognition:
    """Return what files are taken for, column by column, and why.

    Parameters
    ----------
    paths : files, zip archives, or folders with all that is below
    columns : what is known of them, as the fields of `core.ingest.Mapping`: `machine="gpu"`, `parameters=("width",)`

    Raises
    ------
    ReadError
        If a file is none that can be read.
    """
    files, folder = sources(_paths(paths))
    return drop(parts_of(files, _mapping(columns)), folder=folder).recognition


def read(
    *paths: str | Path,
    machines: str | Path | None = None,
    inputs: str | Path | None = None,
    answers: Entries[str, str] | None = None,
    **columns: Any,
) -> Data:
    """Return the trials that files hold.

    Parameters
    ----------
    paths, columns : as of `inspect`
    machines, inputs : tables of what describes machines or inputs, joined to the trials
    answers : to the recognition's questions, the choice by the column

    Raises
    ------
    ReadError, OptionError
        If a file cannot be read, or a column or an answer is unknown.
    """
    files, folder = sources(_paths(paths))
    dropped = drop(parts_of(files, _mapping(columns)), folder=folder)
    settled = dropped.recognition.answered(answers or {})
    facts = [_source(path) if path else None for path in (machines, inputs)]
    imports = [with_facts(imported, facts[0], facts[1]) for imported in dropped.gathered(settled).imports]
    return _stored(_READ, imports, settled)


def sample(name: str) -> Data:
    """Return a sample that comes with the program, as `ridgeline sample` imports it.

    Raises
    ------
    OptionError
        If there is none of that name.
    """
    cards = {card.name: card for card in samples(SAMPLES)}
    if name not in cards:
        raise OptionError(unknown("sample", name, cards))
    return _stored(name, [load_sample(cards[name].folder)])


def _stored(name: str, imports: Sequence[Import], settled: Recognition | None = None) -> Data:
    home = tempfile.TemporaryDirectory(prefix="ridgeline-")
    database = Path(home.name) / "read.duckdb"
    with Store.open(database) as store:
        store.add_all(name, imports)
    return Data(database, name, settled, home)


def dataset(name: str, database: str | Path = "") -> Data:
    """Return a dataset of a database, the usual one if none is named.

    Raises
    ------
    StoreError
        If there is none of that name.
    """
    found = Data(database_path(str(database) if database else None), name)
    with Store.open(found.database) as store:
        store.datasets.sources(name)
    return found


def auto(data: Data | Frame, response: str = "", folds: str = "", seed: int = 0) -> Automatic:
    """Return the best model without a choice, beside two baselines and a formula, with a verdict.

    Parameters
    ----------
    folds : the question, as `ridgeline validate` takes it; the hardest that the trials can answer if not given

    Raises
    ------
    FitError
        If there are too few trials.
    """
    return automatic(_frame(data, response), replace(Auto(), folds=folds, seed=seed), _name(data))


def fit(
    recipe: str, data: Data | Frame, response: str = "", *, folds: str = "", seed: int = 0, **options: Any
) -> Trained:
    """Return the model of a recipe or family, with its interval and what it is worth on held-out trials.

    Parameters
    ----------
    options : of the recipe, as of `ridgeline fit --set`

    Raises
    ------
    OptionError, FitError
        If a name or value is unknown, or the trials allow no model.
    """
    plan = parse_folds(folds) if folds else None
    return train(_recipe(recipe, seed, options), _frame(data, response), plan, seed, _name(data))


def validate(
    recipe: str, data: Data | Frame, folds: str, response: str = "", *, seed: int = 0, **options: Any
) -> Validation:
    """Return what a recipe predicts of trials that it has not seen, with the scores; arguments as of `fit`."""
    return validated(_recipe(recipe, seed, options), _frame(data, response), parse_folds(folds), seed)


def race(data: Data | Frame, folds: str, response: str = "", *, entries: Sequence[str] = (), seed: int = 0) -> Race:
    """Return how every family, or the named ones, stand on the same folds, every choice made inside them."""
    frame = _frame(data, response)
    names = [entries] if isinstance(entries, str) else entries
    chosen = [entry_of(name, frame) for name in names] or entries_for(frame)
    return raced(frame, parse_folds(folds), seed, chosen)


def space(path: str | Path) -> DesignSpace:
    """Return the design space that a TOML file describes."""
    try:
        return read_space(read_bytes(path).decode("utf-8-sig"), Path(path).name)
    except UnicodeDecodeError:
        raise OptionError(f"{path} is not UTF-8 text.") from None


def scaling(
    data: Data, *responses: str, predictor: str = "shared_leaves", base: str = "", seed: int = 0
) -> ScalingModel:
    """Return how kernels scale over configurations, learnt from those of a dataset.

    Parameters
    ----------
    base : where a new kernel is measured, such as "highest"; the highest that most kernels have if not given

    Raises
    ------
    OptionError, FitError
        If a name is unknown, or too few kernels were measured at too few configurations.
    """
    with Store.open(data.database) as store:
        measured = store.measured(data.dataset)
    wanted = responses or data.responses[:1]
    study = study_from_measured(measured, wanted)
    at = study.configuration(base) if base else None
    made = predictor_named(predictor, seed=seed)
    return fit_scaling(study, made, responses=wanted, base=at, seed=seed, dataset=data.dataset)


def load(path: str | Path) -> FittedPipeline:
    """Return the model that a file holds."""
    return read_model(read_bytes(path))


def save(model: FittedPipeline | Trained | Automatic, path: str | Path) -> None:
    """Write a model file."""
    _write(path, write_model(_model(model)))


def predict(model: FittedPipeline | Trained | Automatic, path: str | Path) -> "pd.DataFrame":
    """Return the rows of a table with `prediction, low, high, in_domain, why` beside them.

    Raises
    ------
    ReadError, PredictError
        If the file is no table, or has not all metrics of the model.
    """
    return predict_file(_model(model), _source(*_paths([path]))).frame()


Written = FittedPipeline | Trained | Automatic | ScalingModel | Race | Decision
"""What `report` makes a document of."""


def report(found: Written, path: str | Path, data: Data | Frame | None = None, response: str = "") -> None:
    """Write a model, a scaling model, a race or a decision over designs as one page of HTML, to keep and print.

    Parameters
    ----------
    data, response : what was raced, as `race` was given it

    Raises
    ------
    OptionError
        If the trials of a race are not given.
    """
    _write(path, _document(found, Path(path).stem, data, response))


def _document(found: Written, name: str, data: Data | Frame | None, response: str) -> bytes:
    if isinstance(found, FittedPipeline | Trained | Automatic):
        return write_card(_model(found), name)
    if isinstance(found, ScalingModel):
        return scaling_model_page(found, name, sha256=model_sha256(write_scaling(found)))
    if isinstance(found, Decision):
        return space_page(found, name, {})
    if data is None:
        raise OptionError("The report of a race needs what was raced: report(found, path, data).")
    return race_page(_frame(data, response), found, _name(data) or name)


def load_ipython_extension(shell: Any) -> None:
    """Let a notebook show values as tables and pages (`%load_ext ridgeline.api`)."""
    register(shell)


def _mapping(columns: Entries[str, Any]) -> Mapping:
    """Return what is known of columns; one name may stand where there may be several."""
    usual, given = {one.name: one.default for one in fields(Mapping)}, dict[str, Any]()
    for name, value in columns.items():
        if name not in usual:
            raise OptionError(unknown("argument", name, usual))
        several = isinstance(usual[name], tuple)
        if several and isinstance(value, str):
            value = [value]
        given[name] = tuple(value) if several and isinstance(value, list) else value
        if name == "responses" and isinstance(given[name], tuple):
            given[name] = tuple((one, None) if isinstance(one, str) else one for one in given[name])
        if not isinstance(given[name], str if usual[name] is None else type(usual[name])):
            raise OptionError(f"{name} takes {'names' if several else 'a name'}, got {value!r}.")
    return Mapping(**given)


def _write(path: str | Path, raw: bytes) -> None:
    try:
        Path(path).write_bytes(raw)
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror or error}.") from None


def _source(path: str | Path) -> SourceFile:
    return SourceFile(Path(path).name, read_bytes(path))


def _conditions(where: Sequence[tuple[str, str, str | float]]) -> list[tuple[str, str, str]]:
    for one in where:
        if isinstance(one, str) or len(one) != 3:
            raise OptionError(f'A condition is of three parts, such as where=[("machine", "=", "K40")]; got {one!r}.')
    return [(column, sign, str(value)) for column, sign, value in where]


def _paths(paths: Sequence[str | Path]) -> list[str]:
    wrong = [type(path).__name__ for path in paths if not isinstance(path, str | Path)]
    if wrong or not paths:
        raise OptionError(f"Files and folders are named by their paths; got {wrong[0] if wrong else 'none'}.")
    return [str(path) for path in paths]


def _model(found: FittedPipeline | Trained | Automatic) -> FittedPipeline:
    if not isinstance(found, FittedPipeline | Trained | Automatic):
        raise OptionError(f"A model is what load(…), fit(…) or auto(…) returns; got {type(found).__name__}.")
    return found if isinstance(found, FittedPipeline) else found.model


def _frame(data: Data | Frame, response: str) -> Frame:
    if not isinstance(data, Data | Frame):
        raise OptionError(
            f"Trials to learn from are what read(…) or dataset(…) returns, or a frame of it; got {type(data).__name__}."
        )
    return data.frame(response) if isinstance(data, Data) else data


def _name(data: Data | Frame) -> str:
    return data.dataset if isinstance(data, Data) else ""


def _recipe(name: str, seed: int, options: Entries[str, Any]) -> Recipe:
    if not isinstance(name, str):
        raise OptionError('The recipe comes first, then the data: fit("eiger", data).')
    return make_recipe(name, {key: _text(value) for key, value in options.items()}, seed)


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
