"""The model card: one HTML file that says what a model is, where it holds, how good it is; to send to a colleague."""

from hashlib import sha256
from html import escape
from textwrap import indent
from typing import ClassVar

import numpy as np

from core.codec import MAX_BYTES, FloatArray
from core.errors import count
from core.export._c_text import wrapped
from core.export._lower import reason_against
from core.export._names import comment, filled
from core.export.base import Exporter
from core.export.c import C
from core.export.json import Json, most_bytes
from core.models.parts.story import Importance
from core.pipeline import FittedPipeline
from core.report.document import html
from core.report.document.charts import Sketch, over_measured, scatter
from core.report.figures.points import middle
from core.report.model import card
from core.report.model.card import Range, middle_row
from core.report.shared.svg import axis_for
from core.trial import Metric
from core.validate.record import GroupScores, Points, Record, recorded

MOST_NAMES = 12
"""Metrics whose names stand in a snippet; the numbers of all do."""


def code_snippets(model: FittedPipeline) -> tuple[tuple[str, str], ...]:
    """Return a program of C and a script of Python that predict one row; none if the model is no code."""
    if reason_against(model) is not None:
        return ()
    names, left = list(model.names)[:MOST_NAMES], len(model.names) - MOST_NAMES
    more = f" and {left:,} more, in the order that the file lists" if left > 0 else ""
    listed = ", ".join(map(comment, names)) + more
    numbers = wrapped([f"{v:.4g}" for v in middle_row(model)], 80)
    name = C().name(model)
    c = filled("use.c", names=listed, numbers=indent(numbers, "    "), name=name, NAME=name.upper()).rstrip()
    return (
        ("C, with a compiler and nothing else", c),
        ("Python, without Ridgeline or any package", filled("use.txt", names=listed, numbers=numbers).rstrip()),
    )


_GROUP_COLUMNS = (
    ("mape", "MAPE (%)"),
    ("median_ape", "Median error (%)"),
    ("inliers_20", "Within 20 % (% of trials)"),
    ("coverage_90", "In 90 % interval (% of trials)"),
    ("n", "Trials"),
)


def _head(model: FittedPipeline, title: str, note: str, known: dict[str, str], honest: str) -> str:
    said = honest or "It was never tested on trials that it had not seen: nobody knows how good it is."
    trials, data = known.get("Trials", ""), known.get("Dataset", "")
    learnt = f" · learnt from {trials} trials" if trials else ""
    home = f" of {data}" if data and learnt else ""
    of = f"{count(len(model.metrics), 'metric')}{learnt}{home}"
    line = f"Predicts <b>{escape(str(model.response))}</b> from {escape(of)}"
    return html.head("Model card", title, line, said, f"<blockquote>{escape(note)}</blockquote>" if note else "")


def _good(model: FittedPipeline, kept: Record) -> str:
    scores, tested, parts = card.scores(kept, model.response), card.tested_with(kept.folds), []
    if scores is not None:
        parts += [html.paragraph(f"Tested with {tested}." if tested else ""), html.score_table(scores)]
    parts.append(html.paragraph(card.interval_words(model)))
    if kept.points is not None and len(kept.points.observed):
        parts.append(_figures(kept.points, model.response))
    groups = kept.groups if len(kept.groups) > 1 else ()
    return "".join([*parts, _groups(groups, "By group", "group"), _groups(kept.by_fold, "By fold", "fold")])


def _figures(points: Points, response: Metric) -> str:
    x, y = points.observed, points.predicted
    alt = f"Predicted over measured {response} of {len(x)} trials that the model had not seen"
    told = f"{alt}. The line is a right prediction{', dotted ones are 20 % off' if min(x.min(), y.min()) >= 0 else ''}."
    drawn = [over_measured(x, y, str(response), alt).saying(told)]
    known = x != 0
    if known.any():
        drawn.append(_residuals(x[known], y[known], f"measured {response}"))
    return html.figures(drawn)


