"""What the asked model is worth beside the best that can be had of the same designs."""

from typing import Any

import streamlit as st

from core.recipes.auto import Auto
from core.report.compare.auto_document import auto_document
from core.report.shared.scorecard import fold_label
from pages._design_space.model import KEY, Asked, tested_on
from pages._model.answer import SHOWN, best, better, judged_on, sentence, verdict_of
from pages._ui.choices import act, set_choice
from pages._ui.drawn import percent

_LABELS = {"auto": "Automatic model", "formula": "Readable formula"}


def draw(asked: Asked, dataset: str) -> None:
    """Say what a model that was trained here is worth, with the way to what errs less; a job finds that out.

    It begins when the test on unseen trials is done, which sliders wait for more.
    """
    frame, recipe = asked.learnt, asked.recipe
    if frame is None or recipe is None or not asked.tested or (found := best(frame, recipe, dataset)) is None:
        return
    plan = tested_on(frame)
    verdict = verdict_of(frame, recipe, found, plan, asked.validation)
    if verdict is None:
        return
    plain = auto_document(found)
    entries, own = {name: plain[entry]["mape"] for name, entry in SHOWN}, verdict.mape
    smaller = [  # what is typically less off, but more on average, looks worse beside it
        name for name in better(plain, recipe, verdict) if None in (own, entries[name]) or entries[name] < own
    ]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(sentence(verdict, judged_on(found, frame)), width="stretch")
        for name in smaller:
            look: Any = {"type": "primary" if name == smaller[0] else "secondary"}
            said, help = f"{_LABELS[name]}: {percent(entries[name])}", "Mean error, tested alike"
            act(said, f"take_{name}", "", set_choice, KEY, name, help=help, **look)
    if found.plan != plan and not isinstance(recipe, Auto):  # which is tested where it is compared
        compared, tested = fold_label(str(found.plan)), fold_label(str(plan))
        st.caption(f"This comparison holds out {compared}; the held-out error above, {tested}.")
