"""`ridgeline sample`: the measurements that come with the program, listed or imported."""

import shutil
from dataclasses import asdict
from pathlib import Path

from core.cli.base import Arguments, Parser, Report, Verb, flag, open_store
from core.errors import OptionError, count
from core.ingest import SampleCard, load_sample, samples
from core.registry import unknown
from core.workspace import SAMPLES


class SampleVerb(Verb):
    """Import a sample that comes with the program, or list them."""

    group = "look at files and trials"
    examples = ("ridgeline sample", "ridgeline sample generations", "ridgeline sample generations --files .")

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "names NAME", "samples to import; without any, they are listed", nargs="*")
        flag(parser, "--files FOLDER", "also copy their files into FOLDER/NAME")

    def run(self, a: Arguments) -> Report:
        """List or import them; one that was imported before changes nothing."""
        cards = {card.name: card for card in samples(SAMPLES)}
        strange = [name for name in a.names if name not in cards]
        if strange:
            raise OptionError(unknown("sample", strange[0], cards))
        if not a.names:
            lines = [line for card in cards.values() for line in (f"{card.name}: {card.title}", *_told(card))]
            told = [asdict(card) for card in cards.values()]
            return Report(lines, {"samples": [{k: v for k, v in one.items() if k != "folder"} for one in told]})
        with open_store(a) as store:
            found = [(name, store.add(name, load_sample(cards[name].folder))) for name in a.names]
        files = [str(path) for name in a.names for path in _copied(cards[name], a.files)] if a.files else []
        lines = [
            line
            for name, receipt in found
            for line in (f"{name}: {count(receipt.n_trials, 'trial')} stored", *_told(cards[name]))
        ]
        stored = [{"dataset": name, "n_trials": r.n_trials} for name, r in found]
        return Report([*lines, *files], {"stored": stored, "files": files})


def _copied(card: SampleCard, folder: str) -> list[Path]:
    """Copy a sample's tables and return where they are."""
    copies = []
    for path in sorted(path for path in card.folder.iterdir() if ".csv" in path.name):
        copies.append(Path(folder) / card.name / path.name)
        try:
            copies[-1].parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copies[-1])
        except OSError as error:
            raise OptionError(f"{copies[-1]} cannot be written: {error.strerror}. Name another folder.") from None
    return copies


def _told(card: SampleCard) -> list[str]:
    """Return what a sample holds, its question, and the best answers that are known, with their commands."""
    answers = (line for one in card.answers.values() for line in (f"    {one.of}: {one.says}", f"      {one.command}"))
    return [f"  {card.holds}", f"  {card.question}", *answers]
