"""`perf stat -j`: lines of JSON, broken by locales and by some versions of perf, and files that are damaged."""

from pathlib import Path

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, metric, names, read, readers_of, refusal, skipped, told
from tests.ingest.tool_files import value as value_of

STARTED = "# started on Tue Mar  3 10:11:12 2026\n\n"


def line(value: str, event: str, unit: str = "", before: str = "", **more: object) -> str:
    fields = {
        "event-runtime": 1000000,
        "pcnt-running": "100.00",
        "metric-value": "1.500000",
        "metric-unit": "CPUs utilized",
    }
    variance = f'"variance" : {more.pop("variance")}, ' if "variance" in more else ""
    fields.update({key.replace("_", "-"): value for key, value in more.items()})
    rest = ", ".join(
        f'"{key}" : {text if key != "metric-unit" else chr(34) + str(text) + chr(34)}' for key, text in fields.items()
    )
    return f'{{{before}"counter-value" : "{value}", "unit" : "{unit}", "event" : "{event}", {variance}{rest}}}\n'


PLAIN = STARTED + "".join(
    (
        line("2.500000", "task-clock", "msec"),
        line("7300000.000000", "cycles:u", metric_unit="GHz"),
        line("14600000.000000", "instructions:u", metric_value="2.000000", metric_unit="insn per cycle"),
        '{"metric-value" : 0.250000, "metric-unit" : "stalled cycles per insn"}\n',
        line("3000000.000000", "duration_time", "ns", metric_unit="G/sec"),
    )
)


def perf(text: str, name: str = "run7.json"):
    return read(text, "perf_stat_json", name)


def test_metrics_come_in_groups() -> None:
    metric_line = '{"metric-value" : "%s", "metric-unit" : "%%  tma_retiring"}\n'
    group = '{"event-runtime" : 900000, "pcnt-running" : 100.00, "metricgroup" : "TopdownL1 (%s)"}\n'
    found = perf(PLAIN + group % "cpu_core" + metric_line % "60.5" + group % "cpu_atom" + metric_line % "30.5")
    assert value_of(found, "tma_retiring [TopdownL1 (cpu_core)]") == 60.5
    assert value_of(found, "tma_retiring [TopdownL1 (cpu_atom)]") == 30.5
    assert not skipped(found)


def test_a_file_is_one_trial_called_like_the_file() -> None:
    found = perf(PLAIN)
    assert found.trials.application == ("run7",)
    assert found.trials.where == ("line 3",)
    assert value_of(found, "cycles:u") == 7300000
    assert value_of(found, "time_s") == pytest.approx(3e-3, rel=1e-15)
    assert kind(found, "time_s") is Kind.RESPONSE
    assert (metric(found, "task-clock").unit, kind(found, "task-clock")) == ("s", Kind.RESPONSE)
    assert not skipped(found)


def test_derived_metrics_are_kept_but_no_rates() -> None:
    found = perf(PLAIN)
    assert value_of(found, "insn per cycle") == 2
    assert value_of(found, "stalled cycles per insn") == 0.25
    assert not {"GHz", "G/sec"} & set(names(found))


def test_metrics_with_unit_and_name_keep_both() -> None:
    rows = line("1.0", "TOPDOWN.SLOTS", metric_value='"40.900000"', metric_unit="%  tma_backend_bound")
    found = perf(rows + '{"metric-value" : "3.400000", "metric-unit" : "%  tma_bad_speculation"}\n')
    assert (value_of(found, "tma_backend_bound"), metric(found, "tma_backend_bound").unit) == (40.9, "%")
    assert value_of(found, "tma_bad_speculation") == 3.4


def test_not_counted_is_missing_and_not_zero() -> None:
    found = perf(STARTED + line("<not supported>", "cycles", metric_unit="") + line("9.000000", "page-faults"))
    assert "cycles" not in names(found)
    assert "<not supported>, and so without a value: 'cycles'" in told(found)
    sentence = refusal(line("<not counted>", "cycles"), "perf_stat_json")
    assert "none of 1 events was counted" in sentence


