"""`ridgeline export`: a model in another form."""

import argparse

from core.cli._files import read_bytes, write_bytes
from core.cli.base import Arguments, Report, Verb
from core.errors import OptionError
from core.export import EXPORTERS, read_model


class ExportVerb(Verb):
    """Write a model in another form."""

    help = "write a model in another form"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        parser.add_argument("model", metavar="model.json")
        parser.add_argument("--to", required=True, metavar="FORMAT", help=", ".join(EXPORTERS))
        parser.add_argument("--out", required=True, metavar="FILE")

    def run(self, a: Arguments) -> Report:
        """Write it, or say why this form cannot express this model."""
        exporter, model = EXPORTERS.find(a.to)(), read_model(read_bytes(a.model))
        reason = exporter.can_express(model)
        if reason:
            raise OptionError(f"This model cannot be written as {a.to}: {reason}")
        write_bytes(a.out, exporter.write(model))
        return Report([f"written to {a.out}"])
