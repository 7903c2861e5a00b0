"""The start page: an upload above all, four questions with a sample each, and what is in the database."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

import streamlit as st

from core.frozen import Frozen
from core.ingest import load_sample, samples
from core.store.cards import ModelCard
from core.workspace import SAMPLES
from pages._models.values import label_of, latest
from pages._models.view import MODEL
from pages._trials.files import choose_files
from pages._trials.receipts import KEY as TRIALS_VIEW
from pages._trials.views.upload import draw_files
from pages._ui.choices import DATASET, came_by_link
from pages._ui.database import kept, store
from pages._ui.drawn import count, draw_svg, ground, literal, short
from pages._ui.forms import RACE_AT_ONCE, open_page
from pages._ui.page import ICONS, is_to_turn, left_off, path_of, url_choices

MINIATURES = Path(__file__).parent
"""A picture of each question's answer, which `tests/browser/miniatures.py` draws."""
_MOST_RECENT = 4
_LONGEST = 40


class Question(Frozen):
    """A question in a user's words, and the view of a sample that answers it.

    Attributes
    ----------
    answer : which of the sample's answers is told
    page : the title of the page
    choices, widgets : of that page, in its URL and in the session alone
    """

    title: str
    text: str
    sample: str
    answer: str
    page: str
    choices: Mapping[str, str | list[str]] = field(default_factory=dict)
    widgets: Mapping[str, bool] = field(default_factory=dict)


_COST = "Cycles of a program that was never measured, on 12 processors, by a formula learnt from 85 kernels."
_PARAMETERS = "2,400 designs of a processor with 5 parameters: move a slider, and see what it is worth."
_NEXT = "Cycles on Ice Lake predicted from counters on Haswell, tested on applications held out."
_SCALING = "53 CUDA kernels on 8 to 132 multiprocessors of an H100 and an H200: time and power, from one run."
_RACE = {"host": "haswell", "target": "icelake-server", "entries": "Chosen", "entry": "ridge"}
_RACE |= {"race_folds": "kfold:4:application", "race_beside": "none", "compare_view": "One model"}
QUESTIONS = (
    Question("What will it cost there?", _COST, "generations", "cost", "Model"),
    Question("Which parameters matter?", _PARAMETERS, "design_space", "parameters", "Design space"),
    Question("What will the next machine do?", _NEXT, "generations", "next", "Compare", _RACE, {RACE_AT_ONCE: True}),
    Question("How does it scale?", _SCALING, "gpu_scaling", "scaling", "Scaling"),
)


def draw() -> None:
    """Draw the start page; while files are being imported, nothing but them."""
    asked = url_choices()
    if asked and came_by_link() and not is_to_turn(TRIALS_VIEW):  # the page before said it, when it was left already
        st.query_params.clear()
    elif asked:  # an address of a version that opened on the trials, or a dataset that was imported just now
        st.switch_page(path_of("Trials"), query_params=asked)
    if (place := left_off()) is not None:
        label, icon = literal(f"Continue where you left off: {place.label}"), ":material/history:"
        st.page_link(path_of(place.page), label=label, icon=icon, query_params=place.choices)
    st.header("Drop your own files here", anchor=False)
    files, folder = choose_files()
    if files:
        draw_files(files, folder=folder)
        return
    st.caption(
        "As your tool wrote them: Nsight Compute, nvprof, rocprof, perf stat, Kernel Tuner, logs of simulators and "
        "benchmarks, or any table with one row per trial. Files are recognised by content; nothing is stored before "
        "you press Import."
    )
    st.header("Or begin with a question", anchor=False)
    with st.grid(4, min_column_width=330, border=True):
        for question in QUESTIONS:
            _draw_question(question)
    st.page_link(path_of("Papers"), label="The papers: every figure and table, made again", icon=ICONS["Papers"])
    datasets, models = st.columns(2)
    with datasets:
        known = sorted(store().datasets.all(), key=lambda card: card.created, reverse=True)[:_MOST_RECENT]
        links = [(f"{short(c.name, _LONGEST)} · {count(c.n_trials, 'trial')}", {DATASET: c.name}) for c in known]
        _draw_recent("Recent datasets", "Trials", links, "No dataset yet.")
    with models:
        kept_ones = latest(store().models.all())[:_MOST_RECENT]
        links = [(_said(card), {MODEL: label_of(card)}) for card in kept_ones]
        _draw_recent("Recent models", "Models", links, "No model has been saved yet.")


def _draw_question(question: Question) -> None:
    with st.container(gap="xsmall"):
        pressed = st.button(
            question.title, key=f"ask_{question.page}", icon=ICONS[question.page], type="primary", width="stretch"
        )
        drawn = (MINIATURES / f"{question.answer}.svg").read_text("utf-8").replace("currentColor", ground().ink)
        draw_svg(drawn, question.text)
        st.markdown(question.text)
        st.caption(f"{question.page} · sample {question.sample}{_known(question)}")
    if pressed:
        if question.sample not in store().datasets.names():
            with st.spinner("Loading the sample …"):
                store().add(question.sample, load_sample(SAMPLES / question.sample))
        open_page(path_of(question.page), question.widgets, {DATASET: question.sample, **question.choices})


@kept(lambda question: (question.sample, question.answer), len(QUESTIONS))
def _known(question: Question) -> str:
    """Return the best answer that is known."""
    answers = next((card.answers for card in samples(SAMPLES) if card.name == question.sample), {})
    best = answers.get(question.answer)
    return f" · best known for {literal(best.of)}: {literal(best.says)}" if best else ""


def _draw_recent(title: str, page: str, links: Sequence[tuple[str, dict[str, str]]], none: str) -> None:
    """Draw links to a page, by what they are called, each with the choices that it opens on."""
    st.header(title, anchor=False)
    for label, choices in links:
        st.page_link(path_of(page), label=literal(label), icon=ICONS[page], query_params=choices)
    if not links:
        st.caption(none)


def _said(card: ModelCard) -> str:
    return f"{short(card.name, _LONGEST)} · {card.response} of {short(card.dataset, _LONGEST)}"
