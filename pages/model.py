"""Model: choose a recipe, watch it being selected term by term, see what it is worth, take it away."""

import streamlit as st

from core.report.outcome import Outcome
from core.trial import Frame
from pages._model import effects, errors, groups, headline, keep, predictions, scores, several, story, whole
from pages._model.controls import choose
from pages._model.fit import fit_or_wait
from pages._model.tested import Tested, hold_out
from pages._model.values import fit_key, held_out_of, outcome_of
from pages._ui.cached import frame as load_frame
from pages._ui.page import guard, page
from pages._ui.state import choose_dataset, choose_metrics, choose_repeats, choose_response, choose_where
from pages._ui.text import count, literal

VIEWS = ("Predictions", "Selection", "Effects", "Errors", "Groups", "Scores", "Formula")
OUTCOME_VIEWS = ("Predictions", "Errors", "Groups")
HELD_OUT, TRAINING = "held out", "training"


@st.fragment
def workbench(frame: Frame, dataset: str) -> None:
    """Draw everything that a control of this page changes; it alone runs again when one moves."""
    with guard():
        recipe, plan, interval = choose(frame)
        several.draw(frame)
        found = fit_or_wait(frame, recipe)
        if found is None:
            return
        model, fit_s = found
        key = fit_key(frame, recipe)
        training = outcome_of(frame, recipe, model)
        head = st.container()
        tested = hold_out(frame, recipe, plan, fit_s, getattr(recipe, "seed", 0), interval)
        with head:
            headline.draw(model, frame, training, tested)
        keep.draw(model, frame, dataset, tested, key)
        opened = st.tabs(VIEWS, key="model_view", bind="query-params")
        view = next(name for name, tab in zip(VIEWS, opened, strict=True) if tab.open)
        with opened[VIEWS.index(view)]:
            if view in OUTCOME_VIEWS:
                value = _choose_outcome(frame, training, tested, model.scale.log)
                if view == "Predictions":
                    predictions.draw(model, frame, value)
                elif view == "Errors":
                    errors.draw(model, frame, value)
                else:
                    groups.draw(frame, value)
            elif view == "Selection":
                story.draw(model, frame, recipe, fit_s)
            elif view == "Effects":
                effects.draw(model, frame, key)
            elif view == "Scores":
                scores.draw(training, tested)
            else:
                whole.draw(model)


def _choose_outcome(frame: Frame, training: Outcome, tested: Tested, log: bool) -> Outcome:
    """Let the user look at held-out trials (where a test is there) or at training ones."""
    if tested.chosen is None:
        st.caption("These are the trials that the model learnt from; a finished test shows unseen ones.")
        return training
    chosen = st.segmented_control(
        "Trials", (HELD_OUT, TRAINING), default=HELD_OUT, required=True, key="seen", bind="query-params",
        help="Held out: each predicted by a model that has not seen its fold. Training: predicted by the model itself.",
    )  # fmt: skip
    return training if chosen == TRAINING else held_out_of(frame, tested.chosen, tested.key, log)


with page(
    "Model",
    "A formula that predicts the response from the metrics: chosen term by term, and tested on what it has not seen.",
):
    dataset = choose_dataset()
    if dataset is not None:
        response = choose_response(dataset)
        asked = choose_metrics(dataset, response), choose_where(dataset), choose_repeats(dataset)
        frame = load_frame(dataset, response, *asked)
        sizes = f"{count(len(frame.metrics), 'metric')} over {count(len(frame), 'trial')}"
        unit = f" ({frame.response.unit})" if frame.response.unit not in ("", frame.response.name) else ""
        said = f"Predicting {frame.response.name}{unit} from {sizes}."
        st.caption(literal(" ".join([said, *(f"{note[:1].upper()}{note[1:]}." for note in frame.notes)])))
        workbench(frame, dataset)
