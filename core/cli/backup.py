"""`ridgeline backup`: a consistent copy of the database."""

from core.cli.base import Arguments, Report, Verb, open_store


class BackupVerb(Verb):
    """Write a consistent copy of the database under backups/ beside it."""

    group = "keep and serve"
    examples = ("ridgeline backup",)

    def run(self, a: Arguments) -> Report:
        """Copy it."""
        with open_store(a) as store:
            copy = store.backup()
        return Report([str(copy)], {"backup": str(copy), "bytes": copy.stat().st_size})
