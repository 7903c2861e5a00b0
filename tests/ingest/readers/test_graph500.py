"""Graph500's summary: a trial per kernel, its mean time the response and its rate derived."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, read, value

SUMMARY = (
    "Running BFS 0\nTime for BFS 0 is 2.911069\nSCALE:                          28\nedgefactor:                     16\n"
    "NBFS:                           64\ngraph_generation:               37.5\nnum_mpi_processes:              72\n"
    "bfs  min_time:                  2.75\nbfs  mean_time:                 2.875\nmin_nedge:                      4294921166\n"
    "bfs  harmonic_mean_TEPS:     !  1.5e+09\nsssp mean_time:                 9.25\nsssp harmonic_mean_TEPS:     !  4.5e+08\n"
)


def test_each_kernel_is_a_trial() -> None:
    found = read(SUMMARY, "graph500")
    assert (found.trials.application, column(found, "time_s")) == (("bfs", "sssp"), [2.875, 9.25])
    assert [value(found, name) for name in ("SCALE", "edgefactor", "num_mpi_processes")] == [28, 16, 72]
    kinds = [kind(found, name) for name in ("time_s", "harmonic_mean_TEPS", "SCALE")]
    assert kinds == [Kind.RESPONSE, Kind.DERIVED, Kind.PARAMETER]


def test_rates_without_a_kernel_are_of_an_older_version() -> None:
    found = read(SUMMARY.partition("sssp")[0].replace("bfs  ", ""), "graph500")
    assert (found.trials.application, value(found, "time_s")) == (("Graph500",), 2.875)


def test_damage() -> None:
    check_damaged(SUMMARY, "graph500")
