"""A race as a table of text, for a terminal."""

import numpy as np

from core.race import BLEND, Race
from core.report.compare.race_table import COMBINED, Line, made_of, race_lines
from core.trial import Frame
from core.validate.scores import Scores


def race_text(head: str, frame: Frame, found: Race, beside: Race | None) -> list[str]:
    """Return the table, the winner, what it is worth, and what picking one entry alone is worth."""
    lines = race_lines(frame, found, beside)
    width = max([len(line.entry) for line in lines] + [5])
    title = f"{head}, folds {found.folds}: {found.n_trials:,} trials, {len(found.standings)} entries"
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
        who = f"blend of {made_of(found, BLEND)}, weighted by the eighth power of smallest over own inner error"
    else:
        who = f"{found.winner} ({found.standing(found.winner).treatment}), which nothing else comes near"
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
