"""All kernels under a roofline: operations and bytes to memory as their tools count them."""

from collections.abc import Sequence

import numpy as np

from core.report.scaling.bases import Roofline
from core.report.trials.bottleneck.counters import Kernel
from core.scaling.outcome import SECONDS
from core.trial import Kind, Metric

_PRECISIONS = (("d", "dp"), ("f", "sp"), ("h", "hp"))
_SECTOR = 32


def operations(kernel: Kernel) -> float:
    """Return floating-point operations, a fused multiply-add as two; NaN where none were counted.

    Those of Nsight Compute's instructions by thread, else nvprof's `flop_count_…`, over all precisions counted.
    """
    found = []
    for letter, short in _PRECISIONS:
        name = f"smsp__sass_thread_inst_executed_op_{letter}%s_pred_on.sum"
        add, mul, fma = (kernel.get((name % what,)) for what in ("add", "mul", "fma"))
        found.append(add + mul + 2 * fma if np.isfinite(add + mul + fma) else kernel.get((f"flop_count_{short}",)))
    known = [value for value in found if np.isfinite(value)]
    return float(sum(known)) if known else float("nan")


def traffic(kernel: Kernel) -> float:
    """Return bytes read from and written to device memory; NaN where they were not counted."""
    both = kernel.get(("dram__bytes.sum",))
    parts = [kernel.get((f"dram__bytes_{way}.sum", f"dram__bytes_op_{way}.sum")) for way in ("read", "write")]
    transactions = [kernel.get((f"dram_{way}_transactions",)) for way in ("read", "write")]
    ways = (both, parts[0] + parts[1], _SECTOR * (transactions[0] + transactions[1]))
    return next((value for value in ways if np.isfinite(value)), float("nan"))


def seconds(kernel: Kernel) -> float:
    """Return how long a kernel takes: the first of its outcomes that is a time; NaN where none was measured."""
    times = ((m, v) for m, v in kernel.counters.items() if m.kind is Kind.RESPONSE and m.unit in SECONDS)
    return next((value * SECONDS[metric.unit] for metric, value in times if np.isfinite(value)), float("nan"))


def roofline_of(kernels: Sequence[Kernel]) -> Roofline | None:
    """Return the kernels that count a time, operations and traffic under the highest rates they reach; None if none.

    Kernels of several machines share the roofs, so ask for those of one.
    """
    rows = np.array([(operations(k), traffic(k), seconds(k)) for k in kernels]).reshape(-1, 3)
    known = np.flatnonzero((np.isfinite(rows) & (rows > 0)).all(axis=1))
    if not len(known):
        return None
    work, moved, time = rows[known].T
    return Roofline(
        names=tuple(kernels[i].name for i in known.tolist()),
        work=Metric("operations"),
        traffic=Metric("byte of device memory", unit="byte"),
        time_unit="s",
        intensity=work / moved,
        rate=work / time,
        most_rate=float((work / time).max()),
        most_traffic=float((moved / time).max()),
        configuration="",
        marked=None,
    )
