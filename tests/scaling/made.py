"""A study whose truth is known: kernels with work and traffic on machines of cores, clock and bandwidth."""

from itertools import product

import numpy as np

from core.scaling.scaling_model import Kernel
from core.scaling.study import Study
from core.trial import Kind, Metric

AXES = tuple(Metric(n, Kind.PARAMETER, u) for n, u in (("cores", ""), ("clock_mhz", "MHz"), ("mem_gbs", "GB/s")))
TIME, POWER = Metric("time_s", Kind.RESPONSE, "s"), Metric("power_w", Kind.RESPONSE, "W")


def made_study(
    n_kernels: int = 60, levels: tuple[int, int, int] = (3, 3, 3), noise: float = 0.005, seed: int = 0
) -> Study:
    """Time is the sum of a share bound by compute, one by bandwidth and one by neither; counters tell the shares."""
    rng = np.random.default_rng(seed)
    grid = np.array(
        list(
            product(*(np.linspace(*ends, n) for ends, n in zip(((4, 32), (300, 1000), (60, 260)), levels, strict=True)))
        )
    )
    flops, moved = 10 ** rng.uniform(8, 11, n_kernels), 10 ** rng.uniform(7, 10, n_kernels)
    flops[::3] *= 100  # a third is bound by compute
    moved[1::3] *= 100  # a third by bandwidth
    fixed = np.where(np.arange(n_kernels) % 10 == 9, 0.5, 1e-4)
    compute = flops[:, None] / (grid[:, 0] * grid[:, 1] * 1e6)[None, :]
    memory = moved[:, None] / (grid[:, 2] * 1e9)[None, :]
    time = compute + memory + fixed[:, None]
    busy = compute / time
    power = 20 + busy * grid[:, 0] * (grid[:, 1] / 300) ** 2 + (memory / time) * grid[:, 2] / 4
    shape = time.shape
    values = np.array([time, power]) * np.exp(noise * rng.standard_normal((2, *shape)))
    busy_cycles = 100 * busy * np.exp(0.01 * rng.standard_normal(shape))
    counts = np.stack(
        [np.broadcast_to(flops[:, None], shape), np.broadcast_to(moved[:, None], shape), busy_cycles], axis=-1
    )
    counters = (Metric("flops"), Metric("bytes"), Metric("valu_busy", Kind.COUNTER, "%"))
    names = tuple(f"{('compute', 'stream', 'mixed')[i % 3]}_{i}" for i in range(n_kernels))
    return Study(names, AXES, grid, (TIME, POWER), values, counters, counts, {"application": names})


def kernel_of(study: Study, kernel: int, base: int) -> Kernel:
    """Return a kernel of a study as it is measured at the base."""
    counts = dict(zip((m.name for m in study.counters), study.counts_at(base)[kernel].tolist(), strict=True))
    at_base = {m.name: float(study.values[r, kernel, base]) for r, m in enumerate(study.responses)}
    return Kernel(study.kernels[kernel], counts, at_base, {})
