"""Writes the golden model files of the version that the checkout writes: `python -m tests.export.golden.make`.

Those of version 1 were written by the tree of commit 364c6f6, those of version 2 by the last tree before version 3.
A version that has been released is never written again.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.errors import RidgelineError
from core.export import write_model
from core.recipes import make_recipe, train
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

HERE = Path(__file__).parent
TABLE = {"pool": "table1", "max_terms": "3", "components": "2", "clusters": "2", "least_cluster_trials": "5"}
MODELS = {
    "eiger": ("eiger", {"max_terms": "3", "components": "2"}, "by:machine"),
    "eiger_clusters": ("eiger", TABLE, "kfold:4"),
    "stargazer": ("stargazer", {"theta": "0.01", "phi": "0.01"}, "kfold:4"),
    "gaussian_process": ("gaussian_process", {}, "kfold:4"),
    "forest": ("forest", {"trees": "3"}, "kfold:4"),
    "anova": ("anova", {}, "kfold:4"),
    "ratio": ("eiger", {"response_scale": "log_ratio", "components": "none", "max_terms": "3"}, "kfold:4"),
    "halwpe": ("halwpe", {"model": "nnls_forward_bic"}, "kfold:4"),
    "roofline": ("roofline", {"trees": "3"}, "kfold:4"),
}


def make(name: str) -> None:
    """Train one model, and write its file and what it says of some rows, two of them outside its range."""
    recipe, settings, folds = MODELS[name]
    frame = machine_frame(6, 4)
    if name == "ratio":
        frame = replace(frame, reference=frame.names[0])
    model = train(make_recipe(recipe, settings), frame, parse_folds(folds), dataset="golden").model
    X = np.vstack([model.rows(frame)[::5], model.domain.low * 0.5, model.domain.high * 2])
    said, raw = model.predict(X), write_model(model)
    numbers = {"rows": X, "value": said.value, "low": said.low, "high": said.high, "in_domain": said.in_domain}
    made = f"{recipe} {settings}, folds {folds}, of machine_frame(6, 4)"
    plain = {"made": made, **{key: values.tolist() for key, values in numbers.items()}}
    stem = f"v{json.loads(raw)['version']}_{name}"
    (HERE / f"{stem}.json").write_bytes(raw + b"\n")
    (HERE / f"{stem}.predictions.json").write_text(json.dumps(plain, allow_nan=False) + "\n")


if __name__ == "__main__":
    for known in MODELS:
        try:
            make(known)
        except RidgelineError as error:
            print(f"{known}: {error}")
