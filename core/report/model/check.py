"""New measurements held against a model, or against a baseline and the model: which groups are worse than expected."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import PredictError, count
from core.pipeline import FittedPipeline
from core.report.model.check_rows import SET, Measured, measured, settled, unmeasured
from core.report.model.checked import Check, Group, One, Question
from core.report.model.predictions import PredictedRows
from core.report.shared.naming import change, interval, quantity
from core.trial import Kind, Metric
from core.validate.alarms import NINETY, Stratum, adjusted, conformal, larger, shift_of, together
from core.validate.record import far_above, recorded

_UNKNOWN = float("nan")
_ROUNDING = 1e-9


def check_model(model: FittedPipeline, new: PredictedRows, question: Question) -> Check:
    """Return which groups of a file leave what the model says of them, by the residuals of held-out trials.

    Repeats of a configuration are one measurement, their median. What lies outside the trained range is not judged.

    Raises
    ------
    PredictError
        If the model keeps nothing of its validation, or the file has no response.
    """
    held_out, question = _held_out(model), question.of(model.response)
    keys = settled(model.metrics, [new], question)
    left = [(name, f"it has no measured {model.response.name}") for name in sorted(unmeasured(new, keys))]
    groups: dict[str, list[One]] = {}
    for one in measured(new, keys, log=model.scale.log).values():
        if one.why or math.isnan(one.far):
            left.append((one.name, one.why or "the model has no interval for it"))
            continue
        chances = [float(conformal(np.array([s * one.far]), s * held_out)[0]) for s in question.signs]
        value = float(np.median(one.y))
        moved = 100 * (value / one.said - 1) if one.said > 0 else _UNKNOWN
        p = min(1.0, len(chances) * min(chances))
        groups.setdefault(one.group, []).append(One(one.name, len(one.y), value, one.low, one.high, moved, p))
    ps = [together(np.array([one.p for one in own])) for own in groups.values()]
    drafts = [
        Group(name, chance, 1.0, float(np.median([o.change for o in own])), _UNKNOWN, _UNKNOWN, _UNKNOWN, tuple(own))
        for (name, own), chance in zip(groups.items(), ps, strict=True)
    ]
    said = tuple(_named(model.response, g, "its counters") for g in _judged(drafts, question))
    few = _too_few(1 / (len(held_out) + 1), len(groups), question, "held-out trials")
    notes = (*few, *_impossible(model, groups))
    return Check(model.response, False, keys, said, tuple(left), len(held_out), notes)


def check_baseline(
    model: FittedPipeline | None,
    new: PredictedRows,
    old: PredictedRows,
    question: Question,
    metrics: Sequence[Metric] = (),
) -> Check:
    """Return which groups of a file are worse than those of an earlier one, by more than a model's counters explain.

    With a model a group alarms only if it is worse both as measured and after its predicted change is taken off (the
    larger of the two p-values is valid for "no worse, or explained"), so that a wrong prediction alone alarms nobody.

    Parameters
    ----------
    metrics : of the files, where there is no model to tell which are parameters

    Raises
    ------
    PredictError
        If a response is not positive, or no configuration is in both files.
    """
    response = new.response
    question, metrics = question.of(response), model.metrics if model else metrics
    keys = settled(metrics, [new, old], question)
    now, before = measured(new, keys), measured(old, keys)
    both = [name for name in now if name in before]
    if not both:
        raise PredictError(
            f"No configuration of {new.table.source} is in {old.table.source} too; configurations were told apart by "
            f"{', '.join(keys.columns) or 'nothing'}. Name the columns that do, with --key."
        )
    for one in (*now.values(), *before.values()):
        if one.y.min() <= 0:
            raise PredictError(
                f"{one.name} was measured as {one.y.min():g}, and a baseline is compared by ratios. Leave that row "
                "out, or leave --baseline out."
            )
    pairs: dict[str, list[_Pair]] = {}
    for name in both:
        pairs.setdefault(now[name].group, []).append(_Pair(now[name], before[name]))
    drafts = [_paired(name, own, question, known=model is not None) for name, own in pairs.items()]
    said = tuple(_reached(response, g, pairs[g.name]) for g in _judged(drafts, question))
    none, lost, never = f"it has no measured {response.name}", unmeasured(new, keys), unmeasured(old, keys)
    others = (name for name in now if name not in before)
    left = [(name, f"{none} in the baseline" if name in never else "it is not in the baseline") for name in others]
    gone = [(name, none if name in lost else "it is in the baseline only") for name in before if name not in now]
    least = min(larger([pair.apart for pair in own]) for own in pairs.values())
    few = _too_few(least, len(pairs), question, "measurements of a configuration")
    notes = (*few, *(_settings_that_differ(model, new, old) if model else _others(response, metrics)))
    return Check(response, True, keys, said, (*left, *gone), notes=notes)


class _Pair(Frozen):
    """A configuration in both files."""

    new: Measured
    old: Measured

    @property
    def explained(self) -> float:
        """How far the prediction moved, in logarithms; 0 where there is none."""
        ends = self.new.said, self.old.said
        if not all(math.isfinite(v) and v > 0 for v in ends):
            return 0.0
        moved = math.log(ends[0] / ends[1])
        return moved if abs(moved) > _ROUNDING else 0.0

    @property
    def apart(self) -> Stratum:
        """As many measurements, of which every new one is above every old one."""
        return Stratum(np.arange(-len(self.old.y), 0.0), np.arange(1.0, len(self.new.y) + 1))

    def stratum(self, sign: int = 1, *, less: bool = False) -> Stratum:
        """Return the measurements in logarithms, the new ones less what the counters explain if asked."""
        new = np.log(self.new.y) - (self.explained if less else 0.0)
        return Stratum(sign * np.log(self.old.y), sign * new)


def _paired(name: str, pairs: Sequence[_Pair], question: Question, *, known: bool) -> Group:
    ones = tuple(_one(pair, question) for pair in pairs)
    explained = 100 * math.expm1(float(np.median([pair.explained for pair in pairs]))) if known else _UNKNOWN
    moved = float(np.median([one.change for one in ones]))
    return Group(name, _p(pairs, question), 1.0, moved, _UNKNOWN, _UNKNOWN, explained, ones)


def _one(pair: _Pair, question: Question) -> One:
    value, moved = float(np.median(pair.new.y)), 100 * math.expm1(pair.stratum(less=True).moved)
    return One(pair.new.name, len(pair.new.y), value, _UNKNOWN, _UNKNOWN, moved, _p([pair], question))


def _p(pairs: Sequence[_Pair], question: Question) -> float:
    """Return the p-value of being no worse, as measured or beyond what counters explain."""
    least, found = math.log1p(question.least / 100), []
    for sign in question.signs:
        ways = {False, any(pair.explained for pair in pairs)}
        found.append(max(larger([pair.stratum(sign, less=less) for pair in pairs], least) for less in ways))
    return min(1.0, len(found) * min(found))


def _judged(drafts: Sequence[Group], question: Question) -> list[Group]:
    """Return groups with their adjusted p-values, the most alarming first."""
    chances = adjusted(np.array([g.p for g in drafts])).tolist() if drafts else []
    found = [replace(g, adjusted=p, alarm=p <= question.level) for g, p in zip(drafts, chances, strict=True)]
    return sorted(found, key=lambda g: (g.adjusted, g.p, -_size(g.change), g.name))


def _reached(response: Metric, found: Group, pairs: Sequence[_Pair]) -> Group:
    """Return an alarm with its interval and sentence, and each configuration with where it was expected."""
    if not found.alarm:
        return found
    strata = [pair.stratum(less=True) for pair in pairs]
    low, high = (100 * math.expm1(shift_of(strata, end)) for end in (NINETY, -NINETY))
    ones = tuple(_expected(one, pair) for one, pair in zip(found.configurations, pairs, strict=True))
    known = replace(found, low=low, high=high, configurations=ones)
    counters = f" and its counters (which explain {change(found.explained)})" if math.isfinite(found.explained) else ""
    return _named(response, known, f"the baseline{counters}")


def _expected(one: One, pair: _Pair) -> One:
    """Return a configuration with the 90 % interval of what was expected: its value less the interval of the shift."""
    ends = [one.value * math.exp(-shift_of([pair.stratum(less=True)], end)) for end in (-NINETY, NINETY)]
    known = all(0 < end < math.inf for end in ends)
    return replace(one, low=ends[0], high=ends[1]) if known else one


def _named(response: Metric, found: Group, source: str) -> Group:
    """Return an alarm with its sentence: its most telling configuration, and how many there are."""
    if not found.alarm:
        return found
    worst = min(found.configurations, key=lambda one: (one.p, -_size(one.change)))
    took = "took" if response.is_time else "was"
    where = f"{interval(worst.low, worst.high)} {response.unit}".rstrip()
    expected = f" where {where} were expected from {source}" if math.isfinite(worst.low) else f", unlike {source}"
    called = worst.name if found.name == worst.name else f"{found.name}: {worst.name}"
    n = len(found.configurations)
    over = f" over its {n} configurations" if n > 1 else ""
    ends = f"{found.low:.1f} to {found.high:.1f} %".replace("-", "−")
    between = f" ({ends})" if math.isfinite(found.high - found.low) else ""
    said = f"{called} {took} {quantity(worst.value, response)}{expected}; {_moved(response, found)}{between}{over}."
    return replace(found, sentence=said)


def _moved(response: Metric, found: Group) -> str:
    """Return by how much a group changed: in percent, or in the response's unit where 0 or less was expected."""
    if math.isfinite(found.change):
        return change(found.change)
    by = float(np.median([one.value - (one.low + one.high) / 2 for one in found.configurations]))
    return f"{'+' if by > 0 else '−'}{quantity(abs(by), response)}"


