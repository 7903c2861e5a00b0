"""What of a dataset can be scaled: its axes, its times, its powers."""

from collections.abc import Sequence

import numpy as np

from core.scaling.outcome import SECONDS
from core.scaling.study import Study
from core.trial import Kind, Metric


def axes_of(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return the numbers that were set before a run."""
    return tuple(m.name for m in metrics if m.kind is Kind.PARAMETER)


def counters_of(metrics: Sequence[Metric], axes: Sequence[str], responses: Sequence[str]) -> tuple[str, ...]:
    """Return what a kernel can be recognised by."""
    kinds = (Kind.COUNTER, Kind.DETERMINISTIC)
    return tuple(m.name for m in metrics if m.kind in kinds and m.name not in (*axes, *responses))


def beside_of(metrics: Sequence[Metric], response: str) -> tuple[str, ...]:
    """Return the other responses, those that make energy of the first in front: power of a time, time of a power."""
    chosen = next((m for m in metrics if m.name == response), None)
    others = [m for m in metrics if m.kind is Kind.RESPONSE and m.name != response]
    wanted = _is_time if chosen is not None and _is_power(chosen) else _is_power
    return tuple(m.name for m in sorted(others, key=lambda m: not wanted(m)))


def makes_energy(metrics: Sequence[Metric], names: Sequence[str]) -> bool:
    """Whether a time in seconds and a power in watts are among the responses."""
    chosen = [m for m in metrics if m.name in names]
    return any(_is_time(m) for m in chosen) and any(_is_power(m) for m in chosen)


def varies(study: Study, response: str) -> bool:
    """Whether a response differs between configurations for any kernel."""
    values = study.surface(response)
    return bool((np.nanmax(values, axis=1) > np.nanmin(values, axis=1)).any())


def _is_time(metric: Metric) -> bool:
    return metric.unit in SECONDS


def _is_power(metric: Metric) -> bool:
    return metric.unit == "W"
