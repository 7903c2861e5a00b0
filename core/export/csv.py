"""Predictions as a table: of the training trials that the model keeps, or of its test vectors."""

from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.export.base import Exporter, rows, trials, vectors
from core.pipeline import FittedPipeline
from core.report.model.predictions import COLUMNS
from core.report.shared.csv_text import to_csv

ROWS = 200
"""Of a model that keeps no trials; drawn in its trained range."""


class Csv(Exporter):
    """The columns of `ridgeline predict`; for rows of one's own, that is the verb to use."""

    label: ClassVar[str] = "Predictions (CSV)"
    suffix: ClassVar[str] = ".csv"
    says: ClassVar[str] = "every model: what it says of trials that it keeps, and of its test vectors"

    def write(self, model: FittedPipeline) -> bytes:
        """Return trials (or rows of the trained range), then the test vectors, with what the model says of them."""
        kept, labels = trials(model)
        if not len(kept):
            kept, labels = rows(model, ROWS, inside=True), ("trained range",) * ROWS
        tests = vectors(model).X
        return _table(model, np.vstack([kept, tests]), (*labels, *("test vector",) * len(tests))).encode()


def _table(model: FittedPipeline, X: FloatArray, labels: tuple[str, ...]) -> str:
    """Return labels, rows of metrics, and what a model says of them, as CSV."""
    import pandas as pd

    with np.errstate(all="ignore"):
        p = model.predict(X)
    table = pd.concat([pd.DataFrame({"row": labels}), pd.DataFrame(X, columns=list(model.names))], axis=1)
    told = (p.value, p.low, p.high, p.in_domain, list(p.why))
    return to_csv(pd.concat([table, pd.DataFrame(dict(zip(COLUMNS, told, strict=True)))], axis=1))
