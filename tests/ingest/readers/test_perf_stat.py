"""`perf stat -x`: separators, prefixes, locales, what was not counted, and files that are damaged."""

from pathlib import Path

import pytest

from core.ingest import SourceFile, find_reader
from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, metric, names, read, readers_of, refusal, skipped, told
from tests.ingest.tool_files import value as value_of

STARTED = "# started on Tue Mar  3 10:11:12 2026\n\n"
PLAIN = (
    STARTED
    + """2.50,msec,task-clock,2500000,100.00,0.833,CPUs utilized
12,,context-switches,2500000,100.00,4.800,K/sec
7300000,,cycles:u,2500000,100.00,2.920,GHz
14600000,,instructions:u,2500000,100.00,2.00,insn per cycle
,,,,,0.25,stalled cycles per insn
3000000,ns,duration_time,3000000,100.00,1.200,G/sec
"""
)


def perf(text: str, name: str = "run7.csv"):
    return read(text, "perf_stat", name)


def one(text: str, event: str) -> float:
    found = perf(text)
    assert len(found.trials) == 1
    return value_of(found, event)


def test_a_file_is_one_trial_called_like_the_file() -> None:
    found = perf(PLAIN, "dir/lulesh s30.csv.gz")
    assert found.trials.application == ("lulesh s30",)
    assert found.trials.where == ("line 3",)
    assert value_of(found, "cycles:u") == 7300000
    assert value_of(found, "context-switches") == 12
    assert kind(found, "cycles:u") is Kind.COUNTER
    assert not skipped(found)


def test_times_are_outcomes_in_seconds_and_the_elapsed_one_is_the_response() -> None:
    found = perf(PLAIN)
    assert value_of(found, "time_s") == pytest.approx(3e-3, rel=1e-15)
    assert value_of(found, "task-clock") == pytest.approx(2.5e-3, rel=1e-15)
    assert {kind(found, "time_s"), kind(found, "task-clock")} == {Kind.RESPONSE}
    assert metric(found, "task-clock").unit == "s"
    assert found.original_units["task-clock"] == "msec"
    assert "duration_time" not in names(found)


def test_energy_is_an_outcome() -> None:
    found = perf(STARTED + "12.74,Joules,power/energy-pkg/,1000,100.00,,\n5,,cycles,1000,100.00,,\n")
    assert (metric(found, "power/energy-pkg/").unit, kind(found, "power/energy-pkg/")) == ("J", Kind.RESPONSE)


def test_without_an_elapsed_time_the_file_says_what_to_add() -> None:
    assert "-e duration_time" in told(perf(PLAIN.replace("duration_time", "other_ns")))


def test_metrics_that_perf_derived_are_kept_but_no_rates_that_give_the_time_away() -> None:
    found = perf(PLAIN)
    assert value_of(found, "insn per cycle") == 2.0
    assert value_of(found, "stalled cycles per insn") == 0.25
    assert not {"GHz", "K/sec", "G/sec"} & set(names(found))


@pytest.mark.parametrize("separator", [",", ";", "|", "\t", " ", ":", "::", ", ", "SEP", "@"], ids=repr)
@pytest.mark.parametrize("started", [STARTED, ""], ids=["started", "bare"])
def test_any_separator(separator: str, started: str) -> None:
    rows = PLAIN.removeprefix(STARTED).replace(",,,,,0.25,stalled cycles per insn\n", "").replace(",", separator)
    found = perf(started + rows)
    assert value_of(found, "instructions:u") == 14600000
    assert value_of(found, "task-clock") == pytest.approx(2.5e-3)
    assert value_of(found, "time_s") == pytest.approx(3e-3)
    assert not skipped(found)


def test_an_event_that_holds_the_separator_is_kept_whole() -> None:
    found = perf(STARTED + "123456,,cpu/event=0x3c,umask=0x0/,1000,50.00,,\n7,,cpu/a.b,cmask=0x6/u,1000,100.00,,\n")
    assert names(found) == ["cpu/event=0x3c,umask=0x0/", "cpu/a.b,cmask=0x6/u"]
    assert found.trials.labels["counted share of cpu/event=0x3c,umask=0x0/"] == ("50.00 %",)


