"""LAMMPS's log: a trial per run, with the processes, steps and atoms that its loop time is of."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, read


def run(procs: int, seconds: float) -> str:
    """What a run prints."""
    return (
        "   Step          Temp          E_pair\n         0   1.44          -6.77\n       100   0.75          -5.76\n"
        f"Loop time of {seconds} on {procs} procs for 100 steps with 32000 atoms\n\n"
        f"Performance: 56.027 tau/day, {100 / seconds:.3f} timesteps/s, 5.2 Matom-step/s\n"
        f"99.7% CPU use with {procs} MPI tasks x 2 OpenMP threads\n\n"
        "Section |  min time  |  avg time  |  max time  |%varavg| %total\n---------------------------\n"
        "Pair    | 62.578     | 63.469     | 65.311     |   7.6 | 41.16\nOther   |            | 0.7694     |   |  0.50\n\n"
    )


OUTPUT = f"LAMMPS (27 Jun 2024)\nCreated 32000 atoms\n{run(4, 2.5)}{run(8, 1.25)}Total wall time: 0:00:04\n"


def test_each_run_is_a_trial() -> None:
    found = read(OUTPUT, "lammps")
    assert (found.trials.application[0], column(found, "time_s")) == ("LAMMPS", [2.5, 1.25])
    said = [column(found, name)[1] for name in ("procs", "MPI tasks", "threads", "steps", "atoms")]
    assert said == [8, 8, 2, 100, 32000]
    assert (kind(found, "timesteps per second"), column(found, "timesteps per second")) == (Kind.DERIVED, [40, 80])


def test_damage() -> None:
    check_damaged(OUTPUT, "lammps")
