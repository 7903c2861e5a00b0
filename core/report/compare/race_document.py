"""Races, and the automatic model's measurement, as plain values for JSON and as lines of text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from core.codec import fields_of, finite
from core.errors import count
from core.race.auto import Automatic
from core.race.chosen import alike, stability
from core.race.result import BLEND, Race, Standing
from core.race.versus import Contender
from core.report.compare.race_table import COMBINED, NON_NEGATIVE, OTHER, Line, chosen_among, made_of, race_lines
from core.report.shared.scorecard import fold_spread, folds_in_words
from core.trial import Frame
from core.validate.scores import Scores, score


def race_document(frame: Frame, race: Race, beside: Race | None = None) -> dict[str, Any]:
    """Return entries with scores, the winner and what it is worth; percentages as percent.

    Parameters
    ----------
    beside : the same entries on random folds
    """
    return {
        "response": frame.response.name,
        "unit": frame.response.unit,
        "n_trials": race.n_trials,
        "n_metrics": len(frame.metrics),
        **fields_of(race, "trials_sha256 seed"),
        **_raced(frame, race),
        **({"beside": _raced(frame, beside)} if beside is not None else {}),
        "notes": list(frame.notes),
    }


def _raced(frame: Frame, race: Race) -> dict[str, Any]:
    """Return what was found on one kind of folds."""
    lines = race_lines(frame, race)
    able = [line for line in lines if line.validation is not None]
    return {
        "folds": race.folds,
        "winner": race.winner,
        "winner_treatment": next((line.treatment for line in lines if line.entry == race.winner), ""),
        "nested": _nested(race),
        "picked": {
            "scores": scores_plain(race.picked.scores if race.picked else None),
            "entries": dict(zip(race.fold_names, race.picked_entries, strict=False)),
        },
        "entries": [_entry(line, race) for line in lines],
        "best_non_negative": next((line.entry for line in able if line.kind == NON_NEGATIVE), None),
        "best_other": next((line.entry for line in able if line.kind == OTHER), None),
        "stability": _stability(frame, race),
    }


def _nested(race: Race) -> dict[str, Any]:
    """Return the scores of the winner made anew without each fold, and who spoke there with which weight."""
    by_fold = [dict(mixture.weights) for mixture in race.blend.by_fold] if race.blend else []
    alone = by_fold or [{race.winner: 1.0} for _ in race.fold_names]
    return {
        "scores": scores_plain(race.nested.scores if race.nested else None),
        "weights": dict(zip(race.fold_names, alone, strict=True)),
    }


def _stability(frame: Frame, race: Race) -> list[dict[str, Any]]:
    looked_at = race.looked_at(race.winner)
    found = stability(looked_at, alike(frame)) if looked_at else ()
    return [{"metrics": list(s.metrics), "share": s.share} for s in found]


def document_bytes(plain: Mapping[str, Any]) -> bytes:
    """Return JSON that people can read; what is no number is null."""
    return (json.dumps(finite(plain), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _entry(line: Line, race: Race) -> dict[str, Any]:
    standing = next((s for s in race.standings if s.entry == line.entry), None)
    several = race.together(line.entry)
    own = {} if several is None else {"weights": dict(several.weights), "how": several.mixture.how}
    own = own if standing is None else _of_entry(standing)
    return {
        "family": line.entry,
        **fields_of(line, "label kind"),
        "scores": scores_plain(line.scores),
        "by_fold": line.folds.tolist(),
        **fields_of(line, "seconds fit_seconds"),
        **own,
        **({"error": line.error} if line.error else {}),
    }


def _of_entry(standing: Standing) -> dict[str, Any]:
    if not standing.runs:
        return {}
    return {
        **fields_of(standing, "treatment treatments inner_error"),
        "n_features": standing.n_chosen,
        "n_features_by_fold": list(standing.n_features),
        "chosen": dict(standing.chosen),
    }


def scores_plain(scores: Scores | None) -> dict[str, Any] | None:
    """Return scores by name."""
    return None if scores is None else asdict(scores)


def race_text(head: str, frame: Frame, found: Race, beside: Race | None) -> list[str]:
    """Return the table, the winner, what it is worth, and what picking one entry alone is worth."""
    lines = race_lines(frame, found, beside)
    width = max([len(line.entry) for line in lines] + [5])
    title = f"{head}, folds {found.folds}: {found.n_trials:,} trials, {count(len(found.standings), 'entry', 'entries')}"
    rows = [_row(line, width, beside) for line in lines if line.validation is not None]
    lame = [f"{line.entry:<{width}}  cannot run: {line.error}" for line in lines if line.validation is None]
    return [title, _head(width, beside), *rows, *lame, *_winner(found)]


def _head(width: int, beside: Race | None) -> str:
    other = f" {beside.folds:>9}" if beside else ""
    return f"{'':<{width}}    MAPE{other}  ± folds   bias  median  ≤ 10 %  ≤ 20 %  metrics  fit s  total s  treatment"


def _row(line: Line, width: int, beside: Race | None) -> str:
    s = line.scores
    assert s is not None
    other = f" {_number(line.beside.mape if line.beside else None):>9}" if beside else ""
    cells = (
        f"{_number(s.mape):>8}{other} {_number(line.spread):>8} {_signed(s.bias):>6} {_number(s.median_ape):>7} "
        f"{_number(s.inliers_10):>7} {_number(s.inliers_20):>7}"
    )
    spent = f"{line.n_chosen if line.n_chosen is not None else '':>8} {_seconds(line.fit_seconds, 2):>6} "
    mixed = "= " if line.kind == COMBINED else ""
    return f"{line.entry:<{width}}{cells} {spent}{_seconds(line.seconds, 1):>8}  {mixed}{line.treatment}"


def _winner(found: Race) -> list[str]:
    if found.nested is None or found.picked is None:
        return []
    if found.winner == BLEND:
        who = f"blend of {made_of(found, BLEND)}, weighted by a power of smallest over own inner error"
    else:
        who = f"{found.winner} ({found.standing(found.winner).treatment}), {chosen_among(found)}"
    return [
        f"winner: {who}",
        f"made anew without each fold it is worth: {_scored(found.nested.scores)}",
        f"one entry alone, picked anew without each fold: {_scored(found.picked.scores)}",
    ]


def _scored(s: Scores) -> str:
    parts = [f"{name} {_number(value)} %" for name, value in (("MAPE", s.mape), ("median APE", s.median_ape))]
    if s.log_error is not None:
        parts.append(f"typical factor × {np.exp(min(s.log_error, 700.0)):.3g}, bias of logarithms {_signed(s.bias)}")
    return f"{', '.join(parts)}, within 20 %: {_number(s.inliers_20)} % of trials"


def _signed(value: float | None) -> str:
    """Return a mean of logarithms with its sign."""
    return "–" if value is None else f"{value:+.2f}"


def _seconds(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if abs(value) < 1e5 else f"{value:.0e}"


def entry_of(contender: Contender, frame: Frame) -> dict[str, Any]:
    """Return name, errors in percent, mean |ln(predicted / measured)|, its bias, and seconds of processor."""
    scores = fields_of(score(frame.y, contender.predicted), "mape median_ape log_error bias")
    return {"name": contender.name, **scores, "seconds": round(contender.seconds, 3)}


def price_of(formula: dict[str, Any], winner: dict[str, Any]) -> tuple[float | None, str]:
    """Return how many times the best model's error the formula has, and whether of logarithms, else of percent."""
    for name, how in (("log_error", ", in logarithms"), ("mape", "")):
        if formula[name] is not None and winner[name]:
            return float(formula[name] / winner[name]), how
    return None, ""


