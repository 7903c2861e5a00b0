"""Models of a loop's cycles on some processors, from what its code holds; exported as C or C++.

    python train_processors.py FOLDER {c,cpp} PROCESSOR...

writes FOLDER/PROCESSOR.h (or .hpp), a model of the response `cycles_PROCESSOR`, and FOLDER/loops.csv:
the loops of a fifth of the kernels, which no model has seen.
"""

import sys
from pathlib import Path

import pandas as pd

from ridgeline.export import EXPORTERS
from ridgeline.sklearn import regressor

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "samples" / "generations"
METRICS = ("instructions", "path_latency", "carried_latency", "divisions", "loads", "stores", "vector_width")
"""Few enough to be counted by a compiler for each loop."""


def loops() -> pd.DataFrame:
    """Return one row per loop and processor: metrics of the code, and the cycles that it took."""
    trials, inputs = (pd.read_csv(SAMPLE / name) for name in ("trials.csv.gz", "inputs.csv"))
    table = trials[["kernel", "variant", "cpu", "cycles (cycles)"]].merge(inputs, on=["kernel", "variant"])
    return table.rename(columns=lambda name: name.partition(" (")[0])


def main(folder: Path, form: str, processors: list[str]) -> None:
    """Write the models, and the loops that they have not seen."""
    table = loops()
    unseen = table["kernel"].isin(sorted(table["kernel"].unique())[::5])
    exporter = EXPORTERS.find(form)()
    for processor in processors:
        own = table[(table["cpu"] == processor) & ~unseen]
        response = own["cycles"].rename(f"cycles_{processor.replace('-', '_')}")
        estimator = regressor("ols", interval_folds="kfold:5")
        model = estimator.fit(own[list(METRICS)], response).model_
        assert model.names == METRICS, "a metric never varies on this processor"
        (folder / f"{processor}{exporter.suffix}").write_bytes(exporter.write(model))
    runs_everywhere = table[unseen].groupby(["kernel", "variant"]).filter(lambda g: set(processors) <= set(g["cpu"]))
    names = ["kernel", "variant", *METRICS]
    runs_everywhere.drop_duplicates(["kernel", "variant"])[names].to_csv(folder / "loops.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
