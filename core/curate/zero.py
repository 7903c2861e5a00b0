"""Zero durations: a response that is missing, zero or negative has no logarithm and no relative error."""

import numpy as np

from core.curate.base import Judgement, Rule
from core.option import option
from core.trial import Measured


class Zero(Rule):
    """Exclude trials whose response is not positive."""

    label = "Response not positive"

    missing: bool = option(True, label="Missing, too").says(
        "Exclude trials without a value of the response, too; a frame of this response leaves them out anyway"
    )

    def judge(self, measured: Measured, response: str) -> Judgement:
        """Exclude by value."""
        y = measured.column(response)
        absent = ~np.isfinite(y)
        out = self.counted(measured) & ((absent & self.missing) | (y <= 0))
        need = "logarithms and relative errors need a positive number"
        return Judgement(
            {
                measured.ids[i]: f"{response} is {'missing' if absent[i] else f'{y[i]:g}'}; {need}"
                for i in np.flatnonzero(out)
            }
        )
