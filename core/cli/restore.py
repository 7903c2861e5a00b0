"""`ridgeline restore`: a backup back into the database's place."""

from pathlib import Path

from core.cli.base import Arguments, Parser, Report, Verb, flag
from core.store.backup import restore
from core.workspace import database_path


class RestoreVerb(Verb):
    """Put a backup into the database's place; the files that were there are kept."""

    group = "keep and serve"
    examples = ("ridgeline restore",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "backup FILE", "the newest whole backup if not given", nargs="?")

    def run(self, a: Arguments) -> Report:
        """Restore it."""
        database = database_path(a.db)
        done = restore(database, Path(a.backup) if a.backup else None)
        kept = [f"the files that were there are in {done.kept}"] if done.kept else []
        plain = {
            "database": str(database),
            "backup": str(done.backup.path),
            "counts": done.backup.counts,
            "kept": str(done.kept) if done.kept else None,
        }
        return Report([f"{database} is now the backup {done.backup}", *kept], plain)
