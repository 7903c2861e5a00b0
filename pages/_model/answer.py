"""The answer of the Model page: how good the shown model is beside two baselines, and the best that can be had."""

from typing import Any

import streamlit as st

from core.progress import Progress
from core.race.auto import Automatic, automatic, verdict_on
from core.race.beside import READABLE
from core.recipes import Recipe
from core.recipes.auto import Auto
from core.report.auto_document import auto_document
from core.trial import Frame
from core.validate.verdict import GOOD, NONE, USABLE, WEAK, Verdict
from pages._ui.cached import digest, recipe_key
from pages._ui.text import literal, percent
from pages._ui.work import computed, key_of, known

BEST = "auto"
UNASKED = 1_000_000
"""Cells, trials times metrics, up to which the best model is looked for without being asked."""
WAIT_S = 0.2
"""The model itself is on the page already; nobody waits for what it is compared with."""
_SIGNS = {GOOD: st.success, USABLE: st.info, WEAK: st.warning, NONE: st.error}
_WORDS = {GOOD: "Good", USABLE: "Usable", WEAK: "Weak", NONE: "No use"}


def draw(frame: Frame, recipe: Recipe, dataset: str) -> None:
    """Draw the verdict on the shown model and what stands beside it, or the job that finds out."""
    found = best(frame, recipe, dataset)
    if found is None:
        return
    verdict = _verdict(frame, recipe, found)
    if verdict is not None:
        _say(verdict)
    _beside(auto_document(found), recipe)


def best(frame: Frame, recipe: Recipe, dataset: str) -> Automatic | None:
    """Return the best model with what it was compared with, None while it is looked for or nobody asked.

    Its options are those of the shown recipe where that is the automatic one.
    """
    own = recipe if isinstance(recipe, Auto) else Auto()
    key = key_of(BEST, digest(frame), recipe_key(own))
    asked = f"asked_{key}"
    unasked = recipe is own or len(frame) * len(frame.metrics) <= UNASKED
    if known(BEST, key) is None and not (unasked or st.session_state.get(asked)):
        st.button(
            "Find the best model", key=f"best_{key}", icon=":material/search:", on_click=_ask, args=(asked,),
            help="Five kinds of models and two baselines on held-out data; the shown model is compared with them",
        )  # fmt: skip
        return None

    def work(progress: Progress) -> Automatic:
        return automatic(frame, own, dataset, progress)

    found: Automatic | None = computed(BEST, "Looking for the best model, and comparing", key, work, wait_s=WAIT_S)
    return found


def _ask(asked: str) -> None:
    st.session_state[asked] = True


def _verdict(frame: Frame, recipe: Recipe, found: Automatic) -> Verdict | None:
    if recipe.name == BEST:
        return found.verdict
    key = key_of("verdict", digest(frame), recipe_key(recipe))
    verdict: Verdict | None = computed(
        "verdict", "Comparing the shown model with the baselines", key,
        lambda progress: verdict_on(found, recipe, progress), wait_s=WAIT_S,
    )  # fmt: skip
    return verdict


def _say(verdict: Verdict) -> None:
    said = f"**{_WORDS[verdict.level]}.** {literal(verdict.says)}"
    _SIGNS[verdict.level](" ".join([said, *(literal(f"{step}") for step in verdict.next[:2])]))


def _beside(plain: dict[str, Any], recipe: Recipe) -> None:
    """Draw held-out errors of the best model, the formula and the baselines, each with the way to see it."""
    winner, formula = plain["winner"], plain["formula"]
    constant, stock = plain["baselines"]
    spread = "" if winner["spread"] is None else f" ± {percent(winner['spread'])} over the folds"
    st.caption(literal(f"Mean error on held-out data, tested on {plain['question']['says']}; less is better."))
    with st.grid(4, min_column_width=140, gap="small"):
        _card("Best model", winner, f"Mean relative error on held-out data{spread}; {plain['question']['says']}.")
        _card("Readable formula", formula, f"{READABLE} as it is by default, on the same folds.")
        _card("Stock extra trees", stock, "scikit-learn's ExtraTreesRegressor as it is, on the same folds.")
        _card("Constant", constant, "The median of the training trials: a model must be better than this.")
    with st.container(horizontal=True):
        for name, label in ((BEST, "Show the best model"), (READABLE, "Show the formula")):
            st.button(
                label, key=f"show_{name}", on_click=_choose, args=(name,), disabled=recipe.name == name, type="tertiary"
            )


def _card(label: str, entry: dict[str, Any], help: str) -> None:
    st.metric(label, percent(entry["mape"]), help=literal(help), border=True)


def _choose(name: str) -> None:
    st.session_state["recipe"] = name
