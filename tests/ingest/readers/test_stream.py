"""STREAM's output: a trial per kernel and run, threads and size of the array as parameters."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, metric, read, value

_RULE = "-" * 61 + "\n"


def run(threads: int, rates: tuple[float, ...]) -> str:
    """What a run prints."""
    kernels = zip(("Copy", "Scale", "Add", "Triad"), (16, 16, 24, 24), rates, strict=True)
    rows = ((name, rate, 10 * bytes_ / rate) for name, bytes_, rate in kernels)
    return (
        f"{_RULE}STREAM version $Revision: 5.10 $\n{_RULE}This system uses 8 bytes per array element.\n{_RULE}"
        f"Array size = 10000000 (elements), Offset = 0 (elements)\nNumber of Threads requested = {threads}\n"
        f"Number of Threads counted = {threads}\n{_RULE}"
        "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
        + "".join(f"{n + ':':12}{rate:10.1f}  {t * 1.25:11.6f}  {t:11.6f}  {t * 1.5:11.6f}\n" for n, rate, t in rows)
        + f"{_RULE}Solution Validates: avg error less than 1.000000e-13 on all three arrays\n"
    )


OUTPUT = run(4, (40000.0, 38000.5, 42000.0, 41000.0)) + run(8, (60000.0, 58000.0, 62000.0, 61000.0))


def test_each_kernel_is_a_trial() -> None:
    found = read(OUTPUT, "stream")
    assert found.trials.application == ("Copy", "Scale", "Add", "Triad") * 2
    assert [value(found, name, 4) for name in ("threads", "array_size")] == [8, 10_000_000]
    assert (value(found, "threads"), value(found, "time_s"), value(found, "min time")) == (4, 0.005, 0.004)
    assert value(found, "best rate", 1) == 38000.5e6
    assert (metric(found, "time_s").kind, metric(found, "threads").kind) == (Kind.RESPONSE, Kind.PARAMETER)
    assert {metric(found, name).kind for name in ("best rate", "min time", "max time")} == {Kind.DERIVED}


def test_damage() -> None:
    check_damaged(OUTPUT, "stream")
