"""Results in a file, a line each: no database is held while an experiment runs, and any end loses nothing whole."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from core.codec import dumps
from core.errors import RidgelineError
from core.experiment.experiment import Result, result_from_plain, result_to_plain
from core.journal import Lines


class Journal(Lines):
    """Results by their keys."""

    busy: ClassVar[str] = "Another program writes to {path}: this experiment runs already. Wait for it, or stop it."
    strange: ClassVar[str] = "{path} holds no results of experiments. Give --journal another file."

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.known: dict[str, Result] = {}

    def keep(self, results: Sequence[tuple[str, Result]]) -> None:
        """Write results at once."""
        self.append(*(dumps({"fit": key, "result": result_to_plain(result)}) for key, result in results))
        self.known.update(results)

    def take(self, plain: Any) -> None:
        """Take in a result that is there."""
        try:
            self.known[str(plain["fit"])] = result_from_plain(plain["result"])
        except RidgelineError as error:
            raise ValueError(str(error)) from None
