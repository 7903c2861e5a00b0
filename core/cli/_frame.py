"""What `fit`, `validate` and `race` share: a frame from the store, a recipe from flags, progress."""

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from core.cli.base import Arguments, Verb, add_dataset, flag, halves, names, open_store, whole_from
from core.curate import AGGREGATES, Unjoined, aggregate, choose_response, join, usual_repeats
from core.errors import OptionError
from core.frozen import Frozen
from core.models import FAMILIES
from core.option import OptionSpec, specs
from core.recipes import RECIPES, Recipe, make_recipe
from core.report.shared.naming import short_number
from core.store import GAPS, Store
from core.store.cards import Condition, Sample, condition_of
from core.trial import Frame
from core.validate.calibration import AUTO, METHODS
from core.validate.folds import FORMS, FoldPlan, default_folds, parse_folds

_MOST_SHOWN = 10


def add_frame(parser: argparse.ArgumentParser) -> None:
    """Declare which trials, response, metrics and recipe to use."""
    flag(parser, "recipe RECIPE-OR-FAMILY", "such as eiger or stepwise")
    add_trials(parser)
    add_set(parser, "the recipe")


def add_trials(parser: argparse.ArgumentParser) -> None:
    """Declare which trials, response and metrics to use."""
    add_dataset(parser)
    flag(parser, "--response METRIC", "what to predict; the dataset's response if it has but one", default="")
    add_frame_options(parser)


def add_frame_options(parser: argparse.ArgumentParser) -> None:
    """Declare which metrics, trials, repeats and draws to use."""
    flag(parser, "--metrics A,B,…", "what to predict from; a sensible choice if not given")
    flag(parser, "--no-counters", "of that choice leave out what only a run gives: what has not run can be predicted")
    add_where(parser)
    help = (
        "repeats of a configuration are a row each (the default, but for tuners' files), or one row: the mean of "
        "those within 7 MAD of their median (tuners' default), the median, or the smallest"
    )
    flag(parser, "--repeats", help, choices=AGGREGATES)
    help = (
        "where metrics miss values: leave out the metrics, the trials, or (the default) what keeps most values, "
        "but no more than a tenth of the trials; of metrics chosen by name always the trials"
    )
    flag(parser, "--gaps", help, choices=GAPS, default="most")
    help = (
        "of a folder of Parquet files: so many of its trials, drawn by a hash of what they hold (and the seed); "
        "200000 if not given, fewer where there are many metrics"
    )
    flag(parser, "--sample N", help, type=whole_from(1), default=0)
    add_seed(parser)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Declare the seed."""
    flag(parser, "--seed N", "of every random draw (0)", default=0, type=whole_from(0))


def add_set(parser: argparse.ArgumentParser, of: str) -> None:
    """Declare options of what has some."""
    flag(parser, "--set OPTION=VALUE", f"an option of {of}; its --help lists them", several=True)


def add_folds(
    parser: argparse.ArgumentParser, meaning: str = "", usual: str = "the hardest that the trials can answer"
) -> None:
    """Declare folds, in the forms that every verb takes.

    Parameters
    ----------
    meaning : what they are for
    usual : which are taken if none are given
    """
    flag(parser, "--folds FOLDS", f"{meaning}{FORMS} ({usual})".replace("%", "%%"), default="")


def folds_of(a: Arguments, frame: Frame) -> FoldPlan:
    """Return the folds that were asked for, else those of the hardest question that the frame can answer."""
    return parse_folds(a.folds) if a.folds else default_folds(frame)


def _option(spec: OptionSpec) -> list[str]:
    """Return what an option is called, is if not given, may be, and means."""
    ends = ((spec.low, "at least"), (spec.high, "at most"))
    bounds = " and ".join(f"{said} {end:g}" for end, said in ends if end is not None)
    allowed = ", ".join(spec.choices) or bounds or ("true or false" if spec.kind is bool else "")
    said = "; ".join(filter(None, (f"{spec.text(spec.default)} if not given", allowed)))
    indent = " " * 6
    return [f"  {spec.name}  ({said})", *textwrap.wrap(spec.help, 96, initial_indent=indent, subsequent_indent=indent)]


def options_told(words: Sequence[str], asking: str, *kinds: Mapping[str, type]) -> list[str]:
    """Return the options of the first thing of some kinds that is named, or how to ask for them."""
    for kind in kinds:
        for name in words:
            if name in kind:
                lines = [line for spec in specs(kind[name]) for line in _option(spec)]
                return [f"options of {name}, each as --set OPTION=VALUE:", *lines, ""]
    return [f"ridgeline {asking} --help lists the options that --set takes.", ""]


class RecipeVerb(Verb):
    """A verb of a recipe, whose `--help` lists the recipe's options where one is named."""

    def told(self, words: Sequence[str]) -> list[str]:
        """Return the options of the recipe or family that is named."""
        return options_told(words, "fit RECIPE", RECIPES, FAMILIES)

    def check(self, a: Arguments) -> None:
        """Raise OptionError unless there is such a recipe, with such options."""
        load_recipe(a)


def add_workers(parser: argparse.ArgumentParser, usual: int | None = None) -> None:
    """Declare how many processes to use: as many as pay where `usual` is None."""
    help = f"processes of this machine; {usual or 'as many as pay'} if not given; results do not depend on it"
    flag(parser, "--workers N", help, type=whole_from(1), default=usual)


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Declare a cluster to use in place of processes."""
    help = "a Dask scheduler, such as tcp://HOST:8786, or local:N for a cluster of N processes here"
    flag(parser, "--cluster ADDRESS", help, default="")


def add_where(parser: argparse.ArgumentParser) -> None:
    """Declare which trials alone to use."""
    flag(parser, "--where COLUMN=VALUE", "only these trials; also != < <= > >=", several=True)


def conditions(a: Arguments, store: Store) -> list[Condition]:
    """Return what trials have to fulfil; where a text has several signs, what stands left of one is a column's name."""
    found = [_condition(text) for text in a.where]
    if any(set("=<>") & {*column, *value} for column, _, value in found):
        columns = [*store.labels(a.dataset), *(m.name for m in store.metric_names(a.dataset))]
        found = [condition_of(text, columns) or plain for text, plain in zip(a.where, found, strict=True)]
    return found


