"""A file that only grows, a JSON object a line, so that whatever ends the process loses no line that was whole."""

import json
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self

from core.errors import OptionError, RidgelineError
from core.locked import lock


class Lines(ABC):
    """One process at a time reads and writes it; a line that was cut off is left out and written over.

    Attributes
    ----------
    busy, strange : sentences about a file that another process has open, and about one of other content
    begins : how the first line does, so that no other file is taken for one of which that line was cut off
    """

    busy: ClassVar[str] = "Another program writes to {path}. Wait for it, or name another file."
    strange: ClassVar[str]
    begins: ClassVar[bytes]

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    @abstractmethod
    def take(self, plain: Any) -> None:
        """Take in a line that is there.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it is none of this kind of file.
        """

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
            lock(self._file)
            self._read(self._file)
        except BaseException as error:
            self.__exit__()
            if isinstance(error, BlockingIOError):
                raise RidgelineError(self.busy.format(path=self.path)) from None
            if isinstance(error, OSError):
                raise RidgelineError(f"{self.path} cannot be used: {error.strerror or error}.") from None
            raise
        return self

    def __exit__(self, *ended: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def append(self, *lines: bytes, sync: bool = False) -> None:
        """Write lines at once; with `sync` they are on the disk before it returns."""
        assert self._file is not None
        self._file.write(b"".join(line + b"\n" for line in lines))
        self._file.flush()
        if sync:
            os.fsync(self._file.fileno())

    def _read(self, file: BinaryIO) -> None:
        file.seek(0)
        whole = 0
        for line in file:
            try:
                if not line.endswith(b"\n") and (whole or self.begins.startswith(line[: len(self.begins)])):
                    break
                self.take(json.loads(line))
            except (KeyError, TypeError, ValueError):
                raise OptionError(self.strange.format(path=self.path)) from None
            whole += len(line)
        file.truncate(whole)
        file.seek(0, os.SEEK_END)
