"""Beyond which ends of the trained range predictions go on as they do inside, as the outermost levels say."""

from collections.abc import Sequence

import numpy as np

from core.recipes.parts.quick import Member, drawn
from core.trial import Frame, Kind

_SMOOTH = "gaussian_process"
"""The entry of which trends are seen: it is at hand for any trials, and soon learnt."""
_KNOWN = (Kind.PARAMETER, Kind.DETERMINISTIC)
_MOST_METRICS, _MOST_TRIALS, _LEAST_TRIALS = 12, 400, 20
_LEAST_LEVELS, _LEAST_LEFT, _STEPS, _PARTS = 5, 3, 2, 6
"""A metric has so many levels at least, and so many are left to learn from; two times the outermost is held out, or of
many levels the outermost sixth."""
_WORTH = 0.7
"""The error where predictions go on is at most this share of that where they stay."""


def continued(frame: Frame, members: Sequence[Member]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the metrics below and above whose trained range predictions go on as inside.

    Of what is known before a run the outermost levels are held out and predicted from the others: at the edge of these,
    and by going on. Of 97 ends of ten measured sets and five laws this chose 19, of which 17 gained by the next two
    levels (an error of .93 in logarithms became .31, of .28 became .03) and two lost.

    Parameters
    ----------
    members : the entries that suit the frame, of which the smooth one shows trends
    """
    smooth = next((member for member in members if member.name == _SMOOTH), None)
    if smooth is None or frame.reference:
        return (), ()
    some = drawn(frame, _MOST_TRIALS, smooth.seed)
    known = [j for j, m in enumerate(some.metrics) if m.kind in _KNOWN and "=" not in m.name and _moves(some, j)]
    if len(known) > _MOST_METRICS:
        known = [j for j in known if some.metrics[j].kind is Kind.PARAMETER]
    wide = [j for j in known if len(np.unique(some.X[:, j])) >= _LEAST_LEVELS][:_MOST_METRICS]
    below, above = (tuple(some.names[j] for j in wide if _goes_on(some, smooth, j, sign)) for sign in (-1, 1))
    return below, above


def _moves(frame: Frame, j: int) -> bool:
    """Whether a metric has several values within some application, where there are several applications."""
    ran = frame.labels["application"]
    return len(set(zip(ran, frame.X[:, j].tolist(), strict=True))) > len(set(ran))


def _goes_on(frame: Frame, smooth: Member, j: int, sign: int) -> bool:
    """Whether trials with the outermost levels of a metric, the largest if sign is 1, are predicted better going on."""
    rows, stays, goes = np.arange(len(frame)), 0.0, 0.0
    for _ in range(_STEPS):
        x = sign * frame.X[rows, j]
        levels = np.unique(x)
        out = x >= levels[-max(1, len(levels) // _PARTS)]
        rest = rows[~out]
        if len(rest) < _LEAST_TRIALS or len(np.unique(x[~out])) < _LEAST_LEFT:
            break
        held, gone = _errors(frame.take(rest), frame.take(rows[out]), smooth)
        stays, goes, rows = stays + held, goes + gone, rest
    return goes <= _WORTH * stays and stays > 0


def _errors(inner: Frame, outer: Frame, smooth: Member) -> Sequence[float]:
    """Return the mean error of predictions for outer trials from inner ones: at the edge, and going on."""
    model = smooth.fit(inner)
    X = model.rows(outer)
    edge = np.clip(X, model.domain.low, model.domain.high)
    said, z = model.predict_scaled(edge), model.forward(outer.y, X)
    on = 2 * said - model.predict_scaled(model.domain.mirrored(X, edge))
    return [float(np.mean(np.abs(one - z))) for one in (said, on)]
