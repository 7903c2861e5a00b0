"""The view of all models: who wins, what that is worth, and a row each."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.report.compare.race_document import document_bytes, race_document
from core.report.compare.race_table import APART, BESIDE_COLUMNS, MEANINGS, bounded, race_table, winner_sentence
from core.report.document.race import race_page
from core.report.figures.race import race_dots
from core.report.shared.scorecard import folds_in_words
from pages._compare.result import Result
from pages._model.answer import sentence
from pages._ui.choices import set_choice
from pages._ui.drawn import download, literal, percent, show, table
from pages._ui.jobs import computed

TITLE, PLACE = "Standings", 1


def headline(result: Result, several: bool) -> None:
    """Draw what the choice of a winner is worth on what nobody had seen."""
    nested = result.race.nested.scores if result.race.nested is not None else None
    beside = result.beside.nested if result.beside is not None else None
    missing = len(result.entries) - len(result.race.standings)
    title = f"{result.title}: " if several else ""
    with st.grid(6, min_column_width=110, gap="small"):
        if nested is not None:
            st.metric(literal(f"{title}Held-out error, nested"), percent(nested.mape), help=_NESTED)
            st.metric("★ alone, held out", percent(result.line(result.race.winner).mape), help=_ALONE)
            st.metric("Within 10 %", percent(nested.inliers_10), help="Of the held-out predictions.")
            st.metric("Within 20 %", percent(nested.inliers_20), help="Of the held-out predictions.")
        if nested is not None and beside is not None:
            st.metric("On random folds", percent(beside.scores.mape), help=_BESIDE)
        if missing:
            st.metric("Not finished", f"{missing} of {len(result.entries)}", help="Entries; the race can go on.")


def say_winner(result: Result, several: bool) -> None:
    """Say who wins, and once all has run what that is worth."""
    title = f"{result.title}: " if several else ""
    st.markdown(literal(title + winner_sentence(result.race, result.beside)))
    if result.race.nested is not None and len(result.race.standings) == len(result.entries):
        verdict = computed(f"verdict {result.title}", _JUDGING, result.key, result.judged)
        if verdict is not None:
            st.markdown(sentence(verdict))


_JUDGING = "Comparing the winner with a constant and stock extra trees"
_NESTED = (
    "Mean absolute percentage error (MAPE) of the whole procedure: for each fold the winner is chosen anew inside the "
    "training trials, and predicts the fold. The smallest error of the table is picked on these folds, so it flatters."
)
_ALONE = "The winner's own error on the same folds, as in the table: the same models on each, whatever won inside it."
_BESIDE = (
    "The same procedure on folds dealt at random. Close relatives of what is held out stay in training, so it looks "
    "better than it is for what is really new."
)


def draw(results: Sequence[Result]) -> None:
    """Draw the errors of all models, then a table per scenario, and what can be taken away."""
    for i, result in enumerate(results):
        named = [folds_in_words(race.folds) for race in (result.race, result.beside) if race is not None]
        if len(results) > 1:
            st.header(literal(result.title), anchor=False)
        show(race_dots(result.lines, result.race.winner, *named), f"race_dots_{i}", download=False)
    help = "A further column: the share of workloads predicted within so many percent of the truth."
    threshold = st.slider("Count predictions within (%)", 1, 100, 5, key="within", bind="query-params", help=help)
    for i, result in enumerate(results):
        _table(result, i, threshold, several=len(results) > 1)
    name = f"{results[0].dataset} race.json"
    download("Race as JSON", lambda: document_bytes(_document(results)), name, "race_json")


def _document(results: Sequence[Result]) -> dict[str, object]:
    """Return one race as it is, several by their titles."""
    found: dict[str, dict[str, object]] = {r.title: race_document(r.frame, r.race, r.beside) for r in results}
    return {"races": found} if len(found) > 1 else next(iter(found.values()))


def _table(result: Result, i: int, threshold: float, *, several: bool) -> None:
    key = f"standings_{i}"
    shown = race_table(result.frame, result.lines, result.race.winner, threshold)
    if result.beside is None:
        shown = shown.drop(columns=[c for c in BESIDE_COLUMNS if c in shown])
    of = f"{result.title}: errors" if several else "Errors"
    told = "★ is the winner, here with its own error. Click a row to look at a model."
    st.caption(literal(f"{of} on {folds_in_words(result.race.folds)}; {told}"))
    alt = "All models with error, spread over folds, features and time"
    look = {"column_config": _columns(shown), "height": min(38 + 35 * len(shown), 760), "selection_mode": "single-row"}
    table(bounded(shown), key, alt, values=shown, on_select=lambda: _look_at(result, key), **look)
    title, name = result.title if several else "", f"{result.dataset} race.html"
    made = partial(race_page, result.frame, result.race, result.dataset, title)
    download("Report to keep and print", made, name, f"race_html_{i}")


def _columns(shown: pd.DataFrame) -> dict[str, object]:
    """Return how the columns are shown: three digits, and what each means."""
    texts = ("kind", "scale and weights", "cannot run because", APART)
    whole = ("features", "features per fold")
    found: dict[str, object] = {
        str(c): st.column_config.NumberColumn(format=None if c in whole else "%.3g", help=MEANINGS.get(str(c)))
        for c in shown.columns
        if c not in texts
    }
    found |= {name: st.column_config.TextColumn(help=MEANINGS[name]) for name in ("kind", APART)}
    return found | {"model": st.column_config.TextColumn(pinned=True, width="medium")}


def _look_at(result: Result, key: str) -> None:
    """Open the chosen row's model."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and result.lines[rows[0]].validation is not None:
        set_choice("look", result.lines[rows[0]].entry)
        set_choice("scenario", result.title)
        st.session_state["compare_view"] = "One model"