GERMAN = """0,42,msec,task-clock,{r}417272,100,00,0,CPUs utilized
50,,page-faults,{r}417272,100,00,119,K/sec
826383,ns,duration_time,{r}826383,100,00,1,G/sec
"""


@pytest.mark.parametrize("repeated", ["", "2,38%,"], ids=["once", "repeated"])
@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=repr)
def test_a_decimal_comma(separator: str, repeated: str) -> None:
    if separator == ",":
        text = GERMAN.format(r=repeated)
    else:
        text = "".join(
            separator.join((v, u, e, *([repeated[:-1]] if repeated else []), r, "100,00", "1", m)) + "\n"
            for v, u, e, r, m in (
                ("0,42", "msec", "task-clock", "417272", "CPUs utilized"),
                ("50", "", "page-faults", "417272", "K/sec"),
                ("826383", "ns", "duration_time", "826383", "G/sec"),
            )
        )
    found = perf(text)
    assert names(found) == ["task-clock", "page-faults", "time_s"]
    assert found.trials.values[0].tolist() == pytest.approx([0.42e-3, 50, 826383e-9])
    assert found.trials.labels.get("variation of page-faults") == (("2.38 %",) if repeated else None)


def test_metrics_cut_off_at_the_decimal_comma_are_left_out_and_said() -> None:
    found = perf(GERMAN.format(r=""))
    assert "CPUs utilized" not in names(found)
    assert "decimal comma" in told(found)


def test_repeated_runs_are_one_mean_with_its_variation() -> None:
    rows = "1.36,msec,task-clock,3.80%,1355891,100.00,0.013,CPUs utilized\n74,,page-faults,0.00%,1355891,100.00,,\n"
    found = perf(STARTED + rows)
    assert value_of(found, "page-faults") == 74
    assert found.trials.labels == {"variation of task-clock": ("3.80 %",)}


def test_the_variation_may_stand_after_the_share() -> None:
    found = perf(STARTED + "80,,cycles,1000,100.00,1.25%,,\n")
    assert found.trials.labels == {"variation of cycles": ("1.25 %",)}


NOTHING = (
    STARTED + "<not supported>,,cycles,0,100.00,,\n<not counted>,,instructions,0,0.00,,\n9,,page-faults,1,100.00,,\n"
)


def test_not_counted_is_missing_and_not_zero() -> None:
    found = perf(NOTHING)
    assert names(found) == ["page-faults"]
    assert "<not supported>, and so without a value: 'cycles'" in told(found)
    assert "<not counted>, and so without a value: 'instructions'" in told(found)


def test_a_file_where_nothing_was_counted_is_refused() -> None:
    sentence = refusal(NOTHING.replace("9,,page-faults,1", "<not counted>,,page-faults,0"), "perf_stat")
    assert "none of 3 events was counted" in sentence
    assert "'cycles'" in sentence


def test_multiplexed_counts_carry_their_share() -> None:
    found = perf(STARTED + "5,,cycles,1000,24.99,,\n6,,instructions,4000,100.00,,\n")
    assert found.trials.labels == {"counted share of cycles": ("24.99 %",)}
    assert "took turns" in told(found)


def test_an_event_counted_twice_keeps_the_count_with_the_larger_share() -> None:
    found = perf(STARTED + "549432900,,ref-cycles,10,49.99,,\n545358967,,ref-cycles,11,50.01,,\n")
    assert column(found, "ref-cycles") == [545358967]
    assert "more than once" in told(found)


INTERVALS = """     0.200275070;1.08;msec;task-clock;1078384;100.00;0.005;CPUs utilized
     0.200275070;73;;page-faults;1078384;100.00;67.694;K/sec
     0.407608268;<not counted>;msec;task-clock;0;100.00;;
     0.407608268;<not counted>;;page-faults;0;100.00;;
     0.705927230;0.05;msec;task-clock;54551;100.00;0.000;CPUs utilized
     0.705927230;4;;page-faults;54551;100.00;0.000;/sec
"""


