"""Columns of a file in the units of the metrics that a model knows."""

from collections.abc import Sequence
from dataclasses import replace

from core.codec import FloatArray
from core.errors import PredictError
from core.ingest._units import stem, unit_of_name
from core.ingest.readers._base_units import ratio, scale_of
from core.ingest.table.table import Table
from core.trial import Metric

_KILO = 1000
_BYTE = "byte"


def called_as(table: Table, metrics: Sequence[Metric]) -> Table:
    """Return a table whose columns in another unit are called as the metrics are: `time_ms` as `time_s`.

    Such a column is the only one that has a metric's name without its unit, and no metric of that list itself. What
    stands in brackets is no unit where the whole header is a metric's name, such as `target=cpu (x86_64)`.
    """
    names, known = list(table.names), {metric.name for metric in metrics}
    for metric in metrics:
        base = scale_of(metric.unit)[0]
        whole = [i for i, header in enumerate(table.headers) if header == metric.name]
        alike = whole or [
            i
            for i, (name, unit) in enumerate(zip(table.names, table.units, strict=True))
            if unit and name not in known and stem(name) == stem(metric.name) and scale_of(unit)[0] == base
        ]
        if metric.name not in names and len(alike) == 1:
            names[alike[0]] = metric.name
    return table if (*names,) == table.names else replace(table, names=tuple(names), memo={})


def in_unit_of(metric: Metric, unit: str, values: FloatArray, source: str) -> FloatArray:
    """Return values of a metric in its unit.

    Parameters
    ----------
    metric : as the model knows it
    unit : of the values; "" where nothing says it. Where the metric's name alone says it, it is the metric's, which
        whoever imported it may have corrected
    source : the file, for the sentence

    Raises
    ------
    PredictError
        If what they measure is not the same, or the number of bytes in a unit is not known: a kB is of 1,000 or 1,024.
    """
    if not unit or not metric.unit or unit in (metric.unit, unit_of_name(metric.name)):
        return values
    own, other = scale_of(unit), scale_of(metric.unit)
    (base, many, _), (wanted, others, _), factor = own, other, ratio(own, other)
    kilo = next((one for one, n in ((unit, many), (metric.unit, others)) if base == _BYTE and n % _KILO == 0), "")
    if base != wanted or (kilo and factor != 1):
        unsure = f", and {kilo} may be of 1,000 or of 1,024" if kilo and base == wanted else ""
        raise PredictError(
            f"{source} has '{metric.name}' in {unit}, but the model was trained with {metric.unit}{unsure}. Convert "
            "the column."
        )
    return values * float(factor.numerator) / float(factor.denominator)
