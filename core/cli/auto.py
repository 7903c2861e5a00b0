"""`ridgeline auto`: the best model without a choice, what it is worth beside two baselines, and what would help."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.cli._files import add_facts, check_there, written
from core.cli._frame import add_folds, add_frame_options, add_scenario, add_workers, load_scenario
from core.cli._recognised import problem_lines
from core.cli.base import Arguments, Report, Verb, flag, only_dataset, open_store, progress
from core.cli.import_ import add_columns, response_of, take
from core.errors import OptionError
from core.export import write_model
from core.ingest.names import listed
from core.ingest.recognition.recognition import NONE, OUTCOME
from core.race.auto import automatic
from core.recipes.auto import Auto
from core.report.compare.race_document import auto_document, auto_text
from core.trial import Kind

_FILES = "files"
"""What the dataset of files that are not kept is called."""


class AutoVerb(Verb):
    """The best model without a choice: from files or a dataset, with a verdict."""

    group = "make a model"
    examples = (
        "ridgeline auto trials.csv --out model.json",
        "ridgeline auto --dataset mine --response time --folds by:machine --json",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "files FILE", "files or folders to learn from, not kept", nargs="*")
        flag(parser, "--dataset NAME", "trials of the database, in place of files; its only one if neither is given")
        flag(parser, "--response METRIC", "what to predict; the first response if not given")
        add_frame_options(parser)
        add_scenario(parser)
        add_folds(
            parser, "the question: ", "the hardest that the trials can answer, in at most five folds or nine groups"
        )
        add_columns(parser.add_argument_group("of files, as import takes it"))
        add_facts(parser)
        flag(parser, "--out FILE", "write the model as JSON")
        add_workers(parser)

    def run(self, a: Arguments) -> Report:
        """Import files into a database of their own, learn, measure, report."""
        if a.files and a.dataset:
            raise OptionError("auto takes either files or --dataset NAME. Name one of them.")
        for path in a.files:
            check_there(path)
        if not a.files:
            a.dataset = a.dataset or only_dataset(a)
        with _home(a) as home:
            several = _responses(home)
            named = (a.response, response_of(a.response or "")[0])
            home.response = next((own for own in several if own in named), a.response or several[0])
            scenario = load_scenario(home, home.response)
        own = replace(Auto(), folds=a.folds, seed=a.seed)
        found = automatic(scenario.frame, own, a.dataset or "", progress(a), a.workers)
        said = written(a.out, write_model(found.model)) if a.out else []
        others = [name for name in several if name != home.response]
        told = [f"predicted is {home.response}; other responses: {', '.join(others)}"] if others else []
        return Report([*told, *auto_text(found), *scenario.lines, *home.imported, *said], auto_document(found))


@contextmanager
def _home(a: Arguments) -> Iterator[Arguments]:
    """Give the arguments that name the database and dataset to read: of files, a new one that is gone at the end."""
    if a.dataset:
        yield argparse.Namespace(**vars(a), imported=[], asked=[])
        return
    with tempfile.TemporaryDirectory(prefix="ridgeline-") as folder:
        own = vars(a) | {"dataset": _FILES, "db": str(Path(folder) / "auto.duckdb")}
        taken = take(argparse.Namespace(**own | {"response": [a.response] if a.response else []}))
        told = {"imported": [*taken.notes, *problem_lines(taken.found)], "asked": taken.found.questions}
        yield argparse.Namespace(**own | told)


def _responses(a: Arguments) -> list[str]:
    """Return the responses of a dataset, the first of which is predicted where none is named.

    Those that less than half as many trials of some files have as have another come last.
    """
    with open_store(a) as store:
        if a.files:
            cards = [card for card in store.metrics(a.dataset) if card.metric.kind is Kind.RESPONSE]
            most = max((card.n_values for card in cards), default=0)
            found = [card.metric.name for card in sorted(cards, key=lambda card: 2 * card.n_values < most)]
        else:
            found = [m.name for m in store.metric_names(a.dataset) if m.kind is Kind.RESPONSE]
    if not found and not a.response:
        maybe = [name for own in a.asked if own.column == OUTCOME for name in own.choices if name != NONE]
        unsure = f"No column is named like an outcome; it may be {listed(maybe)}." if maybe else ""
        raise OptionError(f"{unsure or 'No metric is a response.'} Name what to predict with --response METRIC.")
    return found or [a.response]