def add_interval(parser: argparse.ArgumentParser) -> None:
    """Declare how intervals are made."""
    help = (
        "how wide 90 %% intervals are: as wide everywhere (plain), each cluster its own (cluster), wider the "
        "farther from the trained centre (leverage), by the size of the prediction, or by how far "
        "the members of a blend disagree (learnt); auto takes the best on the folds"
    )
    flag(parser, "--interval", help, choices=METHODS, default=AUTO)


def add_scenario(parser: argparse.ArgumentParser) -> None:
    """Declare host and target."""
    flag(parser, "--host MACHINE", "predict the target's response from this machine's counters and response")
    flag(parser, "--target MACHINE", "the machine whose response is predicted; with --host")
    flag(parser, "--host-dataset NAME", "where the host's trials are, if in another dataset")


class Scenario(Frozen):
    """A frame, and what could not be joined where it is of host and target: for `--json`, and for people."""

    frame: Frame
    plain: Mapping[str, Any]
    lines: tuple[str, ...]


def load_frame(a: Arguments) -> Frame:
    """Return the frame that the flags describe."""
    return load_scenario(a, a.response).frame


def frame_of(a: Arguments, response: str, names: Sequence[str], repeats: str = "each") -> Frame:
    """Return the frame of a response over metrics as a model names them, a host's under their own names."""
    a.metrics, a.repeats = None, repeats
    own = [name.removesuffix(f" on {a.host}") if a.host else name for name in names]
    return load_scenario(a, response, own).frame


def load_scenario(a: Arguments, response: str, metrics: Sequence[str] | None = None) -> Scenario:
    """Return the frame of a response, of host and target where these are given, and what could not be joined.

    Where none is named it is the dataset's only one, which the arguments know from then on.
    """
    host, target = getattr(a, "host", None), getattr(a, "target", None)
    if bool(host) != bool(target) or (getattr(a, "host_dataset", None) and not host):
        raise OptionError("--host and --target belong together: the machine whose counters are known, and the other.")
    counted = not getattr(a, "no_counters", False)
    if not counted and (host or a.metrics):
        raise OptionError("--no-counters is of the default choice: give neither --metrics nor --host with it.")
    drawn = Sample(getattr(a, "sample", 0), getattr(a, "seed", 0))
    with open_store(a) as store:
        chosen, where = metrics or _chosen(a, store) or None, conditions(a, store)
        if not response:
            response = a.response = choose_response(store.metric_names(a.dataset), "", a.dataset)
        repeats = a.repeats or usual_repeats(source.format for source in store.datasets.sources(a.dataset))
        if not (host and target):
            gaps = getattr(a, "gaps", "most")
            frame = store.frame(a.dataset, response, chosen, where, sample=drawn, gaps=gaps, counted=counted)
            return Scenario(aggregate(frame, repeats), {}, ())
        sides = store.host_target(
            a.dataset, response, host, target, chosen, where, host_dataset=a.host_dataset, sample=drawn
        )
    found = join(sides, repeats)
    plain = {"host": host, "target": target, "unjoined": [asdict(one) for one in found.unjoined]}
    return Scenario(found.frame, plain, tuple(_unjoined_lines(found.unjoined)))


def _unjoined_lines(unjoined: Sequence[Unjoined]) -> list[str]:
    """Return the first workloads that could not be joined, for people."""
    shown = [
        f"  {' · '.join(t for t in (u.application, u.input, u.setting) if t) or '(unnamed)'}: only on {u.machine}"
        for u in unjoined[:_MOST_SHOWN]
    ]
    more = [f"  and {len(unjoined) - _MOST_SHOWN} more"] if len(unjoined) > _MOST_SHOWN else []
    return [f"{len(unjoined)} workloads are not joined:", *shown, *more] if unjoined else []


def load_recipe(a: Arguments) -> Recipe:
    """Return the recipe with its `--set` options and the seed."""
    return make_recipe(a.recipe, settings_of(a), a.seed)


def settings_of(a: Arguments) -> dict[str, str]:
    """Return the options of `--set OPTION=VALUE`."""
    pairs = (halves(text, "=", "--set takes OPTION=VALUE") for text in a.set)
    return {name.strip(): value for name, value in pairs}


def _chosen(a: Arguments, store: Store) -> tuple[str, ...] | None:
    """Return the names of `--metrics`; a name of the dataset may have commas itself."""
    found, known = names(a.metrics), {m.name for m in store.metric_names(a.dataset)}
    if not found or known.issuperset(found):
        return found
    return names(a.metrics, known.union(store.indicator_names(a.dataset)))


def _condition(text: str) -> Condition:
    for sign in ("!=", "<=", ">=", "=", "<", ">"):
        column, found, value = text.partition(sign)
        if found and column.strip():
            return column.strip(), sign, value.strip()
    raise OptionError(f"--where takes COLUMN=VALUE (or != < <= > >=), got '{text}'.")


def table_lines(table: pd.DataFrame) -> list[str]:
    """Return a table as a person reads it in a terminal."""
    return str(table.to_string(index=False, float_format=lambda v: short_number(v, 4), na_rep="")).splitlines()
