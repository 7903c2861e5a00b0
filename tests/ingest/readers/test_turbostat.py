"""What turbostat prints: an interval of the whole machine is a trial, and rows of CPUs are parts of it."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, names, read, readers_of, skipped, value

HEADER = "Package\tCore\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tIPC\tIRQ\tCoreTmp\tPkgTmp\tPkgWatt\tRAM_J\n"
CPUS = "0\t0\t0\t1500\t50.5\t3000\t1.5\t900\t41\t44\t65.5\t12.5\n0\t0\t2\t20\t1.1\t1900\t0.4\t30\n"
OUTPUT = (
    "turbostat version 21.05.04 - Len Brown <lenb@kernel.org>\n5.014223 sec\n"
    f"{HEADER}-\t-\t-\t760\t25.8\t2950\t1.25\t930\t41\t44\t65.5\t12.5\n{CPUS}"
)


def test_a_run_of_a_command_is_a_trial_with_its_time() -> None:
    found = read(OUTPUT, "turbostat")
    assert (len(found.trials.where), value(found, "time_s")) == (1, 5.014223)
    assert (value(found, "Bzy_MHz"), value(found, "PkgWatt"), value(found, "RAM_J")) == (2.95e9, 65.5, 12.5)
    kinds = [kind(found, name) for name in ("PkgWatt", "RAM_J", "IRQ", "Busy%")]
    assert kinds == [Kind.RESPONSE, Kind.RESPONSE, Kind.COUNTER, Kind.COUNTER]
    assert not {"Core", "CPU"} & {*names(found)}
    assert skipped(found) == ["lines 5, 6: what another row sums up, or says again"]


def test_intervals_below_a_header_again_or_between_blanks_are_trials() -> None:
    rows = [f"   {m}   {m / 40}   2400   {p}\n" for m, p in ((1000, 60.5), (1200, 70.25), (1400, 81.0))]
    header = "Avg_MHz   %Busy Bzy_MHz PkgWatt\n"
    found = read(header + "".join(rows) + header + rows[0], "turbostat")
    assert column(found, "PkgWatt") == [60.5, 70.25, 81.0, 60.5]
    assert found.trials.input == ("interval 1", "interval 2", "interval 3", "interval 4")


def test_cpus_alone_are_trials() -> None:
    assert column(read(HEADER + CPUS, "turbostat"), "IRQ") == [900, 30]


def test_a_table_with_such_a_column_is_no_output_of_turbostat() -> None:
    assert readers_of("run,Avg_MHz,PkgWatt\n1,1500,60.5\n2,1600,70.5\n") == []


def test_damage() -> None:
    check_damaged(OUTPUT, "turbostat")
