"""The automatic model's measurement as plain values for `--json`, and as lines for people."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.codec import fields_of, finite
from core.errors import count
from core.race.auto import Automatic
from core.race.versus import Contender
from core.report.shared.scorecard import fold_spread, folds_in_words
from core.trial import Frame
from core.validate.scores import score


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
