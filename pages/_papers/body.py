"""The Papers page: which paper on which trials, how far it is, and the document, to read here and to keep."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.progress import Progress
from core.reproduce import PAPERS
from core.reproduce.artefact import Paper, Trials, sample_store
from core.reproduce.document import reproduce, reproduction_page
from core.store import Store
from core.trial import Kind
from pages._ui.choices import pick, switch, whole
from pages._ui.database import metric_names, stamp, store
from pages._ui.drawn import download, literal
from pages._ui.jobs import Work, begun, computed, key_of

SAMPLE = "the paper's sample"
_KIND, _HEIGHT = "reproduce", 900


def draw() -> None:
    """Let the user choose a paper and trials, and draw what comes of it."""
    papers = {paper.title: paper for paper in PAPERS.values()}
    paper = papers[switch("Paper", list(papers), "paper")]
    st.markdown(literal(f"{paper.question} {paper.citation}."))
    with st.grid(3, min_column_width=200, vertical_alignment="bottom"):
        help = f"The sample {paper.sample} stands for the paper's measurements. {paper.ours}"
        dataset = pick("Trials", [SAMPLE, *store().datasets.names()], "paper_trials", help)
        response = _response(dataset)
        seed = whole("Seed", 0, 1000, 0, "paper_seed", "Of every random draw; the same seed gives the same numbers.")
    key = key_of(paper.name, dataset, response, seed, "" if dataset == SAMPLE else stamp(dataset))
    button = {"key": "reproduce", "type": "primary", "icon": ":material/play_arrow:"}
    if not begun(_KIND, key, "Make it again", **button):
        st.caption("The samples take from ten seconds to two minutes; you may leave the page meanwhile.")
        return
    work = _work(paper, dataset, response, seed)
    raw = computed(_KIND, f"{paper.title} on {dataset}", key, work)
    if raw is not None:
        download("Document to keep and print", raw, f"{paper.name} on {dataset}.html", "paper_html")
        st.iframe(raw.decode(), height=_HEIGHT)


def _response(dataset: str) -> str:
    """Let the user choose what to predict, where there is a choice."""
    names = [] if dataset == SAMPLE else [m.name for m in metric_names(dataset) if m.kind is Kind.RESPONSE]
    return pick("Response", names, "paper_response", "What the paper's method predicts.") if names else ""


def _work(paper: Paper, dataset: str, response: str, seed: int) -> Work:
    def work(progress: Progress) -> bytes:
        with _opened(paper, dataset) as opened:
            trials = Trials(opened, paper.sample if dataset == SAMPLE else dataset, response)
            return reproduction_page(reproduce(paper, trials, seed, progress))

    return work


@contextmanager
def _opened(paper: Paper, dataset: str) -> Iterator[Store]:
    """Give the database of the app, or one with the paper's sample alone."""
    if dataset != SAMPLE:
        yield store()
        return
    with sample_store(paper.sample) as opened:
        yield opened
