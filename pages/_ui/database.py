"""The one database of this process, and what is computed from it, kept for everybody who asks for the same.

Values are frozen and shared; nobody may change them. Frames are the large ones, so few of them stay.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pandas as pd
import streamlit as st

from core.curate import aggregate, usual_repeats
from core.errors import RidgelineError
from core.frozen import Frozen
from core.ingest import load_sample
from core.pipeline import FittedPipeline, Pipeline, Prepared
from core.recipes import Recipe
from core.report.model.selection import cut
from core.store import Store
from core.store.cards import Condition, MetricCard
from core.store.folders import FolderSummary
from core.store.inbox import Drainer
from core.trial import Frame, Kind, Measured, Metric
from core.workspace import SAMPLES, database_path
from pages._ui.drawn import literal

FIRST_SAMPLE = "generations"


def store() -> Store:
    """Return the one database of this process; a new one starts with the first sample in it."""
    path = str(database_path())
    return (_OWNED.get(path) or _open(path)).store


def mark_read_only() -> None:
    """Say so where nothing can be stored."""
    if store().read_only:
        st.badge("This database can only be read here: nothing is stored", icon=":material/lock:", color="orange")


class _Owned(Frozen):
    """The database while this process owns it, and the thread that stores what comes into its inbox."""

    store: Store
    drainer: Drainer | None

    def close(self) -> None:
        _OWNED.pop(str(self.store.path), None)
        if self.drainer is not None:
            self.drainer.stop()
        self.store.close()


_OWNED: dict[str, _Owned] = {}
"""What is open, by its path: a page asks for it some hundred times a run, and Streamlit's cache takes its time."""


@st.cache_resource(show_spinner="Opening the database …", on_release=_Owned.close)
def _open(path: str) -> _Owned:
    is_new = not Path(path).exists()
    opened = Store.open(Path(path))
    if is_new and (SAMPLES / FIRST_SAMPLE).is_dir():
        try:
            opened.add(FIRST_SAMPLE, load_sample(SAMPLES / FIRST_SAMPLE))
        except RidgelineError as error:
            st.warning(literal(f"The sample '{FIRST_SAMPLE}' could not be loaded: {error}"))
    _OWNED[path] = _Owned(opened, None if opened.read_only else Drainer(opened).start())
    return _OWNED[path]


def stamp(dataset: str) -> str:
    """Return a text that changes whenever the trials of a dataset, or what counts of them, do."""
    return f"{store().path} {store().datasets.stamp(dataset)}"


P = ParamSpec("P")
T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def held(database: str, what: str) -> dict[str, Any]:
    """Return what is held of a database by a name: it is empty at first, and lives as long as the process."""
    return {}


def room_for(another: dict[str, Any], most: int) -> None:
    """Let go of the oldest where nothing more has room."""
    while len(another) >= most:
        another.pop(next(iter(another)), None)


class Shelf(Frozen):
    """What is kept for everybody by its key; of more than `most`, the latest."""

    name: str
    most: int

    def get(self, key: str) -> Any | None:
        """Return what is kept under a key, None if nothing is."""
        return held("", self.name).get(key)

    def put(self, key: str, value: T) -> T:
        """Keep a value, and return it."""
        there = held("", self.name)
        room_for(there, self.most)
        there[key] = value
        return value


