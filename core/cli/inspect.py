"""`ridgeline inspect`: what files are taken for, and why; nothing is stored."""

from core.cli._recognised import recognised_lines, skipped_lines
from core.cli.base import Arguments, Parser, Report, Verb, flag
from core.cli.import_ import add_roles, how_to_answer, mapping_of, remembered_for, settled
from core.ingest import drop, parts_of
from core.ingest.files import sources
from core.report.trials.recognised import folded


class InspectVerb(Verb):
    """What files are taken for, column by column, and why; stores nothing."""

    group = "look at files and trials"
    examples = ("ridgeline inspect trials.csv",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "files FILE", "files, zip archives, or folders with all that is below", nargs="+")
        add_roles(parser)

    def run(self, a: Arguments) -> Report:
        """Recognise the files together."""
        files, folder = sources(a.files)
        dropped = drop(parts_of(files, mapping_of(a), a.format), folder=folder, remembered=remembered_for(a))
        (found,) = settled([dropped.recognition], a)
        names = [file.name for file in files]
        told = [warning for own in dropped.joined for table in own.files for warning in table.warnings]
        notes = [*skipped_lines(dropped.refused, names), *(f"note: {warning}" for warning in folded(told, names))]
        return Report([*recognised_lines(found), *notes, *how_to_answer(found)], found.plain())
