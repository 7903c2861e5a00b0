"""Model: choose a recipe, watch it being selected term by term, see what it is worth, take it away."""

from textwrap import shorten

import streamlit as st

from core.pipeline import FittedPipeline
from core.recipes import Recipe
from core.recipes.auto import Auto
from core.report.shared.naming import predictors
from core.trial import Frame
from pages._model import answer
from pages._model.shown import Shown, draw_headline, say_alike, sentence
from pages._model.values import Tested, choose, fit_key, fit_or_wait, hold_out, hold_out_along
from pages._model.views.selection import draw_curve
from pages._ui.drawn import count, literal, noted
from pages._ui.forms import REOPENED
from pages._ui.page import draw_open, fragment, guard, instrument, page, views_of
from pages._ui.state import choose_counters, choose_gaps, choose_trials

LONGEST_NOTE = 120


@fragment()
def workbench(frame: Frame, dataset: str) -> None:
    """Draw everything that a control of this page changes; it alone runs again when one moves."""
    head, said, controls, picture = instrument()
    with controls:
        recipe, plan, interval, curve = choose(frame)
    with picture:
        say_alike(frame)
        found = _fitted(frame, recipe, dataset)
        if found is None:
            return
        trials, model, fit_s, tested = found
        seed = getattr(recipe, "seed", 0)
        if tested is None:
            tested = Tested(plan, "", seed)
            with guard():  # a model that cannot be tested is shown all the same
                tested = hold_out(trials, recipe, plan, fit_s, seed, interval)
        shown = Shown(trials, recipe, model, fit_s, tested, interval)
        draw_open(views_of("model"), "model_view", shown)
    with head, draw_headline(shown):
        answer.offer_model(model, trials, dataset, tested, shown.key)
    with curve:
        draw_curve(shown)
    with said:
        answer.draw(frame, recipe, dataset, tested, sentence(shown))
    hold_out_along(trials, recipe, tested, interval)


def _fitted(frame: Frame, recipe: Recipe, dataset: str) -> tuple[Frame, FittedPipeline, float, Tested | None] | None:
    """Return trials, model and seconds of a fit, and its test where it has one already; None while a job does it.

    The automatic model comes with its test: on folds inside which everything was chosen.
    """
    if not isinstance(recipe, Auto):
        found = fit_or_wait(frame, recipe)
        return None if found is None else (frame, *found, None)
    best = answer.best(frame, recipe, dataset)
    if best is None:
        return None
    known = Tested(best.plan, fit_key(frame, recipe), recipe.seed, best.validation)
    return best.frame, best.model, best.winner.seconds, known


with page(
    "Model",
    "A formula that predicts the response from the metrics: chosen term by term, and tested on what it has not seen.",
):
    asked = choose_trials()
    if asked is not None:
        frame = asked.frame()
        if asked.metrics is None:
            frame = asked.frame(gaps=choose_gaps(frame.notes), counted=choose_counters(frame.notes))
        sizes = f"{predictors(frame.names)} over {count(len(frame), 'trial')}"
        unit = f" ({frame.response.unit})" if frame.response.unit not in ("", frame.response.name) else ""
        said = f"Predicting {frame.response.name}{unit} from {sizes}."
        notes = noted(frame.notes, gaps="Blanks, on the left", counters="Counters, on the left")
        brief = [shorten(note, LONGEST_NOTE, placeholder=" …") for note in notes]
        st.caption(literal(" ".join([said, *brief])), help=None if brief == notes else literal(" ".join(notes)))
        of, warning = st.session_state.get(REOPENED, ("", ""))
        if of == frame.digest():
            st.warning(literal(warning))
        workbench(frame, asked.dataset)
