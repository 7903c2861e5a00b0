"""Store imports, or hand them to the inbox when another process owns the database."""

import sys
import time
from collections.abc import Sequence

from core.cli.base import Arguments, open_store
from core.errors import StoreError
from core.frozen import Frozen
from core.progress import Progress, silent
from core.store import OwnedError
from core.store.cards import Fate, Receipt
from core.store.inbox import Inbox
from core.trial import Import
from core.workspace import database_path

_WAIT_S, _LOOK_EVERY_S = 10.0, 0.1
_SENT = "delivered to the inbox of the running dashboard; it stores them within seconds"


class Stored(Frozen):
    """What became of imports.

    Attributes
    ----------
    state : "" if they were stored directly; "stored" or "waiting" if they went through the inbox
    lines : what to tell about the delivery
    """

    receipts: tuple[Receipt, ...]
    state: str = ""
    lines: tuple[str, ...] = ()


def store_or_deliver(a: Arguments, imports: Sequence[Import], memory: str = "", progress: Progress = silent) -> Stored:
    """Store imports, or deliver them to the process that owns the database and wait for it a while.

    Parameters
    ----------
    memory : what the database may take where they are stored directly

    Raises
    ------
    StoreError
        If they cannot be stored, or the owner refused them.
    """
    try:
        with open_store(a, memory) as store:
            return Stored(store.add_all(a.dataset, imports, progress))
    except OwnedError:
        inbox = Inbox(database_path(a.db))
        name = inbox.send(a.dataset, imports)
    if sys.stderr.isatty():
        print(_SENT, file=sys.stderr)
    fate = _wait(a, inbox, name)
    if fate.state == "waiting":
        waits = f"they still wait there after {_WAIT_S:.0f} s: ridgeline inbox says what became of them"
        return Stored(_expected(a.dataset, imports), "waiting", (_SENT, waits))
    inbox.forget(name)
    if fate.state == "refused":
        raise StoreError(fate.why)
    return Stored(fate.receipts or _expected(a.dataset, imports), "stored", (_SENT, "it has stored them"))


def _wait(a: Arguments, inbox: Inbox, name: str) -> Fate:
    """Wait for the owner; if it ends before it has taken the delivery, take it ourselves."""
    end = time.monotonic() + _WAIT_S
    while (fate := inbox.fate(name)).state == "waiting" and time.monotonic() < end:
        try:
            with open_store(a) as store:
                inbox.drain(store, only=name)
        except OwnedError:
            time.sleep(_LOOK_EVERY_S)
    return fate


def _expected(dataset: str, imports: Sequence[Import]) -> tuple[Receipt, ...]:
    """Return what is on its way, where the owner's own receipt is not to be had."""
    return tuple(
        Receipt(dataset, i.format, len(i.trials), len({m.name for m in i.metrics}), i.skipped, i.warnings)
        for i in imports
    )