def test_intervals_are_added_up_and_the_last_stamp_is_the_time() -> None:
    found = perf(STARTED + INTERVALS)
    assert (value_of(found, "page-faults"), value_of(found, "time_s")) == (77, 0.705927230)
    assert value_of(found, "task-clock") == pytest.approx(1.13e-3)
    assert "sums over 3 intervals" in told(found)
    assert "page-faults (in 2 of 3)" in told(found)


def test_sums_that_perf_printed_after_intervals_are_taken_instead() -> None:
    found = perf(
        STARTED
        + INTERVALS
        + "         summary;1.14;msec;task-clock;1;100.00;;\n         summary;78;;page-faults;1;100.00;;\n"
    )
    assert column(found, "page-faults") == [78]
    assert value_of(found, "time_s") == 0.705927230


def test_stamps_that_go_back_begin_another_run() -> None:
    found = perf(STARTED + INTERVALS + INTERVALS.replace("73", "83"))
    assert column(found, "page-faults") == [77, 87]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("CPU0", "CPU1"),
        ("S0-D0-C0,1", "S0-D0-C1,1"),
        ("S0,8", "S1,8"),
        ("S0-D0,4", "S0-D1,4"),
        ("N0,2", "N1,2"),
        ("S0-D0-L3-ID0,2", "S0-D0-L3-ID8,2"),
        ("S0-D0-CLS0,2", "S0-D0-CLS8,2"),
        ("tokio worker-31", "kworker/1:2-mm-6531"),
    ],
)
def test_counts_of_places_are_added_up(first: str, second: str) -> None:
    rows = "".join(
        f"{place},{value},{unit},{event},1000,100.00,1.000,CPUs utilized\n"
        for value, unit, event in (("100.50", "msec", "task-clock"), ("292", "", "context-switches"))
        for place in (first, second)
    )
    found = perf(STARTED + rows)
    assert column(found, "context-switches") == [584]
    assert value_of(found, "task-clock") == pytest.approx(0.201)
    assert f"sums over {first.partition(',')[0]}, {second.partition(',')[0]}" in told(found)
    assert "CPUs utilized" not in names(found)


def test_the_elapsed_time_of_places_is_not_added_up() -> None:
    rows = "S0,8,100000000,ns,duration_time,1,100.00,,\nS1,8,100000000,ns,duration_time,1,100.00,,\nS0,8,5,,cycles,1,100.00,,\n"
    assert one(STARTED + rows, "time_s") == 0.1


def test_intervals_of_places_are_added_up_over_both() -> None:
    rows = "".join(f"     {t}.000000001,CPU{c},{t + c},,cycles,1000,100.00,,\n" for t in (1, 2) for c in (0, 1))
    assert one(STARTED + rows, "cycles") == 8


def test_control_groups_are_configurations_of_their_own() -> None:
    rows = "5,,cycles,/web,1000,100.00,,\n7,,instructions,/web,1000,100.00,,\n6,,cycles,/db,1000,100.00,,\n"
    found = perf(STARTED + rows)
    assert column(found, "cycles") == [5, 6]
    assert found.trials.labels["cgroup"] == ("/web", "/db")
    assert found.trials.parameters == ("cgroup",)


def test_files_appended_to_each_other_are_one_trial_each() -> None:
    found = perf(PLAIN + PLAIN.replace("7300000", "7400000"))
    assert column(found, "cycles:u") == [7300000, 7400000]
    assert found.trials.where == ("line 3", "line 11")


def test_runs_appended_without_a_line_between_them_are_told_apart() -> None:
    rows = "5,,cycles,1000,100.00,,\n6,,instructions,1000,100.00,,\n"
    found = perf(rows + rows.replace("5", "7"))
    assert column(found, "cycles") == [5, 7]


def test_what_a_program_printed_in_between_is_skipped_with_its_line() -> None:
    found = perf("Grind time 12.5, FOM = 3\n" + PLAIN + "done, thank you\n")
    assert skipped(found) == ["line 1: no row of perf stat", "line 10: no row of perf stat"]
    assert value_of(found, "cycles:u") == 7300000


