"""Many writers, one owner: trials as files beside the database, stored once each by a thread, wrong ones set aside."""

import atexit
import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from core.errors import ReadError, RidgelineError, StoreError
from core.frozen import Frozen
from core.store._letter import CutError, Letter, gather, read_letters
from core.store._lock import DatabaseError
from core.store._mailbox import LETTERS, PARCEL, WHY, Found, Mailbox, as_text, changed_s_ago, fresh_name, put, read
from core.store.cards import Delivery, Drained, Fate, InboxStatus, Receipt
from core.trial import Import

if TYPE_CHECKING:
    from core.store.store import Store


_LOG = logging.getLogger("ridgeline.inbox")
_PATIENCE_S = 10.0
"""For how long a file that is not whole may still be being written."""
_BATCH_BYTES = 64 * 1024 * 1024
_DRAINING = threading.Lock()


class _Mail(Frozen):
    path: Path
    letters: list[Letter]
    imports: list[Delivery]


def deliver(folder: Path | str, documents: Sequence[dict[str, Any]]) -> Path:
    """Write trials into an inbox, all in one file, and return it: once it is there, they will not be lost.

    Parameters
    ----------
    folder : the directory beside the database, `<database>.inbox`
    documents : one object a trial, as `docs/inbox.md` describes them

    Raises
    ------
    ReadError
        If one of them would be refused.
    StoreError
        If the file cannot be written.
    """
    inbox, name = Path(folder), fresh_name(LETTERS)
    if not inbox.is_dir():
        if inbox.suffix != ".inbox" or not inbox.parent.is_dir():
            raise StoreError(f"There is no inbox {inbox}; it lies beside the database and is called <database>.inbox.")
        Mailbox(inbox).make()
    raw = _written(documents[0] if len(documents) == 1 else list(documents))
    read_letters("the delivery", raw)
    return put(inbox, name, raw)


def _written(plain: Any) -> bytes:
    try:
        return json.dumps(plain, ensure_ascii=False, default=_number).encode()
    except UnicodeEncodeError:
        raise ReadError("The delivery holds half of a surrogate pair, which is no text.") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise ReadError(f"The delivery cannot be written as JSON: {error}.") from None


def _number(value: Any) -> Any:
    """Return a number of NumPy as one of Python."""
    if isinstance(value, np.generic):
        return float(value) if isinstance(value, np.floating) else value.item()
    raise TypeError(f"a {type(value).__name__} is no text, number, list or object")


class Inbox(Mailbox):
    """The directory beside a database through which other programs store trials.

    A file waits until the owner of the database takes it, is stored with up to some hundred others
    in one transaction, and is deleted after that; ids keep it from being stored twice.
    """

    def __init__(self, database: Path) -> None:
        super().__init__(folder_of(database))

    def status(self) -> InboxStatus:
        """Return how many files wait, and which were set aside."""
        return InboxStatus(self.path, len(self.waiting()), tuple(self.bad_files()))

    def send(self, dataset: str, imports: Sequence[Import]) -> str:
        """Deliver whole imports, to be stored in one transaction, and return the name of the file."""
        from core.store._parcel import pack

        self.make()
        name = fresh_name(PARCEL)
        put(self.path, name, pack(dataset, imports))
        return name

    def fate(self, name: str) -> Fate:
        """Return what became of imports that were sent."""
        if (self.path / name).exists() or (self.taken / name).exists():
            return Fate("waiting")
        if (self.bad / name).exists():
            return Fate("refused", why=self.why(name))
        return Fate("stored", _read_receipts(self.done / (name + LETTERS)))

    def forget(self, name: str) -> None:
        """Delete the receipt, or the refused file, of a delivery whose sender knows of it now."""
        for path in (self.done / (name + LETTERS), self.bad / name, self.bad / (name + WHY)):
            path.unlink(missing_ok=True)

    def drain(
        self, store: "Store", limit: int = 500, *, only: str | None = None, stop: Callable[[], bool] = lambda: False
    ) -> Drained:
        """Store what waits now, in batches of one transaction each; only the database's owner may.

        Parameters
        ----------
        limit : files of a batch
        only : the one file to take, if not all
        stop : asked between batches

        Raises
        ------
        DatabaseError
            If the database cannot store anything; what waits goes on waiting.
        """
        total = Drained()
        with _DRAINING:
            self.make()
            for batch in _batches([f for f in self.waiting() if only in (None, f.path.name)], limit):
                if stop():
                    break
                mail = [m for path in self.take(batch) for m in self._open(path)]
                bad = tuple(m for m in mail if isinstance(m, tuple))
                total += Drained(n_files=len(bad), bad=bad)
                total += self._store(store, [m for m in mail if isinstance(m, _Mail)])
        return total

    def sweep(self) -> Drained:
        """Delete what writers left unfinished an hour ago, and set aside what is nothing of the inbox."""
        return Drained(bad=tuple(self.swept()))

    def _open(self, path: Path) -> "Iterator[_Mail | tuple[str, str]]":
        """Give a file's contents; or its name and why it was set aside; or nothing, if it is still being written."""
        try:
            yield _read_mail(path)
        except CutError as error:
            if changed_s_ago(path) > _PATIENCE_S:
                yield self._set_aside(path, str(error))
        except RidgelineError as error:
            yield self._set_aside(path, str(error))
        except OSError as error:
            yield self._set_aside(path, f"{path.name} cannot be read: {error.strerror}.")
        except Exception as error:
            _LOG.exception("reading %s", path)
            yield self._set_aside(path, _bug(error))

    def _set_aside(self, path: Path, why: str) -> tuple[str, str]:
        _LOG.warning("%s was set aside: %s", as_text(path.name), as_text(why))
        return self.set_aside(path, why)

    def _store(self, store: "Store", mail: list[_Mail]) -> Drained:
        """Store files in one transaction; where one is refused, halve until it stands alone."""
        if not mail:
            return Drained()
        imports = [delivery for m in mail for delivery in m.imports]
        letters = [letter for m in mail for letter in m.letters]
        try:
            receipts = store.add_delivered([*imports, *gather(letters, date.today())])
        except DatabaseError:
            raise
        except Exception as error:
            if len(mail) > 1:
                half = len(mail) // 2
                return self._store(store, mail[:half]) + self._store(store, mail[half:])
            if not isinstance(error, RidgelineError):
                _LOG.exception("storing %s", mail[0].path)
            why = str(error) if isinstance(error, RidgelineError) else _bug(error)
            return Drained(n_files=1, bad=(self._set_aside(mail[0].path, why),))
        self._finish(mail, list(receipts))
        return Drained(len(mail), sum(r.n_trials for r in receipts), sum(r.n_known for r in receipts))

    def _finish(self, mail: list[_Mail], receipts: list[Receipt]) -> None:
        """Leave receipts for who sent whole imports, and delete what is stored."""
        for m in mail:
            mine, receipts = receipts[: len(m.imports)], receipts[len(m.imports) :]
            if mine:
                put(self.done, m.path.name + LETTERS, msgspec.json.encode(mine))
            m.path.unlink(missing_ok=True)
        for warning in dict.fromkeys(w for r in receipts for w in r.warnings):
            _LOG.info("inbox: %s", warning)


