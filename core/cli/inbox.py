"""`ridgeline inbox`: what waits beside the database, and what was refused."""

from typing import Any

from core.cli.base import Arguments, Parser, Report, Verb, flag, open_store
from core.codec import fields_of
from core.errors import count
from core.store.cards import Drained, InboxStatus
from core.store.inbox import Inbox
from core.workspace import database_path


class InboxVerb(Verb):
    """What other programs delivered: waiting, refused, stored."""

    group = "keep and serve"
    examples = ("ridgeline inbox", "ridgeline inbox --drain")

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "--retry", "let refused files wait again")
        flag(parser, "--drain", "store what waits, when no dashboard runs")

    def run(self, a: Arguments) -> Report:
        """Retry, then drain, then say what is left."""
        inbox = Inbox(database_path(a.db))
        retried = inbox.retry() if a.retry else None
        drained = None
        if a.drain:
            with open_store(a) as store:
                drained = inbox.drain(store) + inbox.sweep()
        status = inbox.status()
        refused = [{"file": name, "why": why} for name, why in status.bad]
        plain: dict[str, Any] = {"inbox": str(inbox.path), "waiting": status.n_waiting, "refused": refused}
        if retried is not None:
            plain["retried"] = retried
        if drained is not None:
            plain |= fields_of(drained, "files=n_files n_trials n_known")
        return Report(_lines(status, retried, drained), plain)


def _lines(status: InboxStatus, retried: int | None, drained: Drained | None) -> list[str]:
    lines = [] if retried is None else [f"{count(retried, 'refused file')} to be tried again"]
    if drained is not None:
        known = f", {drained.n_known} were there already" if drained.n_known else ""
        lines.append(f"{count(drained.n_trials, 'trial')} stored from {count(drained.n_files, 'file')}{known}")
    lines.append(f"{status.folder}: {status.n_waiting:,} waiting, {len(status.bad):,} refused")
    return [*lines, *(f"refused {name}: {why}" for name, why in status.bad)]
