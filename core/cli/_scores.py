"""Scores as `--json` and a person have them."""

from typing import Any

from core.codec import fields_of
from core.report.shared.naming import fixed
from core.validate.scores import Coverage, Scores
from core.validate.verdict import Verdict

_SHOWN = "mape median_ape max_ape inliers_10 inliers_20 r2 rmse coverage_90 width_90 log_error bias n n_refused"


def score_values(scores: Scores) -> dict[str, Any]:
    """Return scores for `--json`, percentages as percent."""
    return fields_of(scores, _SHOWN)


def coverage_line(c: Coverage) -> list[str]:
    """Return where intervals cover as a person reads it; nothing without intervals."""
    if c.overall is None:
        return []
    quartiles = ", ".join(f"{share:.0f}" for share in c.quartiles)
    worst = f"; worst group {c.worst_group}: {c.worst_share:.0f} %" if c.worst_share is not None else ""
    return [f"  90 % intervals cover by quartile of the response: {quartiles} % of the trials{worst}"]


def verdict_values(verdict: Verdict | None) -> dict[str, Any] | None:
    """Return a verdict for `--json`; None where there is none."""
    return None if verdict is None else fields_of(verdict, "level says next")


def verdict_lines(verdict: Verdict | None) -> list[str]:
    """Return a verdict and what would help most as a person reads them."""
    if verdict is None:
        return []
    return [f"{verdict.level}: {verdict.says}", *(f"next: {said}" for said in verdict.next)]


def score_line(s: Scores) -> str:
    """Return scores as a person reads them."""
    parts = [
        _part("MAPE {} %", s.mape, 1),
        _part("median APE {} %", s.median_ape, 1),
        _part("within 20 %: {} % of trials", s.inliers_20, 0),
        _part("R² {}", s.r2, 3),
        _part("90 % intervals cover {} %", s.coverage_90, 1),
        _part("half of them are under {} % wide", s.width_90, 0),
        f"{s.n_refused} of {s.n + s.n_refused} refused" if s.n_refused else "",
    ]
    return ", ".join(p for p in parts if p) or "nothing could be scored"


def _part(form: str, value: float | None, decimals: int) -> str:
    return "" if value is None else form.format(fixed(value, decimals))
