"""The Learning curve view: how many designs are enough, from the ones that were measured."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import OptionError
from core.models import FAMILIES
from core.progress import Progress, in_turn
from core.recipes import RECIPES, Recipe, make_recipe, recipe_label
from core.report.figures.outcome import SHOWN, learning_curves
from core.report.space.learning import Learning, LearningSizes, suggested_sizes
from core.trial import Frame
from core.validate.learning_curve import UNSEEN, learning_curve
from pages._design_space.shown import Shown
from pages._ui.choices import pick, whole
from pages._ui.database import recipe_key
from pages._ui.drawn import literal, show
from pages._ui.jobs import computed, key_of

TITLE, PLACE = "Learning curve", 5

_NONE = "None"


def draw(shown: Shown) -> None:
    """Let the user choose sizes and a second model, and draw the error over the number of designs."""
    if (asked := shown.asked()) is None:
        return
    if asked.recipe is None or asked.frame is None:
        raise OptionError("A saved model cannot be trained again here. Choose a recipe under Model for a curve.")
    with st.grid(2, min_column_width=200, vertical_alignment="bottom"):
        first = st.container()
        beside = _choose_beside(asked.recipe)
    recipes = [asked.recipe, *([] if beside == _NONE else [make_recipe(beside)])]
    sizes, repeats, seed = _choose(asked.frame, recipes, first)
    found = _curves(recipes, asked.frame, sizes, repeats, seed)
    if found is None:
        return
    st.markdown(literal(found.sentence()))
    errors = SHOWN[: len(found.curves)]  # the curve of one has its largest errors, too
    with st.grid(len(errors), min_column_width=400):
        for error in errors:
            with st.container(gap="small"):
                show(learning_curves(found, error), f"learning_{error}")
    st.caption(
        "Learns from more and more of the measured designs, drawn at random, and predicts others that it has not seen."
    )


def _choose(frame: Frame, recipes: Sequence[Recipe], first: DeltaGenerator) -> tuple[LearningSizes, int, int]:
    usual = suggested_sizes(frame, max(one.least_trials for one in recipes))
    n = usual.n_designs
    with first:
        largest = whole("Learn from up to", 1, n, usual.largest, "learn_largest", f"Of {n:,} measured designs")
    with st.expander("More choices", key="more_choices"), st.grid(4, min_column_width=140, vertical_alignment="bottom"):
        step = whole("In steps of", 1, n, usual.step, "learn_step", "The first number learnt from, and what is added")
        test = whole("Unseen designs", 1, n, usual.n_test, "learn_test", "Predicted, and never learnt from")
        repeats = whole("Repeats", 1, 50, 5, "learn_repeats", "How often all is drawn anew")
        seed = whole("Seed", 0, 2**31 - 1, 0, "learn_seed", "Of every draw")
    return LearningSizes(largest, min(step, largest), test, n), repeats, int(seed)


def _choose_beside(recipe: Recipe) -> str:
    offered = [_NONE, *(name for name in (*RECIPES, *FAMILIES) if name != recipe.name)]
    help = "Learns from the same designs and predicts the same ones, with its usual options."
    return pick("Another model beside it", offered, "learn_beside", help, words=recipe_label)


def _curves(recipes: Sequence[Recipe], frame: Frame, of: LearningSizes, repeats: int, seed: int) -> Learning | None:
    key = key_of(frame.digest(), *map(recipe_key, recipes), of, repeats, seed)

    def work(progress: Progress) -> Learning:
        how = (frame, of.sizes, of.n_test, repeats, seed)
        first, *others = (learning_curve(one.asking(UNSEEN).fit, *how, p) for p, one in in_turn(progress, recipes))
        names = [recipe_label(one.name) for one in recipes]
        return Learning(names[0], {"all": first}, {"all": others[0]} if others else {}, *names[1:])

    return computed("learning", "Learning from more and more designs", key, work)