def _size(percent: float) -> float:
    return abs(percent) if math.isfinite(percent) else 0.0


def _held_out(model: FittedPipeline) -> FloatArray:
    """Return how far held-out trials lay above their predictions; of older files, from the points that they keep."""
    kept = recorded(model.validation)
    far, points, interval = np.array(kept.far), kept.points, model.interval
    if not len(far) and points is not None and interval is not None:
        y, said, half = points.observed, points.predicted, float(interval.half_widths[0])
        ends = (np.exp(half) * said, said / np.exp(half)) if model.scale.log else (said + half, said - half)
        far = far_above(y, said, ends[1], ends[0], log=model.scale.log)
        far = far[np.isfinite(far)]
    if not len(far):
        raise PredictError(
            "The model was never tested on trials that it had not seen, so that nothing tells how far measurements may "
            "lie from it. Train it with folds, or give a --baseline."
        )
    return far


def _impossible(model: FittedPipeline, groups: Mapping[str, Sequence[One]]) -> tuple[str, ...]:
    """Say so where a model of logarithms was given what is 0 or below."""
    low = [one for own in groups.values() for one in own if model.scale.log and one.value <= 0]
    if not low:
        return ()
    first, response = low[0], model.response
    return (
        f"{count(len(low), 'configuration')} at 0 or below, such as {first.name} at {quantity(first.value, response)}: "
        f"the model learnt from positive {response.name} alone, so see whether that was measured at all.",
    )


