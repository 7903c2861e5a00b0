"""A model of splines in numbers: what each term adds at the knots, from which its curve or surface follows."""

from itertools import product

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.models._spline import Axis
from core.models.splines import SplinesModel
from core.pipeline import FittedPipeline
from core.report.model.on_scale import symbol_on_scale
from core.scale import LOG


def knots_table(model: FittedPipeline, cluster: int = 0) -> pd.DataFrame | None:
    """Return a row per coefficient: the term, where its knot is, and what it adds there; None without splines.

    A coefficient is the value of a term at one knot (or at one knot of each of its parameters) against
    the first knot, where every term is 0; between knots it is the natural cubic spline through them.
    """
    fitted = model.clusters[cluster].model
    if not isinstance(fitted, SplinesModel):
        return None
    names = model.features
    rows: list[tuple[str, str, float]] = [("constant", "", fitted.intercept)]
    for term in fitted.chosen:
        axes = [fitted.axes[a] for a in term.axes]
        places = product(*([f"{names[a.column]} = {v:.4g}" for v in _knots(a)[1:]] for a in axes))
        text = fitted.term_name(term.axes, names)
        rows += [(text, ", ".join(p), float(c)) for p, c in zip(places, term.coefficients, strict=True)]
    unit = f"ln {model.response.name}" if model.scale.name == LOG else str(model.response)
    unit = symbol_on_scale(model) if model.scale.relative else unit
    return pd.DataFrame(rows, columns=["term", "at", f"adds ({unit})"])


def _knots(axis: Axis) -> FloatArray:
    """Return the knots in the parameter's own unit."""
    return np.exp2(axis.knots) if axis.log else axis.knots
