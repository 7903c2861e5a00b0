"""OSU's micro-benchmarks: a trial per size and test, of times or of bandwidths."""

import numpy as np

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, names, read

LATENCY = "# OSU MPI Allreduce Latency Test v7.2\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)   Max Latency(us)  Iterations\n"
BANDWIDTH = "# OSU MPI Bandwidth Test v7.2\n# Size      Bandwidth (MB/s)\n"
BARRIER = "# OSU MPI Barrier Latency Test v7.2\n# Avg Latency(us)\n             1.75\n"
OUTPUT = f"{LATENCY}1            1.50      1.75    1000\n1048576    250.25    260.50     100\n\n{BANDWIDTH}1048576   10234.5\n\n{BARRIER}"


def test_each_size_of_every_test_is_a_trial() -> None:
    found = read(OUTPUT, "osu")
    assert found.trials.application == (*["MPI Allreduce Latency"] * 2, "MPI Bandwidth", "MPI Barrier Latency")
    assert column(found, "size") == [1, 1048576, 1048576, 0]
    assert np.array_equal(column(found, "time_s"), [1.5e-6, 250.25e-6, np.nan, 1.75e-6], equal_nan=True)
    assert np.array_equal(column(found, "bandwidth"), [np.nan, np.nan, 10234.5e6, np.nan], equal_nan=True)
    kinds = [kind(found, name) for name in ("time_s", "bandwidth", "Max Latency", "size")]
    assert kinds == [Kind.RESPONSE, Kind.RESPONSE, Kind.DERIVED, Kind.PARAMETER]
    assert "Iterations" not in names(found)
    assert found.trials.labels["datatype"] == ("MPI_CHAR", "MPI_CHAR", "", "")


def test_damage() -> None:
    check_damaged(OUTPUT, "osu")
