"""Taking the model away: saved under a name, or as JSON."""

from functools import partial

import streamlit as st

from core.codec import to_plain
from core.export import write_model
from core.export.card import write_card
from core.pipeline import FittedPipeline
from core.recipes import with_validation
from core.trial import Frame
from pages._model.values import Tested, why_not_kept
from pages._ui.database import store
from pages._ui.drawn import download, literal, offer


def draw(model: FittedPipeline, frame: Frame, dataset: str, tested: Tested, key: str) -> None:
    """Offer to save the model and to download it, with its validated interval if there is one.

    Parameters
    ----------
    frame : that the model learnt from
    key : what the fitted model is known by
    """
    if refused(model, key):
        return
    made, name = partial(ready, model, frame, dataset, tested), _default_name(model, dataset)
    with st.popover("Save as …", icon=":material/download:", key="keep_open", help="Keep it, or download it"):
        keys = ("model_name", "save_model", "download_model")
        offer(name, keys, lambda chosen: save(made(), chosen), lambda: write_model(made()))
        download("Model card to keep and print", lambda: write_card(made(), name), f"{name}.html", "download_card")
        if tested.chosen is None:
            st.caption("Without a finished test the model has no intervals; wait for it, or take it as it is.")


def refused(model: FittedPipeline, key: str) -> bool:
    """Say why a model that is known by `key` cannot be written to a file, and return whether that is so."""
    if why := why_not_kept(model, key):
        st.warning(literal(f"This model cannot be saved or downloaded: {why}"), icon=":material/save:")
    return bool(why)


def ready(model: FittedPipeline, frame: Frame, dataset: str, tested: Tested) -> FittedPipeline:
    """Return the model with the interval and the record of the chosen test, if that is there."""
    if tested.chosen is None:
        return model
    return with_validation(model, tested.chosen, tested.seed, dataset, frame)


def save(model: FittedPipeline, name: str, note: str = "") -> str:
    """Keep a model in the store and return its id; under a name that is there it becomes the next version."""
    made = model.provenance
    scores = {field: model.validation[field] for field in ("folds", "seed", "scores") if field in model.validation}
    return store().models.save(
        name,
        write_model(model),
        dataset=made.dataset,
        recipe=made.recipe,
        response=model.response.name,
        n_trials=made.n_trials,
        scores=to_plain(scores),
        options=to_plain(dict(made.options)),
        note=note,
    )


def _default_name(model: FittedPipeline, dataset: str) -> str:
    return f"{dataset} {model.response.name} {model.provenance.recipe}"
