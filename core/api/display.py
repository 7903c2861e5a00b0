"""Values as a notebook shows them: what is said first, then a table."""

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

from core.errors import count
from core.export.card import write_card
from core.ingest import Recognition
from core.pipeline import FittedPipeline
from core.race.auto import Automatic
from core.race.result import Race
from core.recipes import Trained
from core.report.compare.race_document import auto_document
from core.report.compare.race_table import winner_sentence
from core.report.document.html import cell, number, table
from core.report.shared.scorecard import honest_sentence
from core.space.design_space import DesignSpace
from core.space.table import rows_of_space
from core.validate.crossval import Validation
from core.validate.scores import Scores


def register(shell: Any) -> None:
    """Let IPython show values as HTML beside their texts."""
    for kind, html in HTML.items():
        shell.display_formatter.formatters["text/html"].for_type(kind, html)


def _recognition(found: Recognition) -> str:
    told = [f"{', '.join(own.files)}: {count(own.rows, 'row')} ({own.holds})" for own in found.tables]
    columns = (c for own in found.tables for c in own.columns)
    rows = [[cell(c.name), cell(c.role), cell(c.unit or ""), cell(c.formula or c.why)] for c in columns]
    asked = [f"{q.asks} ({', '.join(q.choices)})" for q in found.questions]
    return (
        _said(told)
        + table(("column", "role", "unit", "why"), rows)
        + _said([*asked, *(p.says for p in found.problems)])
    )


def _automatic(found: Automatic) -> str:
    plain = auto_document(found)
    rows = [*plain["baselines"], *plain["entries"], plain["winner"], plain["formula"]]
    cells = [
        [cell(row["name"]), *(number(row[k]) for k in ("mape", "median_ape", "log_error", "bias"))] for row in rows
    ]
    head = ("", "MAPE %", "median %", "mean |ln|", "bias")
    return _said([f"{found.verdict.level}: {found.verdict.says}", *found.verdict.next]) + table(head, cells)


def _validation(found: Validation) -> str:
    scores: Mapping[str, Scores] = {"all": found.scores, **found.groups}
    rows = [[cell(name), *(number(v) for v in (s.mape, s.median_ape, s.coverage_90))] for name, s in scores.items()]
    return _said([honest_sentence(found.folds, found.scores)]) + table(
        ("", "MAPE %", "median %", "in 90 % interval"), rows
    )


def _race(found: Race) -> str:
    scored = [(s.label, s.validation.scores if s.validation else None, s.error) for s in found.standings]
    rows = [
        [cell(label), number(s.mape if s else None), number(s.median_ape if s else None), cell(why)]
        for label, s, why in scored
    ]
    return _said([winner_sentence(found)]) + table(("", "MAPE %", "median %", ""), rows)


def _space(found: DesignSpace) -> str:
    rows = rows_of_space(found)
    shown = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    cells = [[cell(str(row[name] or "")) for name in shown] for row in rows]
    return _said(constraint.text for constraint in found.constraints) + table(shown, cells)


def _card(model: FittedPipeline) -> str:
    page = escape(write_card(model).decode(), quote=True)
    return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0" sandbox></iframe>'


def _said(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


HTML: Mapping[type, Callable[[Any], str]] = {
    Recognition: _recognition,
    Automatic: _automatic,
    Validation: _validation,
    Trained: lambda found: _card(found.model),
    FittedPipeline: _card,
    Race: _race,
    DesignSpace: _space,
}
