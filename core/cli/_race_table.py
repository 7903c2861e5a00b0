"""A race as a table for people."""

import numpy as np

from core.cli._frame import score_line
from core.race import Race, Standing


def race_lines(head: str, found: Race, beside: Race | None) -> list[str]:
    """Return the table: entries by error, the stack, the winner and what choosing it was worth."""
    width = max([len(s.entry) for s in found.standings] + [5])
    title = f"{head}, folds {found.folds}: {found.n_trials:,} trials, {len(found.standings)} entries"
    lines = [title, _head(width, beside)]
    lines += [_row(s, width, beside) for s in found.running]
    lines += [f"{s.entry:<{width}}  cannot run: {s.error}" for s in found.standings if not s.runs]
    if found.stack is not None:
        members = " + ".join(f"{w:.2f} {name}" for name, w in found.stack.weights.items())
        lines.append(f"stack of {members}: {score_line(found.stack.validation.scores)}")
    if found.committee is not None:
        names = ", ".join(found.committee.weights)
        lines.append(f"committee of {names}: {score_line(found.committee.validation.scores)}")
    if found.nested is not None:
        chosen = found.standing(found.winner)
        lines.append(f"winner: {found.winner} ({chosen.treatment}), of smallest error on inner folds of all trials")
        lines.append(f"the winner picked anew without each fold: {score_line(found.nested.scores)}")
    return lines


def _head(width: int, beside: Race | None) -> str:
    other = f" {beside.folds:>9}" if beside else ""
    return f"{'':<{width}}    MAPE{other}  ± folds  median  ≤ 10 %  ≤ 20 %  metrics  fit s  total s  treatment"


def _row(s: Standing, width: int, beside: Race | None) -> str:
    assert s.validation is not None
    scores = s.validation.scores
    spread = float(np.std([e for e in s.by_fold if e is not None] or [0.0]))
    other = f" {_other(beside, s.entry):>9}" if beside else ""
    cells = (
        f"{_number(scores.mape):>8}{other} {_number(spread):>8} {_number(scores.median_ape):>7} "
        f"{_number(scores.inliers_10):>7} {_number(scores.inliers_20):>7}"
    )
    return f"{s.entry:<{width}}{cells} {s.n_chosen:>8} {s.fit_seconds:>6.2f} {s.seconds:>8.1f}  {s.treatment}"


def _other(beside: Race | None, entry: str) -> str:
    there = [s for s in beside.running if s.entry == entry] if beside else []
    return _number(there[0].validation.scores.mape) if there and there[0].validation else "–"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if abs(value) < 1e5 else f"{value:.0e}"
