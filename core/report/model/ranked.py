"""The terms of a formula by how much of the predictions each makes."""

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.pipeline import FittedPipeline
from core.report.model.summary import feature_terms


@np.errstate(over="ignore", invalid="ignore")  # a term may have a pole
def ranked_terms(model: FittedPipeline, X: FloatArray, cluster: int = 0) -> pd.DataFrame | None:
    """Return a row per term of a cluster's model, that which moves its predictions most first.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics), the trials that it was trained on

    Returns
    -------
    DataFrame
        `term`; `share`, the standard deviation of coefficient times term over the cluster's trials, in those of its
        predictions on the model's own scale: terms that work against each other have more than 1 together. None where
        the model is not a sum of one function per term.
    """
    member, scores = model.clusters[cluster].model, model.scores(X)
    parts, terms = member.parts(), member.terms(feature_terms(model))
    if parts is None or parts.trees or not terms or len(parts.pieces) != len(terms):
        return None
    own = scores[model.assign(scores) == cluster]
    moves = np.array([np.nanstd(piece.of(own[:, list(piece.columns)])) for piece in parts.pieces])
    table = pd.DataFrame({"share": moves / (np.nanstd(member.predict(own)) or 1.0), "term": terms})
    return table.sort_values("share", ascending=False, kind="stable", ignore_index=True)
