"""Search options and compare families with scikit-learn, on loops of kernels that no model has seen."""

import sys
from pathlib import Path

import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer

from ridgeline.export import write_model
from ridgeline.sklearn import regressor

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "samples" / "generations"
METRICS = ["instructions", "path_latency", "carried_latency", "divisions", "loads", "stores", "vector_width"]


def loops(processor: str) -> pd.DataFrame:
    """Return one row per loop that a processor ran."""
    trials, inputs = (pd.read_csv(SAMPLE / name) for name in ("trials.csv.gz", "inputs.csv"))
    table = trials[trials["cpu"] == processor][["kernel", "variant", "cycles (cycles)"]]
    return table.merge(inputs, on=["kernel", "variant"]).rename(columns=lambda name: name.partition(" (")[0])


def main(out: Path) -> None:
    """Print what the search and the comparison find, and write the best model."""
    table = loops("slm")
    X, y, kernels = table[METRICS], table["cycles"], table["kernel"]
    unseen = {"cv": GroupKFold(4), "scoring": "neg_mean_absolute_percentage_error"}

    grid = {"knots": [1, 3], "phi": [0.001, 0.01]}
    search = GridSearchCV(regressor("stargazer", extrapolation="clamp"), grid, **unseen).fit(X, y, groups=kernels)
    print(f"stargazer with {search.best_params_}: MAPE {-100 * search.best_score_:.1f} % on kernels not seen")

    for family in (regressor("ols"), regressor("stepwise"), regressor("forest", trees=50)):
        errors = -100 * cross_val_score(family, X, y, groups=kernels, **unseen)
        print(f"{family.recipe_name}: MAPE {errors.mean():.1f} %")

    piped = make_pipeline(PowerTransformer().set_output(transform="pandas"), regressor("ols"))
    errors = -100 * cross_val_score(piped, X, y, groups=kernels, **unseen)
    print(f"ols behind a PowerTransformer: MAPE {errors.mean():.1f} %")

    best = clone(search.best_estimator_).set_params(interval_folds="kfold:5").fit(X, y)
    low, high = best.predict_interval(X[:1])[0]
    print(f"{kernels[0]} takes {best.predict(X[:1])[0]:.0f} cycles, between {low:.0f} and {high:.0f}")
    out.write_bytes(write_model(best.model_))
    print(f"written to {out}; try: ridgeline serve {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "model.json"))
