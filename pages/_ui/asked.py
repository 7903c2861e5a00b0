"""Files arrive that were asked for just as their page was drawn anew, when Streamlit forgets the button and the answer.

A page that draws a button anew gives it another number, and the old one is dropped before the browser knows; and what
waits to be sent is dropped when a page begins, an answer with the address of a file, too.
"""

import time
from collections.abc import Callable
from typing import Any

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager

_KEPT_S = 60.0


def keep_asked() -> None:
    """Let files and their buttons be had a minute longer than they are shown, and answers outlast a new drawing.

    A Streamlit that has no such method does it in some other way: there nothing is changed.
    """
    for owner, name, made in (
        (MediaFileManager, "_drop_deferred_id", _later),
        (MediaFileManager, "_delete_file", _later),
        (ForwardMsgQueue, "clear", _but_answers),
    ):
        if (own := getattr(owner, name, None)) is not None:
            setattr(owner, name, made(own))


def _later(drop: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """Return what drops a file that was to be dropped a minute ago; Streamlit asks again at the end of every run."""
    since: dict[str, float] = {}

    def dropped(files: MediaFileManager, file_id: str) -> None:
        if time.monotonic() - since.setdefault(file_id, time.monotonic()) >= _KEPT_S:
            del since[file_id]
            drop(files, file_id)

    return dropped


def _but_answers(clear: Callable[..., None]) -> Callable[..., None]:
    """Return what clears a queue as a page begins, but for answers to what the browser asked."""

    def cleared(queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: Any = None) -> None:
        answers = [m for m in queue._queue if m.WhichOneof("type") == "backend_operation_response"]
        clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)
        if retain_lifecycle_msgs and fragment_ids_this_run is None:  # a part of the page leaves them
            queue._queue += answers

    return cleared