def folder_of(database: Path) -> Path:
    """Return the inbox of a database."""
    whole = database.resolve()
    return whole.with_name(whole.name + ".inbox")


def _read_mail(path: Path) -> _Mail:
    if path.name.endswith(LETTERS):
        return _Mail(path, read_letters(as_text(path.name), read(path)), [])
    from core.store._parcel import unpack

    return _Mail(path, [], unpack(path.name, read(path)))


def _batches(files: Sequence[Found], limit: int) -> Iterator[list[Found]]:
    """Cut files into batches of bounded number and size."""
    batch: list[Found] = []
    n_bytes = 0
    for file in files:
        if batch and (len(batch) == limit or n_bytes + file.n_bytes > _BATCH_BYTES):
            yield batch
            batch, n_bytes = [], 0
        batch.append(file)
        n_bytes += file.n_bytes
    if batch:
        yield batch


def _read_receipts(path: Path) -> tuple[Receipt, ...]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Receipt, ...])
    except (OSError, msgspec.MsgspecError):
        return ()


def _bug(error: Exception) -> str:
    return f"It could not be stored, which is a bug in Ridgeline ({type(error).__name__}: {error}); keep the file."


_BUSY_S, _IDLE_S, _TROUBLE_S = 0.2, 1.0, 5.0
_SWEEP_EVERY = 60
"""Rounds between two sweeps for what writers left behind."""


class Drainer:
    """Runs from `start` to `stop`; trouble is written to the log and tried again, and never ends it."""

    def __init__(self, store: "Store") -> None:
        self._store, self._inbox = store, Inbox(store.path)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="inbox", daemon=True)
        self._said = ""

    def start(self) -> "Drainer":
        """Begin, and let go at the latest when the process ends."""
        self._thread.start()
        atexit.register(self.stop)
        return self

    def stop(self) -> None:
        """End after the batch under way; a second call does nothing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        atexit.unregister(self.stop)

    def _run(self) -> None:
        round, wait_s = 0, 0.0
        while not self._stop.wait(wait_s):
            wait_s = self._round(sweep=round % _SWEEP_EVERY == 0)
            round += 1

    def _round(self, *, sweep: bool) -> float:
        """Drain once and return how long to wait."""
        try:
            drained = self._inbox.drain(self._store, stop=self._stop.is_set)
            drained += self._inbox.sweep() if sweep else Drained()
        except (RidgelineError, OSError) as error:
            if str(error) != self._said:  # once, not each round
                _LOG.warning("the inbox waits: %s", error)
            self._said = str(error)
            return _TROUBLE_S
        except Exception:
            _LOG.exception("the inbox waits because of a bug")
            return _TROUBLE_S
        self._said = ""
        return _BUSY_S if drained.n_files else _IDLE_S