def kept(
    key: Callable[P, Hashable], entries: int, spinner: str | bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep what a function returns for an hour, by the key of its arguments, in every session.

    The values are shared; nobody may change them.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        def made(key: Hashable, _args: Any, _options: Any) -> T:
            return function(*_args, **_options)

        made.__module__, made.__qualname__ = function.__module__, function.__qualname__  # what Streamlit knows it by
        cached = st.cache_resource(max_entries=entries, ttl="1h", show_spinner=spinner)(made)

        @wraps(function)
        def found(*args: P.args, **options: P.kwargs) -> T:
            return cached(key(*args, **options), args, options)

        return found

    return decorate


def _as_stored(dataset: str, *more: Hashable) -> Hashable:
    """Return the key of something made of a dataset: it is made anew when its trials change."""
    return (stamp(dataset), dataset, *more)


@kept(_as_stored, 6)
def frame(
    dataset: str,
    response: str,
    metrics: tuple[str, ...] | None = None,
    where: tuple[Condition, ...] = (),
    repeats: str = "each",
    gaps: str = "most",
    counted: bool = True,
) -> Frame:
    """Return the frame of a dataset as it is stored now, repeats as `aggregate` takes them."""
    return aggregate(store().frame(dataset, response, metrics, where, gaps=gaps, counted=counted), repeats)


@kept(_as_stored, 2)
def everything(dataset: str, response: str, where: tuple[Condition, ...], repeats: str) -> Frame:
    """Return the frame as it would be if no trial were excluded."""
    return aggregate(store().frame(dataset, response, None, where, everything=True), repeats)


def measured(dataset: str, where: tuple[Condition, ...] = ()) -> Measured:
    """Return all trials of a dataset, or those that fulfil conditions, as curation sees them."""
    return store().measured(dataset, where) if where else _measured(dataset)


@kept(_as_stored, 3)
def _measured(dataset: str) -> Measured:
    return store().measured(dataset)


@kept(_as_stored, 16)
def has_repeats(dataset: str) -> bool:
    """Whether a configuration of a dataset was measured more than once."""
    return store().has_repeats(dataset)


@kept(_as_stored, 16)
def default_repeats(dataset: str) -> str:
    """Return what becomes of a dataset's repeats unless the user says otherwise."""
    return usual_repeats(source.format for source in store().datasets.sources(dataset))


@kept(_as_stored, 16)
def labels(dataset: str) -> Mapping[str, tuple[str, ...]]:
    """Return the different values of each role and label of a dataset."""
    return store().labels(dataset)


@kept(_as_stored, 16)
def indicator_names(dataset: str, kinds: tuple[Kind, ...] = tuple(Kind)) -> tuple[str, ...]:
    """Return what can be predicted from of a dataset's texts, one name per value."""
    return store().indicator_names(dataset, kinds)


@kept(_as_stored, 256)
def metric_names(dataset: str) -> tuple[Metric, ...]:
    """Return the metrics of a dataset without looking at their values."""
    return store().metric_names(dataset)


@kept(_as_stored, 16)
def metric_cards(dataset: str) -> tuple[MetricCard, ...]:
    """Return the metrics of a dataset with their ranges."""
    return store().metrics(dataset)


@kept(_as_stored, 4)
def trials(dataset: str, where: tuple[Condition, ...] = ()) -> pd.DataFrame:
    """Return the trials that fulfil all conditions, as a table."""
    return store().trials(dataset, where).drop(columns="id")


@kept(_as_stored, 4)
def folder_summary(dataset: str) -> FolderSummary:
    """Return what all rows of a folder hold."""
    return store().folders.summary(dataset)


def recipe_key(recipe: Recipe) -> str:
    """Return a text that is the same for recipes with the same options."""
    return f"{type(recipe).__module__}:{recipe!r}"


@kept(lambda pipeline, of: (of.digest(), pipeline.preparation), 32)
def prepare(pipeline: Pipeline, of: Frame) -> Prepared:
    """Return what comes before the models, learnt once for all options of the models."""
    return pipeline.prepare(of)


def fitted(of: Frame, recipe: Recipe) -> FittedPipeline:
    """Return the recipe fitted to all trials of a frame; all its thresholds are cuts of one selection."""
    ends = recipe.stopping()
    if ends is None or ends.whole is None or not ends.cuts:
        return _fitted(of, recipe)
    return cut(_fitted(of, ends.whole), ends.threshold, recipe.provenance(of))


@kept(lambda of, recipe: (of.digest(), recipe_key(recipe)), 64)
def _fitted(of: Frame, recipe: Recipe) -> FittedPipeline:
    return recipe.fit(of, prepare=prepare)
