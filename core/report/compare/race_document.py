"""A race as plain values for JSON: what the command line prints and the page gives away."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.codec import fields_of
from core.race import Race, Standing, Together, alike, stability
from core.report.compare.race_table import NON_NEGATIVE, OTHER, Line, race_lines
from core.trial import Frame
from core.validate.scores import Scores


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
        "trials_sha256": race.trials_sha256,
        "seed": race.seed,
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


def finite(plain: Any) -> Any:
    """Return plain values with null in place of what is no number."""
    if isinstance(plain, Mapping):
        return {name: finite(value) for name, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [finite(value) for value in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _entry(line: Line, race: Race) -> dict[str, Any]:
    standing = next((s for s in race.standings if s.entry == line.entry), None)
    several = race.together(line.entry)
    own = _of_entry(standing) if standing is not None else _of_several(several) if several is not None else {}
    return {
        "family": line.entry,
        "label": line.label,
        "kind": line.kind,
        "scores": scores_plain(line.scores),
        "by_fold": line.folds.tolist(),
        "seconds": line.seconds,
        "fit_seconds": line.fit_seconds,
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


def _of_several(several: Together) -> dict[str, Any]:
    return {"weights": dict(several.weights), "how": several.mixture.how}


def scores_plain(scores: Scores | None) -> dict[str, Any] | None:
    """Return scores by name."""
    return None if scores is None else asdict(scores)
