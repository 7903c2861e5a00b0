"""What a rule says of each trial and metric, in names that people know and not in ids."""

import numpy as np
import pandas as pd

from core.codec import IntArray
from core.report.trials.curation import Effect, configuration_names
from core.trial import Measured


def reasons_table(found: Effect, measured: Measured) -> pd.DataFrame:
    """Return a row per trial or metric that a rule speaks of; of trials what ran where, which run, and the response."""
    said = found.judgement
    row_of = {id: row for row, id in enumerate(measured.ids)}
    rows = np.array([row_of[e.trial_id] for e in said.exclusions], dtype=np.int64)
    metrics = [
        *(("hidden", h.metric_name, h.reason) for h in said.hidden),
        *(("flagged", f.metric_name, f.reason) for f in said.flagged),
        *(("made", str(d.metric), f"{int(np.isfinite(d.values).sum()):,} trials") for d in said.derived),
    ]
    if not len(rows):
        return pd.DataFrame(metrics, columns=["what", "metric", "why"])
    trials = pd.DataFrame(
        {
            "what": "left out",
            "trial": configuration_names(measured, rows),
            "run": measured.run[rows],
            **_response(found, measured, rows),
            "why": [e.reason for e in said.exclusions],
            "id": [e.trial_id for e in said.exclusions],
        }
    )
    if not metrics:
        return trials
    return pd.concat([trials, pd.DataFrame(metrics, columns=["what", "trial", "why"])], ignore_index=True)


def _response(found: Effect, measured: Measured, rows: IntArray) -> dict[str, object]:
    if not found.response:
        return {}
    titled = next(str(m) for m in measured.metrics if m.name == found.response)
    return {titled: measured.column(found.response)[rows]}
