"""A frame per value of a label: what `learn` and `diversity` share."""

import numpy as np

from core.errors import OptionError
from core.trial import Frame

ALL = "all"


def frames_by(frame: Frame, by: str | None) -> dict[str, Frame]:
    """Return a frame per value of a label, by its text; all trials under `all` without a label.

    Raises
    ------
    OptionError
        If there is no such label.
    """
    if by is None:
        return {ALL: frame}
    if by not in frame.labels:
        raise OptionError(f"There is no label '{by}' for --by; there are: {', '.join(frame.labels)}.")
    texts = np.array(frame.labels[by], dtype=object)
    return {str(v) or "(none)": frame.take(np.flatnonzero(texts == v)) for v in sorted(set(texts))}
