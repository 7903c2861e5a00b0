"""What pages compute more than once, kept a while: keyed by the digest of what it was made from.

The values are frozen and shared by everybody who asks for the same; nobody may change them.
Frames are the large ones, so few of them stay.
"""

from collections.abc import Hashable, Mapping

import pandas as pd

from core.curate import aggregate, usual_repeats
from core.pipeline import FittedPipeline, Pipeline, Prepared
from core.recipes import Recipe
from core.report.model.selection import cut
from core.store.cards import Condition, MetricCard
from core.store.folders import FolderSummary
from core.trial import Frame, Kind, Measured, Metric
from pages._ui.database import kept, stamp, store


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