def test_rows_of_old_perf_without_run_times() -> None:
    found = perf(STARTED + "0.931078,task-clock\n75,page-faults\n<not counted>,cycles\n")
    assert value_of(found, "page-faults") == 75
    assert value_of(found, "task-clock") == pytest.approx(0.931078e-3)


def test_values_without_names_are_refused() -> None:
    assert "--metric-only" in refusal(STARTED + "\n,,,,\n", "perf_stat")
    assert "--metric-only" in refusal(STARTED + " 1.25,0.50,\n", "perf_stat")
    assert readers_of(STARTED + "\n,,,,\n") == ["perf_stat"]


@pytest.mark.parametrize(
    "rows",
    ["GHz,insn per cycle,\n3.334,2.00,\n", "time,GHz,\n     1.000200300,3.3,\n", "CPU,GHz,\nCPU0,3.3,\nCPU1,3.1,\n"],
)
def test_derived_metrics_alone_are_refused_although_they_have_names(rows: str) -> None:
    assert refusal(STARTED + rows, "perf_stat") == (
        "run7.txt holds only what perf derived, without counts. Run perf stat without --metric-only."
    )


def test_metrics_come_in_groups_and_with_the_share_of_their_events() -> None:
    groups = """,900000,100.00,,,,TopdownL1 (cpu_core)
,,,,,60.5,%  tma_retiring
,900000,75.00,,,20.5,%  tma_backend_bound
,800000,100.00,,,,TopdownL1 (cpu_atom)
,,,,,30.5,%  tma_retiring
,,,,,
"""
    found = perf(PLAIN + groups)
    assert value_of(found, "tma_backend_bound") == 20.5
    assert value_of(found, "tma_retiring [TopdownL1 (cpu_core)]") == 60.5
    assert value_of(found, "tma_retiring [TopdownL1 (cpu_atom)]") == 30.5
    assert metric(found, "tma_backend_bound").unit == "%"
    assert not skipped(found)


def test_a_file_cut_off_gives_what_is_whole() -> None:
    found = perf(PLAIN[: PLAIN.index("2.00,insn") - 8])
    assert value_of(found, "cycles:u") == 7300000
    assert "instructions:u" not in names(found)
    assert skipped(found) == ["line 6: no row of perf stat"]


@pytest.mark.parametrize(
    "table",
    [
        "app,time,cycles\nfoo,1.5,100\nbar,2.5,200\n",
        "n,unit,name,count,score\n5,ms,kernel,100,0.50\n6,ms,other,100,0.25\n",
        "1,2,3\n4,5,6\n",
        "# a comment\nx y\n1 2\n",
    ],
)
def test_other_tables_are_not_perfs(table: str) -> None:
    assert readers_of(table) == []


def test_the_reader_is_found_by_content() -> None:
    assert type(find_reader(SourceFile("measured.dat", PLAIN.encode()))).__name__ == "PerfStat"


@pytest.mark.parametrize("text", [PLAIN, STARTED + INTERVALS, GERMAN.format(r="2,38%,"), NOTHING], ids=range(4))
def test_damaged_files_end_in_one_sentence(text: str) -> None:
    check_damaged(text, "perf_stat")


@pytest.mark.parametrize(
    ("file", "event", "expected"),
    [
        ("stat_x_comma.csv", "page-faults", 75),
        ("stat_x_comma_r3.csv", "page-faults", 74),
        ("stat_x_A_percpu.csv", "context-switches", 292 + 392),
        ("stat_x_semicolon_I200.csv", "time_s", 0.705927230),
    ],
)
def test_real_files(real_data: Path, file: str, event: str, expected: float) -> None:
    path = real_data / "formats/perf" / file
    found = read(path.read_bytes(), "perf_stat", file)
    assert len(found.trials) == 1
    assert value_of(found, event) == expected
    assert not skipped(found)


def test_a_real_file_without_names_is_refused(real_data: Path) -> None:
    raw = (real_data / "formats/perf/stat_x_metric_only.csv").read_bytes()
    assert "--metric-only" in refusal(raw, "perf_stat")