def auto_document(found: Automatic) -> dict[str, Any]:
    """Return the question, what stands beside the model, what it is made of, its worth, and what would help."""
    frame, scores = found.frame, found.validation.scores
    winner, formula = (entry_of(c, frame) for c in (found.winner, found.formula))
    whole = {
        "question": {
            "response": frame.response.name,
            "folds": str(found.plan),
            "says": folds_in_words(str(found.plan)),
            "n_trials": len(frame),
        },
        "baselines": [entry_of(c, frame) for c in found.baselines],
        "entries": [entry_of(c, frame) for c in found.entries],
        "winner": {
            **winner,
            "spread": fold_spread(s.mape for s in found.validation.by_fold(frame.y)),
            **fields_of(scores, "coverage_90 width_90"),
        },
        "formula": {**formula, "price": price_of(formula, winner)[0]},
        "verdict": fields_of(found.verdict, "level says"),
        "next": list(found.verdict.next),
        "notes": list(frame.notes),
    }
    return dict(finite(whole))


def auto_text(found: Automatic) -> list[str]:
    """Return the verdict first, then a table of all, the price of reading, and what would help."""
    plain = auto_document(found)
    winner, formula, asked = plain["winner"], plain["formula"], plain["question"]
    rows = [*plain["baselines"], *plain["entries"], winner, formula]
    spread = "" if winner["spread"] is None else f" ± {winner['spread']:.3g} over the folds"
    return [
        f"{asked['response']}, {count(asked['n_trials'], 'trial')}, tested on {asked['says']} ({asked['folds']})",
        f"{found.verdict.level}: {found.verdict.says}",
        f"mean error {_percent(winner['mape'])}{spread}, median {_percent(winner['median_ape'])}; 90 % intervals cover "
        f"{_percent(winner['coverage_90'])}",
        *_table(rows),
        f"formula {_size(formula)}, {winner['name']} {_size(winner)}{_price(formula, winner)}",
        *(f"next: {said}" for said in plain["next"]),
        *(f"note: {said}" for said in plain["notes"]),
    ]


def _table(rows: Sequence[dict[str, Any]]) -> list[str]:
    width = max(len(row["name"]) for row in rows)
    head = f"{'':<{width}} {'MAPE':>8} {'median':>8} {'|ln|':>7} {'bias':>7} {'seconds':>8}"
    return [head, *(f"{row['name']:<{width}} {_cells(row)}" for row in rows)]


def _cells(row: dict[str, Any]) -> str:
    parts = (("mape", 8, ".1f"), ("median_ape", 8, ".1f"), ("log_error", 7, ".3f"), ("bias", 7, "+.3f"))
    cells = [f"{'–' if row[k] is None else format(row[k], form):>{width}}" for k, width, form in parts]
    return " ".join([*cells, f"{row['seconds']:>8.1f}"])


def _size(row: dict[str, Any]) -> str:
    """Return a mean error, and the typical factor where there is one."""
    factor = "" if row["log_error"] is None else f" (× {np.exp(row['log_error']):,.2f})"
    return f"{_percent(row['mape'])}{factor}"


def _price(formula: dict[str, Any], winner: dict[str, Any]) -> str:
    price, how = price_of(formula, winner)
    if price is None:
        return ""
    told = f"{price:.2f}"
    return f": reading costs {told} times the error{how}" if float(told) > 1 else ": reading costs nothing"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f} %"
