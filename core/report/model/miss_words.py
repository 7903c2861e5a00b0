"""Why a group is predicted wrong in plain words: a verdict by rules from the numbers, and the lines below it."""

import math
from dataclasses import replace

import pandas as pd

from core.errors import count
from core.report.model.miss import Miss
from core.report.model.miss_parts import FACTOR, NEIGHBOURS, RELATIVE, Driver, Split
from core.report.model.untrained import BETWEEN, CONSTANT, Untrained
from core.report.shared.naming import columns_of, difference, quantity, short_number
from core.report.shared.scorecard import fold_label

LARGE, SIDED, FAR = 1.5, 0.6, 2.0
"""Times the others' median error from which a group's is large; share of it that has one sign; times usual distance."""
OUT, LEANS, PUSHES, FOLLOWS, HELPS, _SECOND = 0.02, 0.1, 0.2, 0.25, 0.8, 0.2
"""Of a metric that is told: least mean distance in trained ranges, least weight or share of the error. Least share of a
measured move that is following it; largest share of the error left where a run helps; of the largest push, told too."""


def verdict(m: Miss) -> str:
    """Return what is wrong with a group, why, and what one further run would do, in a sentence."""
    if not m.n:
        return f"{m.group} has no prediction: {m.why_refused.removeprefix('no prediction: ')}."
    typical = f"the median of the other {m.label}s is {size(m, m.typical)}"
    if m.error <= LARGE * m.typical:
        return _ended(f"{m.group} is predicted about as well as others, off by {size(m, m.error)}; {typical}", m)
    sided = abs(m.bias) >= SIDED * m.error
    way = ("too high" if m.bias > 0 else "too low") if sided else "wrong both ways"
    head = f"{m.group} is predicted {way}, by {size(m, m.error)} ({typical})"
    causes = [cause for cause in (_cause(m, m.split, sided) if m.split else "", where(m)) if cause]
    return _ended(f"{head}: {'; '.join(causes)}", m)


def _ended(said: str, m: Miss) -> str:
    return f"{said}; {further(m)}." if m.runs else f"{said}."


def _cause(m: Miss, parts: Split, sided: bool) -> str:
    """Return which part of the error is the largest, in words."""
    largest = max(parts.near, parts.pushed, parts.measured)
    if largest == parts.near:
        return f"the trained trials most like it are missed alike, by {size(m, abs(parts.near))}"
    did = moved(m, parts.measured_move) if sided else f"{size(m, parts.measured_size)} more or less"
    own = parts.terms or parts.metrics
    pushing = [d for d in own[:2] if d.push > max(0.0, _SECOND * own[0].push)]
    most = f", most by {' and '.join(_driver(m, d, sided) for d in pushing)}," if pushing else ""
    beside = "against the trained trials most like it"
    if largest == parts.pushed:
        moves = f"the prediction moves {moved(m, parts.model_move)}" if sided else "the prediction moves away"
        return f"{beside}, {moves}{most or ','} where {did} was measured"
    if parts.pushed > -FOLLOWS * parts.measured:
        return f"{beside}, {did} was measured, and the prediction does not follow"
    follows = f"the prediction moves {moved(m, parts.model_move)} only" if sided else "the prediction follows in part"
    return f"{beside}, {did} was measured, and {follows}"


def _driver(m: Miss, driver: Driver, sided: bool) -> str:
    return f"{driver.name} ({moved(m, driver.move if sided else driver.push)})"


def where(m: Miss) -> str:
    """Return what lies where nothing was trained, in a clause."""
    pushes = {} if m.split is None else {d.name: d.push / m.split.error for d in m.split.metrics if m.split.error}
    leant = (u for u in m.untrained if u.weight >= LEANS or pushes.get(str(u.metric), 0.0) >= PUSHES)
    told = next((u for u in leant if u.where != CONSTANT and u.share * u.far >= OUT), None)
    if told is not None:
        return place(told)
    nearest = m.near[0] if m.near else None
    if nearest is not None and nearest.distance > FAR * m.usual > 0:
        times = short_number(nearest.distance / m.usual, 2)
        return f"{nearest.name}, the nearest, is {times} times as far as trained {m.label}s are from each other"
    fixed = [u.metric.name for u in m.untrained if u.where == CONSTANT]
    if fixed:
        some = f"{fixed[0]} and {len(fixed) - 1} more" if len(fixed) > 1 else fixed[0]
        return f"{some} never varied in training, so the model knows nothing of it"
    return f"its metrics lie where others were trained, {nearest.name} nearest" if nearest is not None else ""


def place(u: Untrained) -> str:
    """Return where a metric lies beside what was trained, in a clause."""
    at, low, high = (short_number(v) for v in (u.value, u.low, u.high))
    at = at if u.share == 1 else f"{at} in {100 * u.share:.0f} % of its trials"
    if u.where == CONSTANT:
        return f"{u.metric.name} ({at}) was {low} alone in training"
    if u.where == BETWEEN:
        return f"{u.metric.name} ({at}) lies between {low} and {high}, where nothing was trained"
    return f"{u.metric.name} ({at}) lies {u.where} everything trained, {low} to {high}"