def test_a_decimal_comma_is_no_json_and_is_read_all_the_same() -> None:
    text = (
        '{"counter-value" : "0,399436", "unit" : "msec", "event" : "task-clock", "variance" : 2,10, '
        '"event-runtime" : 399436, "pcnt-running" : 100,00, "metric-value" : 0,509504, "metric-unit" : "CPUs utilized"}\n'
        '{"counter-value" : "48,000000", "unit" : "", "event" : "page-faults", "event-runtime" : 399436, '
        '"pcnt-running" : 50,25, "metric-value" : 120,169439, "metric-unit" : "K/sec"}\n'
    )
    found = perf(text)
    assert value_of(found, "task-clock") == pytest.approx(0.399436e-3)
    assert value_of(found, "page-faults") == 48
    assert value_of(found, "CPUs utilized") == 0.509504
    assert found.trials.labels["counted share of page-faults"] == ("50.25 %",)
    assert found.trials.labels["variation of task-clock"] == ("2.10 %",)
    assert not skipped(found)


def test_a_comma_before_the_brace_is_forgiven() -> None:
    text = '{"counter-value" : "3112.000000", "unit" : "", "event" : "branch-misses", "event-runtime" : 20699340, "pcnt-running" : 100.00, }\n'
    assert column(perf(text), "branch-misses") == [3112]


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ('"cpu" : "0", ', '"cpu" : "1", ', "CPU0, CPU1"),
        (
            '"core" : "S0-D0-C0", "aggregate-number" : 1, ',
            '"core" : "S0-D0-C1", "aggregate-number" : 1, ',
            "S0-D0-C0, S0-D0-C1",
        ),
        ('"socket" : "S0", "counters" : 8, ', '"socket" : "S1", "counters" : 8, ', "S0, S1"),
        ('"thread" : "app-12", ', '"thread" : "app-13", ', "app-12, app-13"),
    ],
)
def test_counts_of_places_are_added_up(first: str, second: str, shown: str) -> None:
    found = perf(line("292.0", "context-switches", before=first) + line("392.0", "context-switches", before=second))
    assert column(found, "context-switches") == [684]
    assert f"sums over {shown}" in told(found)


def test_intervals_are_added_up_and_the_last_stamp_is_the_time() -> None:
    found = perf("".join(line(f"{n}.0", "cycles", before=f'"interval" : 0.{n}00147316, ') for n in (1, 2, 3)))
    assert column(found, "cycles") == [6]
    assert value_of(found, "time_s") == 0.300147316


def test_control_groups_are_configurations_of_their_own() -> None:
    text = line("5.0", "cycles").replace('"event-runtime"', '"cgroup" : "web", "event-runtime"')
    found = perf(text + text.replace("web", "db").replace("5.0", "6.0"))
    assert column(found, "cycles") == [5, 6]
    assert found.trials.labels["cgroup"] == ("web", "db")
    assert found.trials.parameters == ("cgroup",)


def test_files_appended_to_each_other_are_one_trial_each() -> None:
    assert column(perf(PLAIN + PLAIN.replace("7300000", "7400000")), "cycles:u") == [7300000, 7400000]


def test_values_without_names_are_refused() -> None:
    for text in (
        '{"metric-value" : "1.25"}\n',
        STARTED + '{"metric-value" : 0.25, "metric-unit" : "insn per cycle"}\n',
    ):
        assert readers_of(text) == ["perf_stat_json"]
        assert "--metric-only" in refusal(text, "perf_stat_json")


def test_a_file_cut_off_gives_what_is_whole() -> None:
    found = perf(PLAIN[:-60] + "\n" + "program output\n")
    assert value_of(found, "cycles:u") == 7300000
    assert "time_s" not in names(found)
    assert skipped(found) == ["line 7: no whole object of perf stat", "line 8: no whole object of perf stat"]


@pytest.mark.parametrize(
    "text", ['{"event": "x", "value": 1}\n', '[{"counter-value": 1}]', '{"counters": {"cycles": 1}}']
)
def test_other_json_is_not_perfs(text: str) -> None:
    assert "perf_stat_json" not in readers_of(text)


def test_damaged_files_end_in_one_sentence() -> None:
    check_damaged(PLAIN, "perf_stat_json")


def test_a_real_file(real_data: Path) -> None:
    found = read((real_data / "formats/perf/stat_j.json").read_bytes(), "perf_stat_json", "stat_j.json")
    assert (len(found.trials), value_of(found, "page-faults"), value_of(found, "task-clock")) == (1, 74, 1.230878e-3)
