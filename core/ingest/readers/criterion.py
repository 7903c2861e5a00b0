"""Criterion's estimates: a file for each benchmark, in folders that say which."""

import re

from core.ingest.names import stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import OBJECT, TextReader, finite, load_json
from core.trial import Kind

_BEST = ("slope", "mean")
"""The estimates that Criterion prints as the time: the slope over numbers of iterations where it drew them so."""


class Criterion(TextReader):
    """Reads `target/criterion/GROUP/FUNCTION/VALUE/new/estimates.json`: the benchmark is a trial."""

    label = "Criterion's estimates"
    signs = (OBJECT, re.compile(rb'"point_estimate"\s*:'), re.compile(rb'"median_abs_dev"\s*:'))
    tells = (b'"median_abs_dev"',)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down the time, which is in ns; folders are the application, and the value, where it is a number, a size.

        A folder called otherwise than `new` is a baseline that was kept.
        """
        *folders, _ = builder.source.split("/")
        kept = folders.pop() if folders else "new"
        if kept == "base":
            raise builder.refused("is what `new` was compared with. Take the file in the folder `new` beside it.")
        named = folders[folders.index("criterion") + 1 :] if "criterion" in folders else folders
        size = finite(named[-1]) if len(named) > 1 else None
        value = "" if size is None else named.pop()
        application = "/".join(named) or stem(builder.source)
        said = load_json(builder.source, raw)
        estimates = (own.get("point_estimate") for own in map(said.get, _BEST) if isinstance(own, dict))
        if (time := next(filter(None, map(finite, estimates)), None)) is None:
            raise builder.refused("has no time. Run the benchmark again.")
        trial = builder.trial(application, input=value)
        builder.put(trial, TIME, time, "ns", Kind.RESPONSE)
        if value:
            builder.of_input(application, value, "value", size)
        if kept != "new":
            builder.label(trial, "baseline", kept, parameter=True)
