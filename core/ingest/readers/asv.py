"""What airspeed velocity keeps of the benchmarks of a commit on a machine."""

import math
import re
from collections.abc import Mapping
from itertools import product
from typing import Any

from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import OBJECT, TextReader, entries, finite, load_json, plain
from core.trial import Kind

_KINDS = {"time": (TIME, "s"), "timeraw": (TIME, "s"), "mem": ("memory", "byte"), "peakmem": ("peak memory", "byte")}
"""What a benchmark measures, by how its name's last part begins; the number of others, as of `track_`, is its own."""


class Asv(TextReader):
    """Reads `.asv/results/MACHINE/COMMIT-env.json`: a trial for each benchmark with each of its parameters."""

    label = "asv's results"
    signs = (OBJECT, re.compile(rb'"result_columns"\s*:\s*\['), re.compile(rb'"results"\s*:\s*\{'))
    tells = (b'"result_columns"',)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down results; names of parameters are in another file, so that they are called by their places."""
        said = load_json(builder.source, raw)
        columns, results, about = said.get("result_columns"), entries(said.get("results")), entries(said.get("params"))
        if not isinstance(columns, list) or not results:
            raise builder.refused("holds no results of asv. Run the benchmarks again.")
        machine = plain(about.get("machine")) or plain(about.get("cpu"))
        told = {"commit": plain(said.get("commit_hash"))[:8], "environment": plain(said.get("env_name"))}
        for name, own in results.items():
            row = dict(zip(map(plain, columns), own if isinstance(own, list) else [], strict=False))
            _put(builder, name, row, machine, told)


def _put(builder: Builder, name: str, row: Mapping[str, Any], machine: str, told: Mapping[str, str]) -> None:
    """Put down a benchmark's trials: of each combination of parameters, whose last varies fastest."""
    values, params = row.get("result"), row.get("params") or []
    lists = isinstance(params, list) and all(isinstance(own, list) for own in params)
    if not isinstance(values, list) or not lists or len(values) != math.prod(map(len, params)):
        builder.skip(name, "was not run, or failed")
        return
    measured, unit = _KINDS.get(name.rpartition(".")[2].partition("_")[0], ("value", ""))
    for value, combination in zip(values, product(*params), strict=True):
        texts = [plain(own).strip("'\"") for own in combination]
        if (number := finite(value)) is None:
            builder.skip(f"{name} ({', '.join(texts)})", "has no result")
            continue
        trial = builder.trial(name, machine=machine, where=name, labels=told)
        builder.put(trial, measured, number, unit, Kind.RESPONSE)
        for i, text in enumerate(texts, 1):
            if (size := finite(text)) is not None:
                builder.put(trial, f"parameter {i}", size, kind=Kind.PARAMETER)
            else:
                builder.label(trial, f"parameter {i}", text, parameter=True)
