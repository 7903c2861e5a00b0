"""Numbers with their unit, as people read them beside sliders."""

import math

from core.trial import Metric


def short_number(value: float, digits: int = 4) -> str:
    """Return a number with a few digits, large ones in full."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:.{digits}g}"


def quantity(value: float, metric: Metric) -> str:
    """Return a value with its unit, or a dash where there is none."""
    return f"{short_number(value)}{_unit(metric)}" if math.isfinite(value) else "–"


def difference(absolute: float, metric: Metric) -> str:
    """Return a difference with its sign and unit."""
    return f"{'+' if absolute >= 0 else '−'}{short_number(abs(absolute))}{_unit(metric)}"


def change(percent: float) -> str:
    """Return a relative difference with its sign, "" where the base is zero."""
    return f"{percent:+.3g} %".replace("-", "−") if math.isfinite(percent) else ""


def interval(low: float, high: float) -> str:
    """Return both ends of an interval, or a dash where one is unknown."""
    known = math.isfinite(low) and math.isfinite(high)
    return f"{short_number(low, 3)} to {short_number(high, 3)}" if known else "–"


def _unit(metric: Metric) -> str:
    return f" {metric.unit}" if metric.unit else ""
