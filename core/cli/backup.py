"""`ridgeline backup`: a consistent copy of the database."""

import argparse

from core.cli._store import open_store
from core.cli.base import Arguments, Report, Verb


class BackupVerb(Verb):
    """Copy the database."""

    help = "write a consistent copy of the database under backups/ beside it"
    group = "keep and serve"
    examples = ("ridgeline backup",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""

    def run(self, a: Arguments) -> Report:
        """Copy it."""
        with open_store(a) as store:
            copy = store.backup()
        return Report([str(copy)], {"backup": str(copy), "bytes": copy.stat().st_size})
