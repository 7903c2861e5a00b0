"""Responses below a limit, such as the resolution of a clock."""

from typing import ClassVar

import numpy as np

from core.curate.base import Judgement, Rule
from core.option import option
from core.trial import Measured


class Below(Rule):
    """Exclude trials whose response is below a limit."""

    label: ClassVar[str] = "Response below a limit"

    limit: float = option(0.0, help="Trials whose response is below this number do not count, in the response's unit")

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Exclude by value."""
        y = measured.column(response)
        below = np.flatnonzero(self.counted(measured) & (y < self.limit)).tolist()
        return Judgement({measured.ids[i]: f"{response} is {y[i]:g}, below {self.limit:g}" for i in below})
