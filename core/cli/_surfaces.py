"""Predicted surfaces as plain values, and as lines."""

from typing import Any

from core.errors import OptionError
from core.scaling.scaling_model import Predicted, ScalingModel


def point_of(text: str) -> dict[str, float]:
    """Return the configuration in `core_mhz=1000,mem_mhz=3505`."""
    found = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        try:
            found[name.strip()] = float(value if sign else "")
        except ValueError:
            raise OptionError(f"A configuration is AXIS=VALUE,AXIS=VALUE; got '{text}'.") from None
    return found


def at_plain(model: ScalingModel, p: Predicted, at: str | None) -> dict[str, Any]:
    """Return a kernel's prediction for `--json`: at one configuration, or over all of them."""
    told: dict[str, Any] = {
        "kernel": p.name,
        "in_domain": p.in_domain,
        "why": p.why,
        "nearest": [{"kernel": name, "distance": d} for name, d in p.nearest],
    }
    if not at:
        over = {
            n: {"value": s.value.tolist(), "low": s.low.tolist(), "high": s.high.tolist()}
            for n, s in p.surfaces.items()
        }
        return {**told, "grid": model.grid.tolist(), "surfaces": over}
    place = model.place(point_of(at))
    here = {name: dict(zip(("value", "low", "high"), s.at(place), strict=True)) for name, s in p.surfaces.items()}
    return {**told, "at": at, "outside": place.why, "surfaces": here}


def at_line(model: ScalingModel, p: Predicted, at: str) -> str:
    """Return a kernel's prediction at one configuration as a person reads it."""
    place = model.place(point_of(at))
    parts = []
    for name, surface in p.surfaces.items():
        value, low, high = surface.at(place)
        parts.append(f"{name} {value:.4g} ({low:.4g} to {high:.4g}) {surface.response.unit}".rstrip())
    why = "; ".join(part for part in (p.why, place.why) if part)
    return f"{p.name}: {', '.join(parts)}" + (f"  [{why}]" if why else "") + f"  nearest: {p.nearest[0][0]}"
