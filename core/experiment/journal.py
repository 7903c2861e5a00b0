"""Results in a file, a line each: no database is held while an experiment runs, and any end loses nothing whole."""

import fcntl
import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from core.codec import dumps
from core.errors import OptionError, RidgelineError
from core.experiment.experiment import Result, result_from_plain, result_to_plain


class Journal:
    """Results by their keys; one process writes at a time, and a line that was cut off is left out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, Result] = {}
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read(self._file)
        except BlockingIOError:
            self.close()
            raise RidgelineError(
                f"Another program writes to {self.path}: this experiment runs already. Wait for it, or stop it."
            ) from None
        except OSError as error:
            self.close()
            raise RidgelineError(f"{self.path} cannot be used: {error.strerror or error}.") from None
        except RidgelineError:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def keep(self, results: Sequence[tuple[str, Result]]) -> None:
        """Write results at once."""
        assert self._file is not None
        lines = [dumps({"fit": key, "result": result_to_plain(result)}) + b"\n" for key, result in results]
        self._file.write(b"".join(lines))
        self._file.flush()
        self.known.update(results)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self, file: BinaryIO) -> None:
        file.seek(0)
        whole = 0
        for line in file:
            if not line.endswith(b"\n"):
                break  # cut off in the middle: it is written over
            try:
                plain = json.loads(line)
                self.known[str(plain["fit"])] = result_from_plain(plain["result"])
            except (ValueError, KeyError, TypeError, RidgelineError):
                raise OptionError(
                    f"{self.path} holds no results of experiments. Give --journal another file."
                ) from None
            whole += len(line)
        file.truncate(whole)
        file.seek(0, 2)
