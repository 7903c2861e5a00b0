"""Predictions as a table: of the training trials that the model keeps, or of its test vectors."""

from typing import ClassVar

import numpy as np

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
        import pandas as pd

        tests = [x for x, *_ in vectors(model)]
        X = np.vstack([kept, tests])
        with np.errstate(all="ignore"):
            p = model.predict(X)
        head = pd.DataFrame({"row": (*labels, *("test vector",) * len(tests))})
        told = dict(zip(COLUMNS, (p.value, p.low, p.high, p.in_domain, list(p.why)), strict=True))
        table = pd.concat([head, pd.DataFrame(X, columns=list(model.names)), pd.DataFrame(told)], axis=1)
        return to_csv(table).encode()
