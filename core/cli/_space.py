"""Design spaces and files of their points, as verbs read and write them."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from core.cli._files import check_there, text_of, whole_file
from core.cli._frame import load_scenario
from core.cli.base import Arguments, flag, only_dataset, open_store
from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.race.reuse import recipe_again
from core.space.columns import columns_of, not_given
from core.space.design_space import DesignSpace
from core.space.plan import Plan, read_plan
from core.space.plans import Evidence
from core.space.sweep import Watch
from core.space.table import read_space
from core.space.trial_space import differing, sizes_of_inputs, trial_holes, with_shared
from core.trial import ROLES, Frame, Kind, levels_of


def add_space(parser: argparse.ArgumentParser) -> None:
    """Declare the file of a design space, in whose place the trials of a dataset may stand."""
    help = "the design space; without it what the trials of --dataset varied, less the combinations that never occur"
    flag(parser, "space SPACE.toml", help, nargs="?")


def space_of(a: Arguments, response: str, models: Iterable[FittedPipeline] = (), role: str = "") -> DesignSpace:
    """Return the design space of a file, or of a dataset's trials with the constraints that they suggest.

    What models predict from besides is a parameter of one level, if all trials of the dataset have the same.

    Parameters
    ----------
    role : what each model is trained again for, such as "application"

    Raises
    ------
    OptionError
        If there is no space, or trials differ in what models predict from and no parameter gives.
    """
    models = tuple(models)
    space = _space_of(a, response, models, role)
    lacking = dict.fromkeys(name for model in models for name in not_given(space, model))
    wanted = [name for name in lacking if not (role and name.startswith(f"{role}="))]
    if not wanted or a.dataset is None:
        return space
    known = _metrics(a)
    numbers = [name for name in wanted if name in known]
    some = numbers or [name for name in space.names if name in known]  # of none the usual metrics would be read
    frame = _each_trial(a, response, some)
    return with_shared(space, wanted, frame)


def _space_of(a: Arguments, response: str, models: Sequence[FittedPipeline], role: str) -> DesignSpace:
    if a.space:
        check_there(a.space)
        return load_space(a.space)
    a.dataset = a.dataset or only_dataset(a)
    with open_store(a) as store:
        metrics, texts = store.metric_names(a.dataset), store.indicator_names(a.dataset, (Kind.PARAMETER,))
    known = [m.name for m in metrics if m.kind is Kind.DETERMINISTIC]
    known = [name for name in known if not models or any(name in model.names for model in models)]
    sizes = sizes_of_inputs(_each_trial(a, response, known)) if known else ()
    names = [*sizes, *(m.name for m in metrics if m.kind is Kind.PARAMETER), *texts]
    if not names:
        raise OptionError(f"Dataset '{a.dataset}' has no parameters. Give a SPACE.toml.")
    frame = _each_trial(a, response, names)
    told = levels_of([metric for model in models for metric in model.metrics], ROLES)
    if ran := [name for name in told if name != role and len(set(frame.labels[name])) > 1]:
        frame = _each_trial(a, response, [*names, *ran])
    return trial_holes(frame, a.dataset).constrained()


def load_space(path: str) -> DesignSpace:
    """Return the design space that a TOML file describes."""
    return read_space(text_of(path), Path(path).name)


def load_plan(path: str) -> Plan:
    """Return the plan that a CSV file holds."""
    return read_plan(text_of(path), Path(path).name)


def evidence_of(a: Arguments, model: FittedPipeline | None, response: str, space: DesignSpace) -> Evidence:
    """Return what a model and the dataset that may be named tell of parameters, and how the model is trained again."""
    if a.dataset is None:
        return Evidence(model)
    known = _metrics(a)
    told = differing(model.names, space) if model else ()
    columns = dict.fromkeys([*(name for name in space.names if name in known), *told])
    return Evidence(model, _each_trial(a, response, columns), recipe_again(model).fit if model else None)


def _metrics(a: Arguments) -> set[str]:
    with open_store(a) as store:
        return {m.name for m in store.metric_names(a.dataset)}


def _each_trial(a: Arguments, response: str, names: Iterable[str]) -> Frame:
    """Return the trials of the dataset with some metrics, repeats each by itself."""
    asked = argparse.Namespace(**{**vars(a), "metrics": None, "repeats": "each"})
    return load_scenario(asked, response, tuple(names)).frame


SUFFIXES = (".parquet", ".csv")
_ROWS = 1 << 17


@contextmanager
def points_file(path: str, model: FittedPipeline, space: DesignSpace) -> Iterator[Watch]:
    """Yield what writes points to a table of all of them, Parquet or CSV by the file's name, there once it is whole.

    Its columns are one per parameter, `prediction`, `low` and `high` with an interval, and `in_domain`.
    """
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        raise OptionError(f"--out takes a file ending in .parquet or .csv, got '{path}'.")
    schema, rows_of = _schema(model, space), columns_of(model, space).rows
    kind: Any = pq.ParquetWriter if suffix == ".parquet" else pa_csv.CSVWriter

    def write(values: FloatArray, ranks: Callable[[IntArray], IntArray]) -> None:
        for start in range(0, len(values), _ROWS):
            places = np.arange(start, min(start + _ROWS, len(values)), dtype=np.int64)
            codes = space.codes(ranks(places))
            columns = [np.array(p.levels)[codes[:, j]] for j, p in enumerate(space.parameters)]
            said = _said(model, values[places], rows_of(codes))
            writer.write_table(pa.table([*columns, *said], schema=schema))

    with whole_file(path) as file, kind(file, schema) as writer:
        yield write


def _said(model: FittedPipeline, scaled: FloatArray, X: FloatArray) -> list[Any]:
    """Return what a model says of points as columns of Arrow."""
    inverse = model.scale.inverse
    found = [inverse(scaled)]
    if model.interval:
        half = model.half_widths(X, scaled)
        found += [inverse(scaled - half), inverse(scaled + half)]
    inside = np.isfinite(found[0]) & ~model.leaves(X)
    return [*(pa.array(v, mask=~np.isfinite(v)) for v in found), pa.array(inside)]


def _schema(model: FittedPipeline, space: DesignSpace) -> Any:
    said = ("prediction", "low", "high") if model.interval else ("prediction",)
    clash = {*said, "in_domain"} & set(space.names)
    if clash:
        raise OptionError(f"A parameter is called '{min(clash)}', as a column of the file is. Rename the parameter.")
    own = [(p.name, pa.string() if p.categorical else pa.float64()) for p in space.parameters]
    return pa.schema([*own, *((name, pa.float64()) for name in said), ("in_domain", pa.bool_())])
