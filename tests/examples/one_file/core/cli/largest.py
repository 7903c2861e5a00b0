"""`ridgeline largest`: the trial with the largest value of a metric."""

from typing import ClassVar

import numpy as np

from core.cli.base import Arguments, Parser, Report, Verb, flag, open_store


class LargestVerb(Verb):
    """Name the trial with the largest value of a metric."""

    group: ClassVar[str] = "look at files and trials"
    examples: ClassVar[tuple[str, ...]] = ("ridgeline largest time --dataset mine",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "metric METRIC")
        flag(parser, "--dataset NAME", required=True)

    def run(self, a: Arguments) -> Report:
        """Look it up and report."""
        with open_store(a) as store:
            measured = store.measured(a.dataset)
        values = measured.column(a.metric)
        i = int(np.nanargmax(values))
        plain = {"trial": measured.ids[i], "application": measured.application[i], "value": float(values[i])}
        return Report([f"{plain['application']}: {plain['value']:g}"], plain)