def further(m: Miss) -> str:
    """Return what one further run was measured to do, in a clause."""
    after, low, high = m.after
    ends = f"of its other trials from {size(m, m.before)} to {size(m, after)}"
    tried = f"{len(m.runs)} tried, {size(m, low)} to {size(m, high)}" if len(m.runs) > 1 else "1 tried"
    if after <= HELPS * m.before:
        return f"one run of its own takes the error {ends} ({tried})"
    does = "makes it no better" if after >= m.before else "helps little"
    return f"one run of its own {does}: the error {ends} ({tried})"


def size(m: Miss, error: float) -> str:
    """Return an error in words."""
    if not math.isfinite(error):
        return "unknown"
    if m.measure == FACTOR:
        return f"a factor of {short_number(math.exp(error), 3)}"
    return f"{short_number(100 * error, 3)} %" if m.measure == RELATIVE else quantity(error, m.response)


def moved(m: Miss, move: float) -> str:
    """Return a move of a prediction or a measurement in words: a factor, or a difference."""
    if m.measure == FACTOR:
        return f"× {short_number(math.exp(move), 3)}"
    if m.measure == RELATIVE:
        return f"{'+' if move >= 0 else '−'}{short_number(abs(100 * move), 3)} %"
    return difference(move, m.response)


def lines(m: Miss, top: int) -> list[str]:
    """Return the verdict and what it is made from, as a person reads it."""
    told = [
        verdict(m),
        f"  {count(m.n + m.n_refused, 'trial')}, leaving out {fold_label(m.folds)}; {m.n_outside} of them outside what "
        "was trained",
    ]
    told += [f"  {m.n_refused} refused: {m.why_refused}"] if m.n_refused else []
    told += [f"  where nothing was trained: {place(u)}; weight {u.weight:.2g}" for u in m.untrained[:top]]
    told += [f"  near: {n.name} at {n.distance:.3g}, itself off by {size(m, n.error)}" for n in m.near]
    told += _split_lines(m, m.split, top) if m.split else []
    return told + [f"  one run more, {r.name}: {size(m, r.before)} → {size(m, r.after)}" for r in m.runs]


def _split_lines(m: Miss, parts: Split, top: int) -> list[str]:
    told = [
        f"  {100 * share:>6.0f} %  {said}{f': {move}' if move else ''}" for share, said, move in steps(m, parts, top)
    ]
    return [f"  error of {parts.n} trials in parts, against the {NEIGHBOURS} trained trials most like each:", *told]


def steps(m: Miss, parts: Split, top: int) -> list[tuple[float, str, str]]:
    """Return what adds up to an error: its share, what it is, and by how much it moves, "" where it does not."""
    own, whole = drivers(parts), parts.error or 1.0
    rest = sum(d.push for d in own[top:])
    return [
        (parts.near / whole, "missed of these already", ""),
        *((d.push / whole, d.name, moved(m, d.move)) for d in own[:top]),
        *([(rest / whole, f"{len(own) - top} others", "")] if len(own) > top else []),
        *([(parts.held / whole, "held within what was trained", "")] if parts.held else []),
        (parts.measured / whole, "measured against these", moved(m, parts.measured_move)),
    ]


def drivers(parts: Split) -> tuple[Driver, ...]:
    """Return terms, or metrics where the model is no sum of terms: those with the largest pushes either way first."""
    return tuple(sorted(parts.terms or parts.metrics, key=lambda d: (-abs(d.push), d.name)))


def parts_table(m: Miss, parts: Split) -> pd.DataFrame:
    """Return a row per part of the error."""
    told = steps(m, parts, len(drivers(parts)))
    return pd.DataFrame([(said, 100 * share, move) for share, said, move in told], columns=list(_PARTS))


def untrained_table(m: Miss) -> pd.DataFrame:
    """Return a row per metric with values where nothing was trained."""
    rows = [replace(u, share=100 * u.share) for u in m.untrained]
    return pd.DataFrame(columns_of(rows, _UNTRAINED)).astype({"metric": str})


def near_table(m: Miss) -> pd.DataFrame:
    """Return a row per nearest trained group."""
    return pd.DataFrame([(n.name, n.distance, size(m, n.error)) for n in m.near], columns=[m.label, *_NEAR])


def runs_table(m: Miss) -> pd.DataFrame:
    """Return a row per further run that was tried."""
    rows = [(r.name, r.n_rest, size(m, r.before), size(m, r.after)) for r in m.runs]
    return pd.DataFrame(rows, columns=list(_RUNS))


_PARTS = ("part", "share of the error (%)", "moves")
_UNTRAINED = (
    "metric | where | value | trained from: low | to: high | trials (%): share | away (ranges): far | "
    "weight (deviations): weight"
)
_NEAR = ("distance (deviations)", "its own error")
_RUNS = ("learnt too", "other trials", "their error before", "after")
