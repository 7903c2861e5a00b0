"""HPCG's summary: a run is a trial, and nothing of one run is said of the next."""

import numpy as np

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, names, read, told


def run(processes: int, rating: float, threads: int = 0) -> str:
    """What a run writes."""
    threaded = f"Machine Summary::Threads per processes={threads}\n" if threads else ""
    return (
        f"HPCG-Benchmark\nversion=3.1\nMachine Summary=\nMachine Summary::Distributed Processes={processes}\n{threaded}"
        "Global Problem Dimensions::Global nx=104\nMemory Use Information::Total memory used for data (Gbytes)=0.75\n"
        "Benchmark Time Summary::SpMV=12.5\nBenchmark Time Summary::Total=60.25\nGFLOP/s Summary::Raw SpMV=2.5\n"
        f"Final Summary::HPCG result is VALID with a GFLOP/s rating of={rating}\n"
    )


OUTPUT = run(4, 3.25, threads=2) + run(8, 6.5)


def test_a_run_is_a_trial() -> None:
    found = read(OUTPUT, "hpcg")
    assert (found.trials.application, column(found, "processes")) == (("HPCG", "HPCG"), [4, 8])
    assert (names(found)[0], column(found, "rating"), column(found, "nx")) == ("rating", [3.25, 6.5], [104, 104])
    assert np.array_equal(column(found, "threads"), [2, np.nan], equal_nan=True)
    other = read(run(8, 6.5) + run(4, 3.25, threads=2), "hpcg")
    assert np.array_equal(column(other, "threads"), [np.nan, 2], equal_nan=True)
    kinds = [kind(found, name) for name in ("rating", "Total", "Raw SpMV", "memory")]
    assert kinds == [Kind.RESPONSE, Kind.DERIVED, Kind.DERIVED, Kind.COUNTER]


def test_invalid_runs_are_told() -> None:
    found = read(f"{OUTPUT}{run(16, 9.5).replace('VALID', 'INVALID')}", "hpcg")
    assert column(found, "processes") == [4, 8]
    assert "1 runs are invalid, as HPCG says" in told(found)


def test_damage() -> None:
    check_damaged(OUTPUT, "hpcg")
