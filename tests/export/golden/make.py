"""Writes the golden model files of the version that the checkout writes: `python -m tests.export.golden.make`.

Those of version 1 were written by the tree of commit 364c6f6, those of versions 2 and 3 by the last trees before the next one.
A version that has been released is never written again. Files of scaling models,
`scaling_v*`, count their versions for themselves.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.blend import MEAN, SUM, Mixture, blend
from core.errors import RidgelineError
from core.export import write_model
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.scaling.model_file import write_scaling
from core.scaling.race import fit_scaling, predictor_named
from core.trial import Frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame, plain_interval
from tests.scaling.made import kernel_of, made_study

HERE = Path(__file__).parent
TABLE = {"pool": "table1", "max_terms": "3", "components": "2", "clusters": "2", "least_cluster_trials": "5"}
MODELS = {
    "eiger": ("eiger", {"max_terms": "3", "components": "2"}, "by:machine"),
    "eiger_clusters": ("eiger", TABLE, "kfold:4"),
    "formula": ("formula", {"max_terms": "4"}, "by:machine"),
    "stargazer": ("stargazer", {"theta": "0.01", "phi": "0.01"}, "kfold:4"),
    "gaussian_process": ("gaussian_process", {}, "kfold:4"),
    "forest": ("forest", {"trees": "3"}, "kfold:4"),
    "anova": ("anova", {}, "kfold:4"),
    "ratio": ("eiger", {"response_scale": "log_ratio", "components": "none", "max_terms": "3"}, "kfold:4"),
    "halwpe": ("halwpe", {"model": "nnls_forward_bic"}, "kfold:4"),
    "roofline": ("roofline", {"trees": "3"}, "kfold:4"),
}
MEMBERS = {"eiger": 0.5, "ratio": 0.3, "forest": 0.2}
"""Of the blend, with their weights."""
SCALING = {"nearest_kernels": {}, "ridge": {}, "extra_trees": {"trees": "2"}}
"""Predictors of scaling models, with their options."""


def make(name: str) -> None:
    """Train one model, and write its file and what it says of some rows, two of them outside its range."""
    recipe, settings, folds = MODELS[name]
    frame = trials(name)
    model = train(make_recipe(recipe, settings), frame, parse_folds(folds), dataset="golden").model
    write(name, model, frame, f"{recipe} {settings}, folds {folds}, of machine_frame(6, 4)")


def trials(name: str, n_applications: int = 6) -> Frame:
    """Return what a model learns from."""
    frame = machine_frame(n_applications, 4)
    return replace(frame, reference=frame.names[0]) if name == "ratio" else frame


def make_blend() -> None:
    """Write a blend of members on different scales, and a stack of them."""
    frame = trials("", 3)
    models = {name: make_recipe(*MODELS[name][:2]).fit(trials(name, 3)) for name in MEMBERS}
    for name, mixture in (("blend", Mixture(MEMBERS, MEAN, True, 0.05)), ("stack", Mixture(MEMBERS, SUM, True))):
        interval = plain_interval(0.2, 0.9, len(frame), "made")
        whole = replace(blend(models, mixture, frame, name), interval=interval, validation={})
        write(name, whole, frame, f"{name} of {MEMBERS}, of machine_frame(3, 4)")


def make_scaling(name: str) -> None:
    """Write a scaling model, and what it says of kernels that it has not seen."""
    study = made_study(16, (2, 2, 2))
    seen, new = study.take(np.arange(12)), study.take(np.arange(12, 16))
    model = fit_scaling(seen, predictor_named(name, SCALING[name]), base=7, folds="kfold:3", dataset="golden")
    kernels = [kernel_of(new, k, model.base) for k in range(new.n_kernels)]
    said = [model.predict(kernel) for kernel in kernels]
    plain = {
        "made": f"fit_scaling of {name} {SCALING[name]}, folds kfold:3, of the first 12 kernels of made_study(16, (2, 2, 2))",
        "kernels": [{"name": k.name, "counts": k.counts, "at_base": k.at_base} for k in kernels],
        "surfaces": [
            {
                r: {"value": s.value.tolist(), "low": s.low.tolist(), "high": s.high.tolist()}
                for r, s in p.surfaces.items()
            }
            for p in said
        ],
        "in_domain": [p.in_domain for p in said],
        "nearest": [p.nearest[0][0] for p in said],
    }
    raw = write_scaling(model)
    _write(f"scaling_v{json.loads(raw)['version']}_{name}", raw, plain)


def write(name: str, model: FittedPipeline, frame: Frame, made: str) -> None:
    """Write a model's file and what it says."""
    X = np.vstack([model.rows(frame)[::5], model.domain.low * 0.5, model.domain.high * 2])
    said, raw = model.predict(X), write_model(model)
    numbers = {"rows": X, "value": said.value, "low": said.low, "high": said.high, "in_domain": said.in_domain}
    plain = {"made": made, **{key: values.tolist() for key, values in numbers.items()}}
    _write(f"v{json.loads(raw)['version']}_{name}", raw, plain)


def _write(stem: str, raw: bytes, plain: dict[str, Any]) -> None:
    (HERE / f"{stem}.json").write_bytes(raw + b"\n")
    (HERE / f"{stem}.predictions.json").write_text(json.dumps(plain, allow_nan=False) + "\n")


if __name__ == "__main__":
    for known in MODELS:
        try:
            make(known)
        except RidgelineError as error:
            print(f"{known}: {error}")
    make_blend()
    for known in SCALING:
        make_scaling(known)
