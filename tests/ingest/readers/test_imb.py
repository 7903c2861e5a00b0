"""What the Intel MPI Benchmarks print: a trial per size, whatever columns a benchmark has."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, names, read, told, value

_RULE = "#" + "-" * 51 + "\n"


def table(benchmark: str, processes: int, header: str, rows: str, more: str = "") -> str:
    """What one benchmark prints."""
    return f"{_RULE}# Benchmarking {benchmark} \n# #processes = {processes} \n{more}{_RULE}{header}\n{rows}\n\n"


PINGPONG = "       #bytes #repetitions      t[usec]   Mbytes/sec"
COLLECTIVE = "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]"
ROWS = " 0 1000 0.25 0.27 0.26\n 4194304 10 350.0 370.5 360.25"
WAITING = "# ( 2 additional processes waiting in MPI_Barrier)\n"
OUTPUT = (
    "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n# Date : Mon Nov 20 19:56:00 2023\n\n"
    + table("PingPong", 2, PINGPONG, " 0 1000 0.15 0.00\n 4194304 10 389.25 10781.5", WAITING)
    + "".join(table("Allreduce", n, COLLECTIVE, ROWS) for n in (2, 4))
    + table("Barrier", 4, " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]", " 1000 1.5 1.75 1.625")
    + "\n# All processes entering MPI_Finalize\n"
)


def test_every_table_is_read_and_each_size_is_a_trial() -> None:
    found = read(OUTPUT, "imb")
    assert found.trials.application == ("PingPong",) * 2 + ("Allreduce",) * 4 + ("Barrier",)
    assert column(found, "processes") == [2, 2, 2, 2, 4, 4, 4]
    assert column(found, "size") == [*[0, 4194304] * 3, 0]
    assert column(found, "time_s") == [0.15e-6, 389.25e-6, 0.26e-6, 360.25e-6, 0.26e-6, 360.25e-6, 1.625e-6]
    assert value(found, "bandwidth", 1) == 10781.5e6
    assert (kind(found, "time_s"), kind(found, "size"), kind(found, "t_max")) == (
        Kind.RESPONSE,
        Kind.PARAMETER,
        Kind.DERIVED,
    )
    assert "repetitions" not in names(found)
    assert told(found) == ""


def test_what_holds_for_one_benchmark_is_not_said_of_the_next() -> None:
    several = "# ( 2 groups of 2 processes each running simultaneous ) \n"
    found = read(table("PingPong", 2, PINGPONG, " 8 9 0.5 16.0", several) + table("Bcast", 4, COLLECTIVE, ROWS), "imb")
    assert found.trials.labels["groups"] == ("2 groups of 2 processes", "", "")


def test_damage() -> None:
    check_damaged(OUTPUT, "imb")
