"""What `perf stat` prints for people: versions, locales, remarks, and what stands around the tables."""

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, metric, names, read, readers_of, refusal, skipped, told
from tests.ingest.tool_files import value as value_of

PLAIN = """Solver says 12 iterations

 Performance counter stats for './solve --n 3':

              2.50 msec task-clock:u                     #    0.833 CPUs utilized
                12      context-switches:u               #    4.800 K/sec
         7,300,000      cycles:u                         #    2.920 GHz                         (74.94%)
        14,600,000      instructions:u                   #    2.00  insn per cycle
                                                  #    0.18  stalled cycles per insn     (74.94%)
            22,231      branch-misses:u                  #    1.15% of all branches             (74.79%)
   <not supported>      LLC-loads:u
     <not counted>      LLC-load-misses:u                                               (0.00%)
             12.74 Joules power/energy-pkg/

       0.003000512 seconds time elapsed

       0.002001000 seconds user
       0.000500000 seconds sys

bye
"""


def perf(text: str, name: str = "run7.txt"):
    return read(text, "perf_stat_text", name)


def test_a_table_is_a_trial_of_the_program_and_its_arguments_are_parameters() -> None:
    found = perf(PLAIN)
    assert found.trials.application == ("solve",)
    assert found.trials.labels["command"] == ("./solve --n 3",)
    assert (value_of(found, "n"), kind(found, "n")) == (3, Kind.PARAMETER)
    assert found.trials.where == ("line 5",)
    assert value_of(found, "cycles:u") == 7300000
    assert value_of(found, "context-switches:u") == 12
    assert not skipped(found)


def test_times_and_energies_are_outcomes() -> None:
    found = perf(PLAIN)
    expected = {
        "time_s": 0.003000512,
        "user_time": 0.002001,
        "system_time": 0.0005,
        "task-clock:u": 2.5e-3,
        "power/energy-pkg/": 12.74,
    }
    assert {name: value_of(found, name) for name in expected} == pytest.approx(expected)
    assert {kind(found, name) for name in expected} == {Kind.RESPONSE}
    assert {metric(found, name).unit for name in expected} == {"s", "J"}


def test_remarks_are_metrics_but_rates_are_not() -> None:
    found = perf(PLAIN)
    assert value_of(found, "insn per cycle") == 2
    assert value_of(found, "stalled cycles per insn") == 0.18
    assert (
        value_of(found, "branch-misses:u of all branches"),
        metric(found, "branch-misses:u of all branches").unit,
    ) == (1.15, "%")
    assert not {"GHz", "K/sec"} & set(names(found))


def test_not_counted_is_missing_and_shares_are_labels() -> None:
    found = perf(PLAIN)
    assert not {"LLC-loads:u", "LLC-load-misses:u"} & set(names(found))
    assert "<not supported>, and so without a value: 'LLC-loads:u'" in told(found)
    assert "<not counted>, and so without a value: 'LLC-load-misses:u'" in told(found)
    assert found.trials.labels["counted share of cycles:u"] == ("74.94 %",)


GERMAN = """
 Performance counter stats for 'sim':

              0,43 msec task-clock                       #    0,523 CPUs utilized
         1{g}364{g}046      cycles                           #    1,913 GHz                         (49,77%)
               832{g}012 ns   duration_time                    #    1,913 G/sec

       0,000832512 seconds time elapsed

       0,000889000 seconds user
"""


@pytest.mark.parametrize("grouping", [".", " ", "\u00a0", "\u202f", "", "’", "'"], ids=repr)
def test_a_decimal_comma_with_any_grouping(grouping: str) -> None:
    found = perf(GERMAN.format(g=grouping))
    assert value_of(found, "cycles") == 1364046
    assert value_of(found, "task-clock") == pytest.approx(0.43e-3)
    assert (value_of(found, "time_s"), value_of(found, "user_time")) == (0.000832512, 0.000889)
    assert value_of(found, "CPUs utilized") == 0.523
    assert found.trials.labels["counted share of cycles"] == ("49.77 %",)


@pytest.mark.parametrize("number", ["12,34,567", "1,234,567", "1234567", "1’234’567"])
def test_grouping_of_a_decimal_point(number: str) -> None:
    text = f"\n Performance counter stats for 'x':\n\n   {number}      cycles\n\n  1.5 seconds time elapsed\n"
    assert column(perf(text), "cycles") == [1234567]


def test_a_table_without_any_decimal_sign_still_reads_groups() -> None:
    found = perf(" Performance counter stats for 'x':\n\n         1,364,046      cpu/legacy-cache-config=0x10001/\n")
    assert column(found, "cpu/legacy-cache-config=0x10001/") == [1364046]
    assert "does not say how long" in told(found)


