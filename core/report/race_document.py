"""A race as plain values for JSON, to take away."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.race import Race
from core.report.race_table import Line, race_lines
from core.trial import Frame
from core.validate.scores import Scores


def race_document(frame: Frame, race: Race, beside: Race | None = None) -> dict[str, Any]:
    """Return entries with scores, the winner and its nested scores; percentages as percent.

    Parameters
    ----------
    beside : the same entries on random folds
    """
    return {
        "folds": race.folds,
        "beside": beside.folds if beside is not None else None,
        "seed": race.seed,
        "response": str(frame.response),
        "n_trials": race.n_trials,
        "n_metrics": len(frame.metrics),
        "trials_sha256": race.trials_sha256,
        "winner": race.winner,
        "nested": {
            "scores": scores_plain(race.nested.scores if race.nested else None),
            "entries": list(race.nested_entries),
        },
        "entries": [_entry(line, race) for line in race_lines(frame, race, beside)],
        "notes": list(frame.notes),
    }


def document_bytes(plain: Mapping[str, Any]) -> bytes:
    """Return JSON that people can read; what is no number is null."""
    return (json.dumps(_finite(plain), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _finite(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return {name: _finite(value) for name, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [_finite(value) for value in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _entry(line: Line, race: Race) -> dict[str, Any]:
    standing = next((s for s in race.standings if s.entry == line.entry), None)
    weights = race.stack.weights if standing is None and race.stack is not None else {}
    return {
        "family": line.entry,
        "label": line.label,
        "kind": line.kind,
        "scores": scores_plain(line.scores),
        "folds": line.folds.tolist(),
        "beside": scores_plain(line.beside),
        "treatment": standing.treatment if standing else "",
        "treatments": list(standing.treatments) if standing else [],
        "n_features": list(standing.n_features) if standing else [],
        "chosen": dict(standing.chosen) if standing else {},
        "weights": dict(weights),
        "fit_seconds": line.fit_seconds,
        "seconds": line.seconds,
        "error": line.error,
    }


def scores_plain(scores: Scores | None) -> dict[str, Any] | None:
    """Return scores by name."""
    return None if scores is None else asdict(scores)
