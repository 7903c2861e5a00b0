"""A store of MLflow's, a folder for each run with a file for each number, as a table with a row for each run."""

import csv
import io
import re
from collections.abc import Sequence

from core.ingest.base import SourceFile

_OF_RUN = re.compile(r"(?P<run>(?P<experiment>.+)/[0-9a-f]{32})/(?P<what>(?:params|metrics|tags)/.+|meta\.yaml)")
_RUN_NAME = "tags.mlflow.runName"
_MOST = 1 << 20
"""Bytes of a file that holds one value or the steps of one metric."""


def with_runs(files: Sequence[SourceFile]) -> list[SourceFile]:
    """Return files with a table of each experiment's runs in place of MLflow's, with the columns of `search_runs`.

    A metric has its last value; of MLflow's own tags the name of the run is there.
    """
    parts = [(file, _OF_RUN.fullmatch(file.name)) for file in files]
    stores = {own["run"] for _, own in parts if own and own["what"] == "meta.yaml"}
    runs: dict[str, dict[str, dict[str, str]]] = {}
    rest: list[SourceFile] = []
    for file, own in parts:
        if own is None or own["run"] not in stores or len(file.content) > _MOST:
            rest.append(file)
        elif said := file.content.decode("utf-8", "replace").strip():
            row = runs.setdefault(own["experiment"], {}).setdefault(own["run"], {})
            kind, _, name = own["what"].partition("/")
            if kind == "metrics":
                row[f"metrics.{name}"] = said.splitlines()[-1].partition(" ")[2].partition(" ")[0]
            elif kind == "params" or f"{kind}.{name}" == _RUN_NAME:
                row[f"{kind}.{name}"] = said
    rest = [file for file in rest if file.name.removesuffix("/meta.yaml") not in runs]
    return [*rest, *(_table(name, list(own.values())) for name, own in sorted(runs.items()))]


def _table(experiment: str, rows: Sequence[dict[str, str]]) -> SourceFile:
    names = sorted({name for row in rows for name in row}, key=lambda name: (name != _RUN_NAME, name))
    into = io.StringIO()
    writer = csv.DictWriter(into, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda row: [row.get(name, "") for name in names]))
    return SourceFile(f"{experiment}/runs.csv", into.getvalue().encode())