def test_repeated_runs_are_one_mean_with_its_variation() -> None:
    text = """
 Performance counter stats for 'true' (10 runs):

              0.35 msec task-clock                       #    0.532 CPUs utilized            ( +-  1.55% )
                51      page-faults                      #  140.800 K/sec                    ( +-  1.96% )  (33.30%)

         # Table of individual measurements:
         0.0007687 (+0.0000427) ##
         0.0006734 (-0.0000526) ##

         # Final result:
        0.00066682 +- 0.00000923 seconds time elapsed  ( +-  1.38% )
"""
    found = perf(text)
    assert value_of(found, "time_s") == 0.00066682
    assert {key: texts[0] for key, texts in found.trials.labels.items()} == {
        "command": "true",
        "runs": "10",
        "variation of time_s": "1.38 %",
        "variation of task-clock": "1.55 %",
        "variation of page-faults": "1.96 %",
        "counted share of page-faults": "33.30 %",
    }


def test_old_versions() -> None:
    text = """ Performance counter stats for '/home/u/hackbench':

       1255.538611  task clock ticks     #      10.143 CPU utilization factor
             54011  context switches     #       0.043 M/sec
        3808323185  CPU cycles           #    3033.219 M/sec

    Wall-clock time elapsed:   123.786620 msecs
"""
    found = perf(text)
    assert value_of(found, "CPU cycles") == 3808323185
    assert value_of(found, "task clock ticks") == pytest.approx(1.255538611)
    assert value_of(found, "time_s") == pytest.approx(0.12378662)
    text = " Performance counter stats for 'a':\n\n  26.554473 task-clock (msec)  #  0.965 CPUs utilized\n  60  syscalls:sys_enter_socket   [99.95%]\n\n  0.02 seconds time elapsed\n"
    found = perf(text)
    assert value_of(found, "task-clock") == pytest.approx(0.026554473)
    assert found.trials.labels["counted share of syscalls:sys_enter_socket"] == ("99.95 %",)


def test_top_down_metrics_of_two_kinds_of_core_are_told_apart() -> None:
    text = """
 Performance counter stats for 'x':

       666,575,620      cpu_atom/instructions/           #    0.67  insn per cycle              (0.05%)
    10,854,098,969      cpu_core/instructions/           #   10.94  insn per cycle              (99.95%)
             TopdownL1 (cpu_core)                 #     10.3 %  tma_bad_speculation
                                                  #     17.3 %  tma_frontend_bound       (49.77%)
             TopdownL1 (cpu_atom)                 #    -34.2 %  tma_bad_speculation
             7,932      context-switches                 #    281.7 cs/sec  cs_per_second

       1.002367894 seconds time elapsed
"""
    found = perf(text)
    assert value_of(found, "insn per cycle [cpu_core/instructions/]") == 10.94
    assert value_of(found, "tma_bad_speculation [TopdownL1 (cpu_atom)]") == -34.2
    assert (value_of(found, "tma_frontend_bound"), metric(found, "tma_frontend_bound").unit) == (17.3, "%")
    assert "cs_per_second" not in names(found)
    assert not skipped(found)


def test_an_event_in_two_groups_keeps_the_larger_share() -> None:
    text = " Performance counter stats for 'x':\n\n  549,432,900  ref-cycles   (49.99%)\n\n  545,358,967  ref-cycles   (50.01%)\n\n 1.0 seconds time elapsed\n"
    assert column(perf(text), "ref-cycles") == [545358967]


SYSTEM = " Performance counter stats for {what}:\n\n    5      cycles\n\n       0.101103173 seconds time elapsed\n"


@pytest.mark.parametrize("what", ["'system wide'", "'CPU(s) 0-3'", "process id '4711'", "thread id '12,13'"])
def test_what_is_no_command_leaves_the_name_to_the_file(what: str) -> None:
    assert perf(SYSTEM.format(what=what), "load.txt").trials.application == ("load",)


def test_every_table_of_a_file_is_a_trial() -> None:
    text = (
        "# started on Wed Jul  2 23:39:50 2025\n"
        + SYSTEM.format(what="'a'")
        + "\nout\n"
        + SYSTEM.format(what="'b -x'").replace("5 ", "6 ")
    )
    found = perf(text)
    assert found.trials.application == ("a", "b")
    assert found.trials.labels["x"] == ("", "yes")
    assert found.trials.parameters == ("x",)
    assert column(found, "cycles") == [5, 6]


def test_an_option_is_told_from_an_event_of_its_name_and_a_text_from_a_number() -> None:
    runs = ("'./mul --n 3 --cycles 8'", "'python3 mul.py --n big'")
    found = perf("\n\n".join(SYSTEM.format(what=what) for what in runs))
    assert found.trials.application == ("mul", "mul.py")
    assert (column(found, "cycles"), value_of(found, "cycles [option]")) == ([5, 5], 8)
    assert (value_of(found, "n"), found.trials.labels["n [text]"]) == (3, ("", "big"))


