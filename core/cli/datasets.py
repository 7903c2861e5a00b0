"""`ridgeline datasets`: what is in the database."""

from typing import Any

from core.cli.base import Arguments, Parser, Report, Verb, flag, halves, open_store
from core.codec import fields_of
from core.errors import count
from core.store.inbox import Inbox
from core.workspace import database_path


class DatasetsVerb(Verb):
    """List the datasets, rename or remove one."""

    group = "look at files and trials"
    examples = ("ridgeline datasets",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "--rename OLD=NEW", "give a dataset another name", default="")
        flag(parser, "--remove NAME", "delete a dataset for good; models that were trained from it stay", default="")

    def run(self, a: Arguments) -> Report:
        """Change what was asked for, and list them."""
        with open_store(a) as store:
            if a.rename:
                store.datasets.rename(*halves(a.rename, "=", "--rename takes OLD=NEW"))
            if a.remove:
                store.datasets.delete(a.remove)
            cards = store.datasets.all()
        rows = [
            {
                **fields_of(c, "dataset=name n_trials n_applications n_machines n_metrics"),
                "responses": [str(r) for r in c.responses],
                **({"folder": c.folder} if c.folder else {}),
            }
            for c in cards
        ]
        lines = [_line(r) for r in rows] or ["no datasets yet: ridgeline import FILE --dataset NAME"]
        waiting = Inbox(database_path(a.db)).status().n_waiting
        if not waiting:
            return Report(lines, {"datasets": rows})
        waits = f"{count(waiting, 'file')} in the inbox: open the dashboard, or run ridgeline inbox --drain"
        return Report([*lines, waits], {"datasets": rows, "waiting": waiting})


_COUNTED = ("trial", "application", "machine", "metric")


def _line(r: dict[str, Any]) -> str:
    return (
        f"{r['dataset']}: {', '.join(count(r[f'n_{noun}s'], noun) for noun in _COUNTED)}; "
        f"responses: {', '.join(r['responses']) or 'none named'}"
        + (f"; read in place from {r['folder']}" if "folder" in r else "")
    )
