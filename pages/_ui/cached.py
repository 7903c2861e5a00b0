"""What pages compute more than once, kept a while: keyed by the digest of what it was made from.

The values are frozen and shared by everybody who asks for the same; nobody may change them.
Frames are the large ones, so few of them stay.
"""

import streamlit as st

from core.pipeline import FittedPipeline
from core.recipes import Recipe
from core.trial import Frame
from core.validate.crossval import Validation, cross_validate
from core.validate.folds import parse_folds
from core.workspace import default_database
from pages._ui.filters import Condition
from pages._ui.state import store

_KEEP = "1h"


def frame(
    dataset: str,
    response: str,
    metrics: tuple[str, ...] | None = None,
    where: tuple[Condition, ...] = (),
) -> Frame:
    """Return the frame of a dataset as it is stored now."""
    return _frame(str(default_database()), _stamp(dataset), dataset, response, metrics, where)


def digest(of: Frame) -> str:
    """Return the key of a frame for other caches and for jobs."""
    return of.digest()


def recipe_key(recipe: Recipe) -> str:
    """Return a text that is the same for recipes with the same options."""
    return f"{type(recipe).__module__}:{recipe!r}"


def fitted(of: Frame, recipe: Recipe) -> FittedPipeline:
    """Return the recipe fitted to all trials of a frame."""
    return _fitted(digest(of), recipe_key(recipe), of, recipe)


def validated(of: Frame, recipe: Recipe, folds: str, seed: int = 0) -> Validation:
    """Return the recipe's validation on folds such as `by:machine`."""
    return _validated(digest(of), recipe_key(recipe), folds, seed, of, recipe)


@st.cache_resource(max_entries=6, ttl=_KEEP, show_spinner=False)
def _frame(
    database: str,
    stamp: str,
    dataset: str,
    response: str,
    metrics: tuple[str, ...] | None,
    where: tuple[Condition, ...],
) -> Frame:
    return store().frame(dataset, response, metrics, where)


@st.cache_resource(max_entries=64, ttl=_KEEP, show_spinner=False)
def _fitted(frame_digest: str, recipe: str, _of: Frame, _recipe: Recipe) -> FittedPipeline:
    return _recipe.fit(_of)


@st.cache_resource(max_entries=16, ttl=_KEEP, show_spinner=False)
def _validated(
    frame_digest: str, recipe: str, folds: str, seed: int, _of: Frame, _recipe: Recipe
) -> Validation:
    return cross_validate(_recipe.fit, _of, parse_folds(folds), seed)


def _stamp(dataset: str) -> str:
    """Return a text that changes whenever the dataset's trials or exclusions do."""
    card = next((c for c in store().datasets() if c.name == dataset), None)
    return f"{card!r} {len(store().exclusions(dataset))}"