def _settings_that_differ(model: FittedPipeline, new: PredictedRows, old: PredictedRows) -> tuple[str, ...]:
    """Say so where the files are of different settings: a model that knows them explains what these change."""
    columns = []
    for j, metric in enumerate(model.metrics):
        before, now = np.unique(old.X[:, j]), np.unique(new.X[:, j])
        if metric.kind in SET and len(before) == len(now) == 1 and before[0] != now[0]:
            text = next((name for name in new.table.names if metric.name.startswith(f"{name}=")), metric.name)
            columns.append(text)
    if not (names := list(dict.fromkeys(columns))):
        return ()
    differ, it, its = ("differs", "it", "its") if len(names) == 1 else ("differ", "them", "their")
    return (
        f"{' and '.join(names)} {differ} between the two files, not within them. The model predicts from {it}, so "
        f"{its} effect counts as explained; to judge {it} too, train the model without {it}.",
    )


def _others(response: Metric, metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Say which responses are not judged."""
    others = [m.name for m in metrics if m.kind is Kind.RESPONSE and m.name != response.name]
    return (f"Judged is {response.name}; other responses, for --response: {', '.join(others)}.",) if others else ()


def _too_few(least: float, n_groups: int, question: Question, few: str) -> tuple[str, ...]:
    """Say so where no single group could alarm, however much worse it is, as no p-value is below the least."""
    at_once = math.ceil(len(question.signs) * least * n_groups / question.level - _ROUNDING)
    if at_once <= 1:
        return ()
    lost = f"fewer than {at_once} worse groups among {n_groups}" if at_once <= n_groups else "whatever is worse"
    return (
        f"With so few {few} no p-value is below {least:.2g}: {lost} cannot "
        "be told from chance at this --level. Measure more often, give a --baseline of several runs, or fewer groups.",
    )
