"""What the NAS Parallel Benchmarks print: a run of a benchmark is a trial, with its class and threads."""

from core.ingest import SourceFile, find_reader
from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, read


def run(benchmark: str, threads: int, seconds: float) -> str:
    """What a run prints."""
    return (
        f"\n\n NAS Parallel Benchmarks (NPB3.4-OMP) - {benchmark} Benchmark\n\n Size:   64x  64x  64  (class A)\n"
        f" Number of available threads:     {threads}\n\n Time step    1\n\n {benchmark} Benchmark Completed.\n"
        " Class           =                        A\n Size            =             64x  64x  64\n"
        f" Iterations      =                      200\n Time in seconds =                    {seconds:.2f}\n"
        f" Total threads   =                        {threads}\n Mop/s total     =                  {900 / seconds:.2f}\n"
        " Verification    =               SUCCESSFUL\n Version         =                    3.4.2\n\n\n"
    )


OUTPUT = "".join(run(name, t, s / t) for name, s in (("BT", 60.5), ("LU", 40.25)) for t in (1, 2))


def test_a_run_of_a_benchmark_is_a_trial() -> None:
    found = read(OUTPUT, "npb")
    assert (found.trials.application, column(found, "threads")) == (("BT", "BT", "LU", "LU"), [1, 2, 1, 2])
    assert column(found, "time_s") == [60.5, 30.25, 40.25, 20.12]
    assert (found.trials.labels["class"][0], found.trials.labels["size"][0]) == ("A", "64x  64x  64")
    kinds = [kind(found, name) for name in ("time_s", "Mop/s total", "threads")]
    assert kinds == [Kind.RESPONSE, Kind.DERIVED, Kind.PARAMETER]


def test_a_profiler_that_ran_a_benchmark_goes_before_it() -> None:
    counted = " Performance counter stats for './bt.A.x':\n\n       7,300,000      cycles\n\n       3.5 seconds time elapsed\n"
    raw = f"{OUTPUT}\n{counted}".encode()
    assert find_reader(SourceFile("run.txt", raw)).label == "perf stat, as printed for people"


def test_damage() -> None:
    check_damaged(OUTPUT, "npb")
