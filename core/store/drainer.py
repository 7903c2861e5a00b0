"""A thread of the owning process that stores what comes into the inbox."""

import atexit
import logging
import threading

from core.errors import RidgelineError
from core.store.cards import Drained
from core.store.inbox import Inbox
from core.store.store import Store

_LOG = logging.getLogger("ridgeline.inbox")
_BUSY_S, _IDLE_S, _TROUBLE_S = 0.2, 1.0, 5.0
_SWEEP_EVERY = 60
"""Rounds between two sweeps for what writers left behind."""


class Drainer:
    """Runs from `start` to `stop`; trouble is written to the log and tried again, and never ends it."""

    def __init__(self, store: Store) -> None:
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
