"""A paper made again as a document: every figure and table beside what is printed, or why it cannot be had."""

from html import escape
from typing import Any

from core.codec import Frozen, fields_of
from core.progress import Progress, in_turn, silent
from core.report.document import html
from core.reproduce.artefact import Artefact, Given, Made, Paper, Trials

_SHORT = 12


class Reproduction(Frozen):
    """A paper made again on some trials.

    Attributes
    ----------
    made : per artefact of the paper, in its order
    """

    paper: Paper
    dataset: str
    response: str
    n_trials: int
    trials_sha256: str
    seed: int
    made: tuple[tuple[Artefact, Made], ...]

    @property
    def absent(self) -> tuple[str, ...]:
        """The titles of what cannot be had."""
        return tuple(artefact.title for artefact, made in self.made if made.absent)


def reproduce(paper: Paper, source: Trials, seed: int = 0, progress: Progress = silent) -> Reproduction:
    """Make every figure and table of a paper.

    Raises
    ------
    RidgelineError
        If there are no trials.
    """
    given = Given(source, seed)
    frame, made = given.frame, []
    for told, artefact in in_turn(progress, paper.artefacts):
        told(0.0, artefact.title)
        made.append((artefact, artefact.made(given, told)))
    progress(1.0, "Done")
    return Reproduction(paper, source.dataset, source.response, len(frame), frame.digest(), seed, tuple(made))


def reproduction_page(found: Reproduction) -> bytes:
    """Return the document."""
    paper, absent = found.paper, found.absent
    n = len(found.made)
    said = f"{n - len(absent)} of {n} kinds of figures and tables are made here from {found.dataset}."
    honest = f"{said} What cannot be had stands beside them with its reason." if absent else said
    data = [
        ("Paper", paper.citation),
        ("Dataset", found.dataset),
        ("Response", found.response),
        ("Trials", f"{found.n_trials:,}"),
        ("Seed", str(found.seed)),
        ("SHA-256 of the trials", found.trials_sha256),
    ]
    contents = [f"{a.title}{': cannot be had' if m.absent else ''}" for a, m in found.made]
    own = paper.ours if found.dataset == paper.sample else "Trials of your own; the paper's were measured elsewhere."
    parts = [
        html.head("Paper, made again", paper.title, escape(paper.question), honest),
        html.section("Trials and contents", html.paragraph(own) + html.facts(data) + html.listed(contents)),
        *(html.section(escape(artefact.title), _body(made)) for artefact, made in found.made),
    ]
    return html.page(f"{paper.title}, on {found.dataset}", "paper, made again", parts).encode()


def _body(made: Made) -> str:
    rows = [[html.cell(c.what), html.cell(c.paper), html.cell(c.here), html.cell(c.differs)] for c in made.compared]
    return "".join(
        [
            html.paragraph(made.absent, "absent"),
            html.table(["", "printed in the paper", "here", "what differs"], rows) if rows else "",
            html.figures(made.pictures),
            *(html.folded(t.title, html.frame_table(t.frame), opened=len(t.frame) <= _SHORT) for t in made.tables),
            html.listed(made.notes, "quiet") if made.notes else "",
        ]
    )


def reproduction_plain(found: Reproduction) -> dict[str, Any]:
    """Return the numbers for JSON."""
    return {
        "paper": found.paper.name,
        "citation": found.paper.citation,
        **fields_of(found, "dataset response n_trials trials_sha256 seed"),
        "artefacts": [
            {
                "title": artefact.title,
                "absent": made.absent,
                "compared": [vars(c) for c in made.compared],
                "captions": [p.alt for p in made.pictures],
                "tables": [{"title": t.title, "rows": t.frame.to_dict("records")} for t in made.tables],
                "notes": list(made.notes),
            }
            for artefact, made in found.made
        ],
    }
