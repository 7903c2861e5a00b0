"""Ordinary tables of measurements: what was asked for beside what came out, in words that nobody knows."""

import json
import random
from itertools import product

import pytest

from core.ingest import SourceFile
from core.ingest._units import unit_of_name
from core.ingest.recognition.apply import apply
from core.ingest.recognition.words import is_counter, is_setting
from core.ingest.table.table import read_table
from core.trial import Import
from tests.ingest.recognition.test_roles import noisy, roles, seen


def read(text: str) -> Import:
    return apply(read_table(SourceFile("own.csv", text.encode())))


def test_a_rate_of_powers_of_two_was_asked_for_and_a_rounded_energy_was_not() -> None:
    rows = [
        (w, b, 4000 * k + 77_000 * k // b + 13 * ord(w[0]), f"{1.12176e9 + 17_340_000 * (b + (w == 'fli')):.5e}")
        for w, b, k in product(("zor", "qui", "fli"), (8, 16, 32, 64), (3, 5))
    ]
    found = roles(seen(("way", "bandwidth", "total_cycles", "energy_pj"), rows))
    assert (found["bandwidth"], found["total_cycles"], found["energy_pj"]) == ("parameter", "response", "response")


def test_a_clock_that_adds_up_times_beside_it_is_none_whatever_it_is_called() -> None:
    times = [1.5, 4.0, 2.5, 9.0, 0.5, 3.5]
    clock = [sum(times[: i + 1]) + 0.01 * i for i in range(6)]
    rows = [(n, f"{t:.3f}", f"{c:.3f}") for n, t, c in zip((3, 9, 5, 20, 1, 7), times, clock, strict=True)]
    found = roles(seen(("zorb", "took_s", "wall_s"), rows))
    assert (found["took_s"], found["wall_s"]) == ("response", "label")
    sizes = [(n, noisy(float(n)), noisy(2.1 * n)) for n in (1, 2, 4, 8, 16, 32)]
    assert roles(seen(("zorb", "took_s", "wall_s"), sizes))["wall_s"] == "response"


def test_a_size_right_of_the_outcome_came_out_where_what_stands_left_tells_all_rows_apart() -> None:
    rows = [(n, w, noisy(n * k), 4096 * (n // 100 + 3 * k)) for n in (100, 1000, 5000) for k, w in enumerate("abc", 1)]
    assert roles(seen(("items", "way", "took_ms", "file_size"), rows))["file_size"] == "counter"
    apart = [(w, noisy(n * k), n) for n in (100, 1000, 5000) for k, w in enumerate("abc", 1)]
    assert roles(seen(("way", "took_ms", "file_size"), apart))["file_size"] == "parameter"


def test_what_differs_between_numbered_repeats_was_measured() -> None:
    rows = [
        (c, r, n, 90 + 7 * i + 11 * r, noisy(n / 9))
        for i, (c, n) in enumerate(zip("abcdef", (5, 5, 9, 9, 20, 20), strict=True))
        for r in (0, 1)
    ]
    assert roles(seen(("case", "rep", "n", "k_zorbs", "secs"), rows))["k_zorbs"] == "counter"


def test_steps_by_one_factor_were_set_where_some_rows_have_none() -> None:
    rows = [("", s, w, noisy(k * (1 + s))) for s in (0.0, 0.5, 1.0) for k, w in ((1, "zor"), (9, "qui"))]
    rows += [(n, 0.0, w, noisy(k * n)) for n in (10, 100, 1000) for k, w in ((1, "zor"), (9, "qui"))]
    assert roles(seen(("n_zorbs", "skew", "way", "median_s"), rows))["n_zorbs"] == "parameter"


def test_how_many_succeeded_is_a_count_and_a_state_is_none() -> None:
    rows = [
        (p, r, noisy(9.0 * r), 980 - 7 * i) for i, (p, r) in enumerate(product(("fifo", "edf"), (0.1, 0.5, 0.9, 1.3)))
    ]
    assert roles(seen(("policy", "load", "p95_ms", "success_jobs"), rows))["success_jobs"] == "counter"
    stated = [(*row[:-1], i % 2) for i, row in enumerate(rows)]
    assert roles(seen(("policy", "load", "p95_ms", "success"), stated))["success"] == "label"


def test_a_clock_rate_that_never_changes_is_the_machines() -> None:
    rows = [("NVIDIA L4", "3.8", n, noisy(float(n)), 954) for n in (1, 2, 4, 8)]
    found = roles(seen(("gpu_model", "cpu_base_ghz", "threads", "time_s", "storage_size_gb"), rows))
    assert (found["cpu_base_ghz"], found["storage_size_gb"]) == ("machine_metric", "label")


@pytest.mark.parametrize("name", ["active_gpus", "running_jobs", "Active Connections"])
def test_how_many_were_in_use_was_not_set(name: str) -> None:
    assert (is_counter(name), is_setting(name)) == (True, False)
    assert (is_counter("active_params"), is_setting("gpus")) == (False, True)


def test_hours_and_minutes_are_spelt_short_as_well() -> None:
    assert [unit_of_name(name) for name in ("runtime_hrs", "time_mins", "total_hours")] == ["h", "min", "h"]


def test_rows_that_are_counted_are_so_where_one_that_failed_is_left_out() -> None:
    lines = [
        f"{i},{n},{noisy(float(n))},{'FAIL' if i == 4 else 'ok'}" for i, n in enumerate((8, 4, 8, 2, 4, 2, 8, 4, 2), 1)
    ]
    found = read("zorb,threads,time_s,status\n" + "\n".join(lines) + "\n")
    assert "zorb" not in {m.name for m in found.trials.metrics}


def test_names_that_only_capitals_tell_apart_are_numbered() -> None:
    found = read("n,N,time (s),Time (s)\n1,8,2.5,1.5\n2,16,3.5,2.5\n3,32,4.5,3.5\n4,64,5.5,4.5\n")
    assert {m.name for m in found.trials.metrics} == {"n", "N 2", "time", "Time 2"}
    assert "'N', 'Time (s)': there again, and called 'N 2', 'Time 2 (s)' then." in found.warnings[0]


def test_threads_and_processes_below_each_other_are_a_number_and_a_kind() -> None:
    rows = [
        (w, f"{n} {kind}", noisy(9.0 / n))
        for w in "ab"
        for n, kind in ((1, "thread"), (2, "threads"), (2, "processes"), (4, "processes"))
    ]
    lines = "".join(f"{w},{of},{t}\n" for w, of, t in rows)
    found = read(f"way,Workers,time_s\n{lines}")
    assert {"Workers"} < {m.name for m in found.trials.metrics}
    assert set(found.trials.labels["Workers kind"]) == {"thread", "process"}


def _way(operations: int, size: int) -> dict[str, object]:
    return {
        "total_ios": operations,
        "iops": operations / 10,
        "bw": operations * size // 10,
        "lat_ns": {"min": 1, "mean": 1e6 / (operations + 1)},
        "clat_ns": {"mean": 9e5 / (operations + 1), "percentile": {"99.000000": 5}},
        "bw_min": 3,
    }


def test_jobs_of_fio_are_trials_with_what_each_way_reached() -> None:
    jobs = [
        {
            "jobname": f"job{k}",
            "error": 0,
            "job options": {"bs": f"{4 * k}k"},
            "read": _way(900 - k, k),
            "write": _way(0, k),
        }
        for k in (1, 2, 3)
    ]
    found = read(json.dumps({"fio version": "fio-3.33", "jobs": jobs}))
    assert len(found.trials) == 3
    names = {m.name for m in found.trials.metrics if m.unit}
    assert {"read.iops", "read.bw", "read.lat_ns.mean"} <= names
    assert not any(name.startswith(("write", "trim")) or "percentile" in name for name in names)


def test_counts_that_nearly_meet_were_not_set() -> None:
    rows = [
        (b, w, n + (b > 8) * (n > 1), noisy(b * k))
        for b in (1, 8, 32, 64)
        for w, n, k in (("zor", 1404, 3), ("qui", 1, 1))
    ]
    assert roles(seen(("batch", "way", "zorbs", "took_ms"), rows))["zorbs"] == "counter"
    sizes = [(b, w, n, noisy(n)) for b in (1, 8) for w in ("zor", "qui") for n in (255, 256, 257)]
    assert roles(seen(("batch", "way", "zorbs", "took_ms"), sizes))["zorbs"] == "parameter"


def test_numbered_parts_that_add_up_were_measured_and_so_were_others_with_their_numbers() -> None:
    names = (*(f"{what}_{k}" for k in range(3) for what in ("zor", "qui", "fli")), "total_time", "all_quis")
    drawn = random.Random(7)
    rows = []
    for _ in range(19):
        whole, quis = drawn.randint(58, 63), [drawn.randint(10, 17) for _ in range(3)]
        parts = [x for qui in quis for x in (whole - qui, qui, drawn.randint(46, 54))]
        rows.append((*parts, whole, sum(quis)))
    found = roles(seen(names, rows))
    assert {found[n] for n in names[:9]} == {"counter"}
    alone = [(*row[:9], noisy(row[0])) for row in rows]
    assert "parameter" in {roles(seen((*names[:9], "took_ms"), alone))[n] for n in names[:9]}


def test_a_scenes_number_that_comes_with_each_setting_is_what_ran_on_and_no_identifier() -> None:
    rows = [(i, t, noisy(k / t)) for i, k in ((1, 10.0), (2, 14.0), (3, 31.0)) for t in (1, 2, 4)]
    assert roles(seen(("scene_id", "threads", "took_s"), rows))["scene_id"] == "parameter"
    alone = [(i, noisy(k)) for i, k in ((1, 10.0), (2, 14.0), (3, 31.0), (4, 9.0), (5, 8.0))]
    assert roles(seen(("scene_id", "took_s"), alone))["scene_id"] == "identifier"


def test_two_clocks_beside_a_reading_are_no_outcomes() -> None:
    at = [0.1, 2.2, 4.1, 6.3, 200.2, 202.3, 204.2, 206.5, 400.1, 402.2]
    rows = [(f"{1700 + t / 1000:.4f}", f"{t:.1f}", a) for t, a in zip(at, (0.1, 0.3) * 5, strict=True)]
    found = roles(seen(("ts_sec", "rel_ms", "current_mA"), rows))
    assert (found["ts_sec"], found["rel_ms"]) == ("label", "label")
    sizes = [(n, 0.1 * n, 0.3 * n) for n in range(10, 100, 9)]
    assert roles(seen(("zorbs", "plain_ms", "fast_ms"), sizes))["plain_ms"] == "response"


def test_a_pass_with_two_names_was_set_and_one_that_says_whether_it_passed_was_not() -> None:
    rows = [
        (e, p, noisy(k * n)) for e, k in (("zor", 1), ("qui", 3), ("fli", 7)) for p, n in (("fwd", 2), ("bwd", 5))
    ] * 2
    assert roles(seen(("backend", "pass", "took_ms"), rows))["pass"] == "parameter"
    checked = [(e, n, "true", noisy(k * n)) for e, k in (("zor", 1), ("qui", 3)) for n in (1, 2, 4)]
    assert roles(seen(("backend", "n", "pass", "took_ms"), checked))["pass"] == "label"


def test_how_many_entries_there_are_is_the_size_of_the_problem_and_gibs_are_a_rate() -> None:
    rows = [
        (m, n, noisy(n * k / 7), noisy(80.0 / k), noisy(3.0 * k))
        for m, k in (("zor", 1), ("qui", 3))
        for n in (100, 1000, 10000) * 2
    ]
    found = seen(("method", "num_entries", "took_ns", "gibs", "comparisons"), rows)
    assert roles(found)["num_entries"] == "input"
    assert found.tables[0].column("gibs").unit == "GiB/s"


def test_what_was_skipped_or_is_not_supported_did_not_run() -> None:
    text = "backend,n,status,took_ms\nzor,1,success,2.5\nzor,2,success,3.5\nqui,1,unsupported,\nqui,2,skipped,\nfli,1,success,1.5\n"
    assert len(read(text).trials) == 3