PLACES = """
 Performance counter stats for 'system wide':

{a}             101.11 msec task-clock                       #    1.000 CPUs utilized
{b}             101.12 msec task-clock                       #    1.000 CPUs utilized
{a}              1,078      page-faults                      #  771.404 /sec
{b}                  2      page-faults                      #   19.779 /sec

       0.101103173 seconds time elapsed
"""


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("CPU0  ", "CPU1  "),
        ("S0-D0-C0           1", "S0-D0-C1           1"),
        ("S0        2", "S1        2"),
        (" memfd:sealed-91-16547", "           my app-30"),
        ("kworker/1:2-mm_percpu_wq-6531", "  perf-1"),
    ],
)
def test_counts_of_places_are_added_up(a: str, b: str) -> None:
    found = perf(PLACES.format(a=a, b=b))
    assert column(found, "page-faults") == [1080]
    assert value_of(found, "task-clock") == pytest.approx(0.20223)
    assert "counts are sums over" in told(found)


INTERVALS = """#           time             counts unit events
     0.100171041               0.59 msec task-clock                       #    0.006 CPUs utilized
     0.100171041                 76      page-faults                      #  129.647 K/sec
     0.200491401      <not counted> msec task-clock
     0.200491401      <not counted>      page-faults
#           time             counts unit events
     0.251286886               0.08 msec task-clock                       #    0.001 CPUs utilized
     0.251286886                  4      page-faults                      #    0.000 /sec
"""


def test_intervals_are_added_up_and_the_last_stamp_is_the_time() -> None:
    found = perf(INTERVALS)
    assert (column(found, "page-faults"), value_of(found, "time_s")) == ([80], 0.251286886)
    assert "page-faults (in 2 of 3)" in told(found)


def test_sums_that_perf_printed_after_intervals_are_taken_instead() -> None:
    found = perf(INTERVALS + "\n" + SYSTEM.format(what="'sleep 0.25'").replace("5      cycles", "81      page-faults"))
    assert column(found, "page-faults") == [81]
    assert found.trials.application == ("sleep",)
    assert value_of(found, "argument 1") == 0.25
    assert value_of(found, "time_s") == 0.101103173


def test_control_groups_are_configurations_of_their_own() -> None:
    text = (
        " Performance counter stats for 'system wide':\n\n"
        "            202.39 msec task-clock                       /web #    2.000 CPUs utilized\n"
        "            102.39 msec task-clock                       /db  #    1.000 CPUs utilized\n"
        "               391      page-faults               /web\n\n       0.1 seconds time elapsed\n"
    )
    found = perf(text)
    assert found.trials.labels["cgroup"] == ("/web", "/db")
    assert column(found, "task-clock") == pytest.approx([0.20239, 0.10239])


def test_a_run_without_events_has_its_time() -> None:
    found = perf(" Performance counter stats for 'true':\n\n       0.000772773 seconds time elapsed\n\n")
    assert (names(found), value_of(found, "time_s")) == (["time_s"], 0.000772773)


def test_values_without_names_are_skipped_with_their_lines() -> None:
    found = perf(
        " Performance counter stats for 'x':\n\n %  tma_retiring %  tma_backend_bound\n    36.9    7.2\n\n 1.0 seconds time elapsed\n"
    )
    assert names(found) == ["time_s"]
    assert skipped(found) == ["line 3: no line of a count", "line 4: no line of a count"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Error:\nAccess to performance monitoring and observability operations is limited.\nConsider\n",
            "observability operations is limited.' (line 2)",
        ),
        ("event syntax error: 'foo'\n                     \\___ parser error\n", "event syntax error: 'foo'"),
        ("Workload failed: No such file or directory\n", "No such file or directory"),
        (
            "Error:\nThe sys_perf_event_open() syscall returned with 22 (Invalid argument) for event (cycles).\n",
            "Invalid argument",
        ),
    ],
)
def test_a_capture_that_failed_says_what_perf_said(text: str, said: str) -> None:
    assert readers_of(text) == ["perf_stat_text"]
    assert said in refusal(text, "perf_stat_text")


def test_nothing_counted_is_refused_where_there_is_no_time_either() -> None:
    assert "none of 1 events was counted" in refusal(
        " Performance counter stats for 'x':\n\n  <not counted>   cycles\n", "perf_stat_text"
    )


@pytest.mark.parametrize(
    "text", ["perf stat is a tool\n", "# time,counts\n1,2\n", "the Performance counter stats for x\n"]
)
def test_other_texts_are_not_perfs(text: str) -> None:
    assert "perf_stat_text" not in readers_of(text)


@pytest.mark.parametrize(
    "text", [PLAIN, GERMAN.format(g="."), INTERVALS, PLACES.format(a="CPU0", b="CPU1")], ids=range(4)
)
def test_damaged_files_end_in_one_sentence(text: str) -> None:
    check_damaged(text, "perf_stat_text")
