"""The mean of the response as a model, for where there is nothing to learn."""

import numpy as np

from core.models.ols import OlsModel
from core.pipeline import FLAG, ClusterModel, FittedPipeline, Provenance
from core.scale import ResponseScale
from core.trial import Frame
from core.validate.domain import learn_domain


def mean_model(frame: Frame, provenance: Provenance, why: str) -> FittedPipeline:
    """Return the model that says the mean response of every row; a note says why it stands in."""
    return FittedPipeline(
        metrics=frame.metrics,
        response=frame.response,
        scale=ResponseScale(),
        extrapolation=FLAG,
        passes=(),
        features=frame.names,
        loadings=np.zeros((0, 0)),
        partition=None,
        clusters=(ClusterModel(_constant(frame), len(frame)),),
        domain=learn_domain(frame.X),
        notes=(*frame.notes, f"the mean of the response stands in: {why}"),
        provenance=provenance,
    )


def _constant(frame: Frame) -> OlsModel:
    none, spread = np.zeros(0), float(frame.y.std())
    return OlsModel(
        intercept=float(frame.y.mean()),
        columns=none.astype(np.int64),
        coefficients=none,
        spreads=none,
        response_spread=spread if spread > 0 else 1.0,
        r2=0.0,
        criterion="",
        steps=(),
        left_out=(),
        note="",
        n_trials=len(frame),
    )
