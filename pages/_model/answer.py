"""How good the shown model is beside two baselines, the best that can be had, and taking it away."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from core.codec import to_plain
from core.export import write_model
from core.export.card import write_card
from core.pipeline import FittedPipeline
from core.race.auto import Automatic, automatic, verdict_on
from core.race.versus import READABLE
from core.recipes import RECIPES, Recipe, with_validation
from core.recipes.auto import Auto
from core.report.compare.race_document import auto_document
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan
from core.validate.verdict import GOOD, NONE, USABLE, WEAK, Verdict
from pages._model.values import USUAL, Tested, along_threshold, why_not_kept
from pages._ui.choices import act, in_url, set_choice
from pages._ui.database import recipe_key, store
from pages._ui.drawn import download, literal, offer, percent
from pages._ui.jobs import Work, ahead, computed, key_of, known

BEST, _VERDICT, _OPENED = "auto", "verdict", "_opened_models"
UNASKED = 50_000_000
"""Cells, trials times metrics, up to which the best model is looked for without being asked, among drawn trials."""
MOST_TRIALS, MOST_CELLS = 5_000, 400_000
"""Trials, and trials times metrics, up to which no trials are drawn to compare models on, so that the shown one's error
is the same wherever it stands: one or two minutes of a processor."""
WAIT_S = 0.2
"""The model itself is on the page already; nobody waits for what it is compared with."""
SHOWN, LESS = ((READABLE, "formula"), (BEST, "winner")), 0.9
_COLOURS = {GOOD: "green", USABLE: "blue", WEAK: "orange", NONE: "red"}
_WORDS = {GOOD: "Good", USABLE: "Usable", WEAK: "Weak", NONE: "No use"}


def draw(frame: Frame, recipe: Recipe, dataset: str, tested: Tested, otherwise: str) -> None:
    """Draw the verdict on the shown model and what stands beside it, or the job that finds out.

    Parameters
    ----------
    otherwise : what is said of the model where there is no verdict yet
    """
    found = best(frame, recipe, dataset)
    verdict = None if found is None else _verdict(frame, recipe, found, tested)
    if verdict is None and otherwise:
        st.markdown(literal(otherwise))
    if found is None:
        return
    plain, drawn, smaller = auto_document(found), judged_on(found, frame), list[str]()
    if verdict is not None:
        smaller = better(plain, recipe, verdict)
        if _opens(frame, recipe, tested) and smaller[:1] == [READABLE] and not drawn:
            set_choice("recipe", READABLE)
            st.rerun()
        _say(verdict, drawn)
    former = st.session_state.get(_OPENED, {}).get(frame.digest(), "") if recipe.name == READABLE else ""
    _beside(plain, recipe, drawn, smaller, former, None if verdict is None else verdict.mape)


def best(frame: Frame, recipe: Recipe, dataset: str) -> Automatic | None:
    """Return the best model with what it was compared with, None while it is looked for or nobody asked.

    Its options are those of the shown recipe where that is the automatic one.
    """
    own = _compared_on(frame, recipe if isinstance(recipe, Auto) else Auto())
    key = key_of(BEST, frame.digest(), recipe_key(own))
    asked = f"asked_{key}"
    unasked = isinstance(recipe, Auto) or len(frame) * len(frame.metrics) <= UNASKED
    if known(BEST, key) is None and not (unasked or st.session_state.get(asked)):
        help = "Five kinds of models and two baselines on held-out data; the shown model is compared with them"
        act("Find the best model", f"best_{key}", "search", st.session_state.__setitem__, asked, True, help=help)
        return None
    title = "Looking for the best model, and comparing"
    return computed(BEST, title, key, lambda progress: automatic(frame, own, dataset, progress), WAIT_S)


def _compared_on(frame: Frame, own: Auto) -> Auto:
    """Return the automatic recipe on all trials, where these are few enough and nobody said how many to draw."""
    unsaid, n = own.raced == Auto().raced, len(frame)
    all_of_them = unsaid and own.raced < n <= MOST_TRIALS and n * len(frame.metrics) <= MOST_CELLS
    return replace(own, raced=n) if all_of_them else own


def verdict_of(
    frame: Frame, recipe: Recipe, found: Automatic, plan: FoldPlan, own: Validation | None
) -> Verdict | None:
    """Return the verdict on the shown model, None while a job finds out or the page tests it.

    Parameters
    ----------
    plan, own : the folds on which the page tests it, and that test if it is done: it serves where the folds are alike
    """
    if recipe.name == BEST:
        return found.verdict
    if _tested_alike(frame, found, plan):
        return None if own is None else verdict_on(found, recipe, own=own)
    key, title = _verdict_key(frame.digest(), recipe), "Comparing the shown model with the baselines"
    return computed(_VERDICT, title, key, _judge(found, recipe))


def _verdict(frame: Frame, recipe: Recipe, found: Automatic, tested: Tested) -> Verdict | None:
    """Return the verdict on the shown model; those on it with other thresholds are found out behind the page."""
    verdict, of = verdict_of(frame, recipe, found, tested.plan, tested.chosen), frame.digest()
    known = verdict is None or _tested_alike(frame, found, tested.plan)
    if not known and len(others := along_threshold(recipe)):
        works = {f"{_VERDICT}-{_verdict_key(of, other)}": _judge(found, other) for other in others}
        ahead("verdicts", "Comparing every threshold with the baselines", works)
    return verdict


def _tested_alike(frame: Frame, found: Automatic, plan: FoldPlan) -> bool:
    return plan == found.plan and found.frame.digest() == frame.digest()


def _verdict_key(of: str, recipe: Recipe) -> str:
    return key_of(_VERDICT, of, recipe_key(recipe))


def _judge(found: Automatic, recipe: Recipe) -> Work:
    return lambda progress: verdict_on(found, recipe, progress)


def judged_on(found: Automatic, frame: Frame) -> str:
    """Return how many trials were drawn to be compared on; "" where it is all of them."""
    n, every = len(found.frame), len(frame)
    return f"{n:,} of the {every:,} trials" if n < every else ""


def _say(verdict: Verdict, drawn: str) -> None:
    """Say what the model is worth, and below it, smaller, what would help most; on hovering all that would."""
    st.markdown(sentence(verdict, drawn))
    if verdict.next:
        more = "\n".join(f"- {literal(one)}" for one in verdict.next) if len(verdict.next) > 1 else None
        st.caption(literal(verdict.next[0]), help=more)


def sentence(verdict: Verdict, drawn: str = "") -> str:
    """Return what a model is worth as Markdown, in bold print where that is nothing.

    Parameters
    ----------
    drawn : how many trials it was judged on, where that is not all
    """
    says = literal(f"Learning from {drawn}: {verdict.says[:1].lower()}{verdict.says[1:]}" if drawn else verdict.says)
    said = f":{_COLOURS[verdict.level]}-badge[{_WORDS[verdict.level]}] {says}"
    return f"**{said}**" if verdict.level == NONE else said


def _opens(frame: Frame, recipe: Recipe, tested: Tested) -> bool:
    """Whether this is the first verdict of a session on these trials, and nobody has chosen a model yet.

    What was shown until then is kept in words, for the way back to it.
    """
    known = st.session_state.setdefault(_OPENED, {})
    first = frame.digest() not in known and not in_url("recipe") and recipe == RECIPES[USUAL]()
    shown = None if tested.chosen is None else tested.chosen.scores.mape
    known.setdefault(frame.digest(), f"{RECIPES[USUAL].label}: {percent(shown)}" if first else "")
    return first


def better(plain: dict[str, Any], recipe: Recipe, verdict: Verdict) -> list[str]:
    """Return what errs a tenth less than the shown model, and less than the constant: the formula before the best."""
    over = verdict.over_constant
    least = 0.0 if over is None else min(LESS * over.first, over.second)
    return [name for name, entry in SHOWN if recipe.name != name and (plain[entry]["log_error"] or least) < least]


def _beside(
    plain: dict[str, Any], recipe: Recipe, drawn: str, smaller: Sequence[str], former: str, mape: float | None
) -> None:
    """Draw held-out errors of the best model, the formula and the baselines, with the way to see the first two.

    Parameters
    ----------
    former : what the page showed before it went over to the formula; "" where it did not
    mape : the shown model's own error on the same trials; the headline has it where these are all
    """
    constant, stock = (percent(entry["mape"]) for entry in plain["baselines"])
    spread = plain["winner"]["spread"]
    apart = "" if spread is None else f" ± {percent(spread)} over the folds"
    errors = [entry["mape"] for entry in (plain["winner"], plain["formula"], *plain["baselines"])]
    best = "Best model" if errors[0] == min((e for e in errors if e is not None), default=None) else "Automatic model"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        help = f"Mean error, tested on {literal(plain['question']['says'])}{apart}"
        for name, label, entry in ((BEST, best, "winner"), (READABLE, "Readable formula", "formula")):
            said = f"{label}: {percent(plain[entry]['mape'])}"
            none = plain[entry]["mape"] is None is plain[entry]["log_error"]
            look: Any = {"type": "primary" if [name] == list(smaller[:1]) else "secondary", "help": help}
            act(said, f"show_{name}", "", set_choice, "recipe", name, disabled=recipe.name == name or none, **look)
        if former:
            said = "Shown first. Tested alike, the formula errs at least a tenth less."
            act(former, f"show_{USUAL}", "", set_choice, "recipe", USUAL, help=said)
        own = f"this model: {percent(mape)} · " if drawn and mape and recipe.name not in dict(SHOWN) else ""
        told = f"{own}stock extra trees: {stock} · constant: {constant}{f' · all from {drawn}' if drawn else ''}"
        st.caption(literal(told), help="Mean errors on held-out data.", width="content")


def offer_model(model: FittedPipeline, frame: Frame, dataset: str, tested: Tested, key: str) -> None:
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
    """Return the model with its dataset, and with the interval and the record of the chosen test, if that is there."""
    if tested.chosen is None:
        return replace(model, provenance=replace(model.provenance, dataset=dataset))
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
