"""Taking the model away: saved under a name, or as JSON."""

import streamlit as st

from core.codec import to_plain
from core.export import write_model
from core.pipeline import FittedPipeline
from core.recipes import with_validation
from pages._model.tested import Tested
from pages._model.values import why_not_kept
from pages._ui.state import store
from pages._ui.text import file_name, literal


def draw(model: FittedPipeline, dataset: str, tested: Tested, key: str) -> None:
    """Offer to save the model and to download it, with its validated interval if there is one.

    Parameters
    ----------
    key : what the fitted model is known by
    """
    shipped = ready(model, dataset, tested)
    why = why_not_kept(model, key)
    if why:
        st.warning(literal(f"This model cannot be saved or downloaded: {why}"), icon=":material/save:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name", value=_default_name(model, dataset), key="model_name", max_chars=120, width=320,
            help="What the model is called on the Models page.",
        )  # fmt: skip
        if st.button("Save", key="save_model", icon=":material/save:", type="primary"):
            save(shipped, name.strip() or _default_name(model, dataset))
            st.toast(literal(f"Saved as “{name}”. It is on the Models page."), icon=":material/check:")
        st.download_button(
            "Download JSON", lambda: write_model(shipped), file_name(name, ".json"), "application/json",
            key="download_model", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
    if tested.chosen is None:
        st.caption("Without a finished test the model has no intervals; wait for it, or take it as it is.")


def ready(model: FittedPipeline, dataset: str, tested: Tested) -> FittedPipeline:
    """Return the model with the interval and scores of the chosen test, if that is there."""
    if tested.chosen is None:
        return model
    return with_validation(model, tested.chosen, tested.seed, dataset)


def save(model: FittedPipeline, name: str) -> str:
    """Keep a model in the store and return its id."""
    made = model.provenance
    return store().save_model(
        name, write_model(model), dataset=made.dataset, recipe=made.recipe, response=model.response.name,
        n_trials=made.n_trials, scores=to_plain(dict(model.validation)), options=to_plain(dict(made.options)),
    )  # fmt: skip


def _default_name(model: FittedPipeline, dataset: str) -> str:
    return f"{dataset} {model.response.name} {model.provenance.recipe}"
