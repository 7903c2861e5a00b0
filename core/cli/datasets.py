"""`ridgeline datasets`: what is in the database."""

import argparse
from typing import Any

from core.cli._frame import open_store
from core.cli.base import Arguments, Report, Verb, add_json


class DatasetsVerb(Verb):
    """List the datasets."""

    help = "list the datasets"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        add_json(parser)

    def run(self, a: Arguments) -> Report:
        """List them."""
        with open_store(a) as store:
            cards = store.datasets()
        rows = [
            {
                "dataset": c.name,
                "n_trials": c.n_trials,
                "n_applications": c.n_applications,
                "n_machines": c.n_machines,
                "n_metrics": c.n_metrics,
                "responses": [str(r) for r in c.responses],
            }
            for c in cards
        ]
        return Report(
            [_line(r) for r in rows] or ["no datasets yet: ridgeline import FILE --dataset NAME"],
            {"datasets": rows},
        )


def _line(r: dict[str, Any]) -> str:
    return (
        f"{r['dataset']}: {r['n_trials']} trials, {r['n_applications']} applications, {r['n_machines']} machines, "
        f"{r['n_metrics']} metrics; responses: {', '.join(r['responses']) or 'none named'}"
    )
