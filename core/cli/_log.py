"""Where the traceback of what nobody foresaw is kept: a file of its own, for whoever reports it."""

import os
import sys
import tempfile

from core import __version__


def write_log(text: str) -> str:
    """Write a traceback into a new file of the user's own and return its path; the text itself where that fails."""
    head = f"Ridgeline {__version__}, Python {sys.version}\n{' '.join(sys.argv)}\n\n"
    try:
        file, path = tempfile.mkstemp(prefix="ridgeline-", suffix=".log", text=True)
        with os.fdopen(file, "w", encoding="utf-8") as log:
            log.write(head + text)
    except OSError as error:
        return f"that could not be written ({error.strerror}):\n{head}{text}"
    return path