def _residuals(x: FloatArray, y: FloatArray, title: str) -> Sketch:
    error = 100 * (y / x - 1)
    up = axis_for("error (% of measured)", np.append(middle(error, 0.96), 0.0))
    n_out = int(((error < up.low) | (error > up.high)).sum())
    alt = "Error of the same predictions over what was measured"
    more = f" {n_out} of {len(x)} lie further out and are drawn on the edge." if n_out else ""
    return scatter(x, error, title, up, alt, ((0.0, 0.0),)).saying(f"{alt}; above 0 is too high.{more}")


def _groups(groups: tuple[GroupScores, ...], title: str, noun: str) -> str:
    if not groups:
        return ""
    worst = sorted(groups, key=lambda g: -(g.scores.mape if g.scores.mape is not None else -1.0))
    there = [c for c in _GROUP_COLUMNS if any(getattr(g.scores, c[0]) is not None for g in groups)]
    rows = [[html.cell(g.name or "(none)"), *(html.number(getattr(g.scores, c)) for c, _ in there)] for g in worst]
    every = html.table([noun, *(said for _, said in there)], rows)
    return html.folded(f"{title}: {len(groups)}, the worst first", every, opened=len(groups) <= 12)


def _ranges(ranges: tuple[Range, ...], together: str) -> str:
    rows = [
        [
            html.cell(r.metric.name),
            html.cell(r.metric.kind.value),
            html.number(r.low),
            html.number(r.high),
            html.cell(r.metric.unit or "–"),
        ]
        for r in ranges
    ]
    said = "<p>Smallest and largest value of each metric among the training trials. Beyond them nothing was learnt.</p>"
    said += html.paragraph(together)
    return said + html.long_table(["metric", "kind", "from", "to", "unit"], rows, "metrics")


def _matters(found: Importance) -> str:
    most = float(np.abs(found.values).max(initial=0.0)) or 1.0
    bar = '<td class="bar"><i style="width:{:.1f}%"></i></td>'
    pairs = zip(found.names, found.values.tolist(), strict=True)
    rows = [[html.cell(name), bar.format(100 * abs(value) / most), html.number(value)] for name, value in pairs]
    more = html.paragraph(f"{found.n_hidden:,} more matter less." if found.n_hidden > 0 else "", "quiet")
    return f"{html.paragraph(found.meaning)}{html.table(['', f'{found.title} ({found.unit})', ''], rows)}{more}"


def _snippet(title: str, code: str) -> str:
    return f"<h3>{escape(title)}</h3><pre><code>{escape(code)}</code></pre>"


class CardExporter(Exporter):
    """A page that stands alone: no script, nothing from outside, figures drawn in it, light and dark, to print."""

    label: ClassVar[str] = "Model card (HTML)"
    suffix: ClassVar[str] = ".html"

    def write(self, model: FittedPipeline) -> bytes:
        """Return the page's bytes."""
        return write_card(model)


def write_card(model: FittedPipeline, name: str = "", saved: str = "", note: str = "") -> bytes:
    """Return the card of a model that was saved under a name, with what people say of it.

    Parameters
    ----------
    saved : when, as a text
    """
    small = most_bytes(model) <= 4 * MAX_BYTES  # larger ones are no file, and take long to write
    digest = sha256(Json().write(model)).hexdigest() if small else ""
    kept, title = recorded(model.validation), name or f"{model.response.name}, by {model.provenance.recipe}"
    facts, matters = card.facts(model, kept, saved, digest), card.matters(model)
    formula = f"<pre>{escape(card.short_formula(model))}</pre>{html.listed(card.how_to_read(model), 'quiet')}"
    parts = [
        _head(model, title, note, dict(facts), card.honest(kept)),
        html.section("How good it is", _good(model, kept)),
        html.section("Where it holds", _ranges(card.ranges(model), card.together(model))),
        html.section("What matters to it", _matters(matters) if matters else ""),
        html.section("Formula", formula),
        html.section("Limits", html.listed(card.limits(model, kept))),
        html.section("How to use it", "".join(_snippet(*one) for one in (*card.use(model), *code_snippets(model)))),
        html.section("What it was trained on", html.facts(facts)),
    ]
    return html.page(title, "model card", parts).encode()
