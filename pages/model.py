"""Model: choose a recipe, watch it being selected term by term, see what it is worth, take it away."""

from dataclasses import dataclass

import streamlit as st

from core.pipeline import FittedPipeline
from core.recipes import Recipe
from core.recipes.auto import Auto
from core.report.shared.outcome import Outcome
from core.store import GAPS
from core.trial import Frame
from core.validate.folds import FoldPlan
from pages._model import answer, effects, errors, groups, headline, keep, predictions, scores, several, story, whole
from pages._model.controls import choose
from pages._model.tested import Tested, hold_out
from pages._model.values import fit_key, fit_or_wait, held_out_of, outcome_of
from pages._ui.choices import switch
from pages._ui.layout import instrument, open_view
from pages._ui.page import fragment, page
from pages._ui.state import choose_gaps, choose_trials
from pages._ui.text import count, literal, noted, short

VIEWS = ("Predictions", "Selection", "Effects", "Errors", "Groups", "Scores", "Formula")
OUTCOME_VIEWS = ("Predictions", "Errors", "Groups")
FOLDS = FoldPlan("kfold", 5)
LONGEST_NOTE = 120
HELD_OUT, TRAINING = "held out", "training"


@fragment()
def workbench(frame: Frame, dataset: str) -> None:
    """Draw everything that a control of this page changes; it alone runs again when one moves."""
    head, said, controls, picture = instrument()
    with controls:
        chosen = choose(frame)
    with picture:
        several.draw(frame)
        found = _fitted(frame, chosen.recipe, dataset)
        if found is None:
            return
        trials, model, fit_s, tested = found
        seed = getattr(chosen.recipe, "seed", 0)
        tested = tested or hold_out(trials, chosen.recipe, chosen.plan, fit_s, seed, chosen.interval)
        training = outcome_of(trials, chosen.recipe, model)
        _views(Shown(trials, chosen.recipe, model, fit_s, tested, training, chosen.interval))
    with head, headline.draw(model, trials, training, tested):
        keep.draw(model, trials, dataset, tested, fit_key(frame, chosen.recipe))
    if chosen.curve is not None:
        with chosen.curve:
            story.draw_curve(trials, chosen.recipe, model)
    with said:
        answer.draw(frame, chosen.recipe, dataset, tested, headline.sentence(training, tested))


@dataclass(frozen=True)
class Shown:
    """The model in view: what it learnt from, how, and how well."""

    frame: Frame
    recipe: Recipe
    model: FittedPipeline
    fit_s: float
    tested: Tested
    training: Outcome
    interval: str

    def on_random_folds(self) -> Tested | None:
        """Return the test on random folds, drawn while it runs; None where the chosen one is that, or they are few.

        The automatic model has the folds inside which everything was chosen, and no others.
        """
        few = len(set(self.frame.configuration.tolist())) < FOLDS.count
        if few or self.tested.plan.how == FOLDS.how or isinstance(self.recipe, Auto):
            return None
        return hold_out(self.frame, self.recipe, FOLDS, self.fit_s, self.tested.seed, self.interval)


def _views(shown: Shown) -> None:
    frame, model = shown.frame, shown.model
    view, place = open_view(VIEWS, "model_view")
    with place:
        if view in OUTCOME_VIEWS:
            row = st.container(horizontal=True, vertical_alignment="center", gap="small")
            with row:
                value = _choose_outcome(frame, shown.training, shown.tested, model.scale.log)
            if view == "Predictions":
                predictions.draw(model, frame, value, row)
            elif view == "Errors":
                errors.draw(model, frame, value, row)
            else:
                groups.draw(frame, value, shown.recipe, shown.tested)
        elif view == "Selection":
            story.draw(model, frame, shown.recipe, shown.fit_s)
        elif view == "Effects":
            effects.draw(model, frame, fit_key(frame, shown.recipe))
        elif view == "Scores":
            scores.draw(shown.training, shown.tested, shown.on_random_folds())
        else:
            whole.draw(model)


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


def _choose_outcome(frame: Frame, training: Outcome, tested: Tested, log: bool) -> Outcome:
    """Let the user look at held-out trials (where a test is there) or at training ones."""
    if tested.chosen is None:
        st.caption("Trained trials, until the test of unseen ones has ended.", width="content")
        return training
    help = "Held out: each predicted by a model that has not seen its fold. Training: predicted by the model itself."
    chosen = switch("Trials", (HELD_OUT, TRAINING), "seen", help, label_visibility="collapsed", width="content")
    return training if chosen == TRAINING else held_out_of(frame, tested.chosen, tested.key, log)


with page(
    "Model",
    "A formula that predicts the response from the metrics: chosen term by term, and tested on what it has not seen.",
):
    asked = choose_trials()
    if asked is not None:
        frame = asked.frame()
        if asked.metrics is None and (gaps := choose_gaps(frame.notes)) != GAPS[0]:
            frame = asked.frame(gaps=gaps)
        sizes = f"{count(len(frame.metrics), 'metric')} over {count(len(frame), 'trial')}"
        unit = f" ({frame.response.unit})" if frame.response.unit not in ("", frame.response.name) else ""
        said = f"Predicting {frame.response.name}{unit} from {sizes}."
        notes = noted(frame.notes, "Blanks, on the left")
        brief = [short(note, LONGEST_NOTE) for note in notes]
        st.caption(literal(" ".join([said, *brief])), help=None if brief == notes else literal(" ".join(notes)))
        workbench(frame, asked.dataset)
