"""What cells tell of columns whose names say nothing: order, crossing, sums, quotients and where a sweep stopped."""

from itertools import product

from tests.ingest.recognition.test_roles import noisy, roles, seen

GRID = [(a, b, k) for a, b in product(("ulm", "oker", "brenz"), ("fips", "gorl")) for k in (1, 2, 3, 4)]
"""Two settings in words and one in numbers, each with each of the others."""


def time_of(a: str, b: str, k: int) -> float:
    return (3.0 + len(a)) * (1.0 + ord(b[0]) % 5) / k**0.8


def test_what_stands_right_of_the_outcome_came_out_where_the_settings_left_of_it_tell_all_rows_apart() -> None:
    waits = [5, 0, 2, 0, 5, 9, 0, 2, 7, 7, 0, 0, 9, 2, 5, 0, 0, 2, 9, 5, 0, 7, 2, 0]
    ends = ["dry", "wet", "wet", "dim"]
    rows = [(*own, noisy(time_of(*own)), wait, ends[wait % 4]) for own, wait in zip(GRID, waits, strict=True)]
    found = roles(seen(("zorp", "quell", "trub", "fump_ms", "brix", "dask"), rows))
    assert (found["brix"], found["dask"]) == ("counter", "label")
    assert [found[name] for name in ("zorp", "quell", "trub")].count("parameter") >= 2
    left = roles(seen(("zorp", "quell", "brix", "dask", "fump_ms"), [(a, b, w, e, t) for a, b, _, t, w, e in rows]))
    assert (left["brix"], left["dask"]) == ("parameter", "parameter")


def test_what_comes_with_each_of_a_setting_or_goes_with_one_was_set_wherever_it_stands() -> None:
    rows = [(*own, noisy(time_of(*own)), 7 * own[2] + 1, k % 2 * 3) for k, own in enumerate(GRID)]
    found = roles(seen(("zorp", "quell", "trub", "fump_ms", "brix", "dask"), rows))
    assert found["brix"] in ("parameter", "deterministic")
    assert found["dask"] == "parameter"


def test_numbers_that_add_up_with_others_that_were_measured_were_measured_too() -> None:
    some = [2, 21, 21, 2, 40, 21, 2, 40, 21, 40, 2, 21, 40, 2, 21, 2, 40, 21, 2, 21, 40, 2, 2, 21]
    whole = [2815 + 13 * k % 37 for k in range(24)]
    timed = [noisy(time_of(*own)) for own in GRID]
    rows = [(k % 2, x, w, w - x, t) for k, (x, w, t) in enumerate(zip(some, whole, timed, strict=True))]
    names = ("zorp", "brix", "dask_hits", "gorm_misses", "fump_ms")
    assert roles(seen(names, rows))["brix"] == "counter"
    other = [(a, x, w, m + x % 2 + 1, t) for a, x, w, m, t in rows]
    assert roles(seen(names, other))["brix"] == "parameter"


def test_a_sweep_of_which_one_part_was_not_finished_is_one() -> None:
    sweep = [(name, k) for name in ("ulm", "oker", "brenz", "lech") for k in (1, 3, 5, 11, 17, 31)]
    rows = [
        (name, k, noisy(len(name) * 5.0 / k), *(i * 1000 + 7 * j + len(name) for j in range(45)))
        for i, (name, k) in enumerate(sweep)
    ]
    names = ("benchmark", "zorp", "fump_s", *(f"gorm{chr(97 + j // 26)}{chr(97 + j % 26)}x" for j in range(45)))
    assert roles(seen(names, rows[:-3]))["zorp"] == "parameter"
    assert roles(seen(names, rows[:-3][::-1]))["zorp"] == "parameter"
    assert roles(seen(names, [*rows[:7], *rows[10:-3]]))["zorp"] == "counter"


def test_times_that_are_together_at_most_a_whole_one_are_its_phases() -> None:
    parts = [[noisy(0.2 * (k + i % 3) * w) for k, w in enumerate((1.0, 4.0, 0.1, 2.0), 1)] for i in range(8)]
    rest = [1.05, 1.21, 1.11, 1.3, 1.08, 1.17, 1.25, 1.4]
    wholes = [f"{f * sum(map(float, own)):.6f}" for f, own in zip(rest, parts, strict=True)]
    rows = [("ab"[i % 2], whole, *own) for i, (whole, own) in enumerate(zip(wholes, parts, strict=True))]
    names = ("engine", "total_time", "t_ulm", "t_oker", "t_brenz", "t_lech")
    found = roles(seen(names, rows))
    assert {found[name] for name in names[2:]} == {"derived"}
    assert found["total_time"] == "response"
    more = [(e, f"{float(w) * (0.6 if i == 3 else 1):.6f}", *own) for i, (e, w, *own) in enumerate(rows)]
    assert {roles(seen(names, more))[name] for name in names[2:]} == {"response"}


def test_a_rate_follows_from_the_median_beside_the_mean() -> None:
    medians = [8.137 * k + 3.0153 * (k % 3) for k in range(1, 9)]
    rows = [("ab"[k % 2], noisy(1.01 * m + k % 4), f"{m:.6f}", f"{9e3 / m:.6f}") for k, m in enumerate(medians)]
    assert roles(seen(("kernel", "ms_mean", "ms_median", "gflops"), rows))["gflops"] == "derived"


def test_a_pace_that_is_the_outcome_times_a_constant_for_each_thing_that_ran_gives_it_away() -> None:
    work = {"ulm": 3.7e8, "oker": 1.2e9, "brenz": 4.4e7}
    rows = [(a, b, k, int(work[a] * time_of(a, b, k)), f"{time_of(a, b, k):.6f}") for a, b, k in GRID]
    names = ("benchmark", "quell", "trub", "sim_ticks", "brix")
    assert roles(seen(names, rows))["brix"] == "derived"
    off = [(a, b, k, t, f"{float(x) * (1 + 0.02 * (i % 5)):.6f}") for i, (a, b, k, t, x) in enumerate(rows)]
    assert roles(seen(names, off))["brix"] == "counter"


def test_values_in_several_units_are_outcomes_alike() -> None:
    units = {"ulm": "GB/s", "oker": "ns/hop", "brenz": "M gorms/s"}
    rows = [(a, k, noisy(time_of(a, b, k)), units[a]) for a, b, k in GRID]
    found = roles(seen(("experiment", "trub", "value", "unit"), rows))
    assert {role for name, role in found.items() if name.startswith("value")} == {"response"}


def test_rows_that_are_metrics_become_columns_behind_their_numbers_too() -> None:
    metrics = [("exit_time_ns", 1380349, 1380186, 1385802), ("icache.hits", 524619, 524629, 524367)]
    metrics += [("icache.misses", 490, 480, 742), ("icache.gorms", 256, 246, 508), ("icache.miss_rate", 0.1, 0.2, 0.3)]
    metrics += [("dcache.misses", 81, 82, 83), ("dcache.hits", 311, 312, 313)]
    rows = [(i, *own) for i, own in enumerate(metrics)]
    found = roles(seen(("", "policy=", "LRU", "MRU", "LFU"), rows))
    assert (found["exit_time_ns"], found["icache.hits"]) == ("response", "counter")


def test_the_only_text_that_tells_rows_apart_is_what_ran() -> None:
    rows = [(f"slide{k}-{name}", noisy(60.0 + k)) for k, name in enumerate(("ulm", "oker", "brenz", "lech"))]
    assert roles(seen(("label", "fump_ms"), rows))["label"] == "application"
    two = [(a, k % 2, t) for k, (a, t) in enumerate([*rows, *rows])]
    assert roles(seen(("label", "threads", "fump_ms"), two))["label"] != "application"


def test_cycles_for_each_thing_are_in_cycles() -> None:
    rows = [(a, noisy(time_of(a, b, k)), noisy(2 * time_of(a, b, k))) for a, b, k in GRID]
    found = seen(("dataset", "zorp_cycles_per_value", "unzorp_cycles_per_value"), rows).tables[0].columns
    assert [c.unit for c in found if c.role == "response"] == ["cycles", "cycles"]


def test_what_tells_apart_rows_that_differ_by_factors_names_problems_and_no_repeats() -> None:
    speeds = {"moons_2d": 1.0, "rings_2d": 3.0, "overlap_8d": 9.0, "dense_16d": 14.0}
    cases = [(name, size, speed * size) for size in (500, 1000, 5000) for name, speed in speeds.items()]
    rows = [("scan", n, f"{name}__n{n}", noisy(t)) for name, n, t in cases]
    names = ("method", "n", "dataset_id", "runtime_seconds")
    assert roles(seen(names, rows))["dataset_id"] == "input"
    alike = [("scan", n, f"{name}__n{n}", noisy(3.0 * n)) for name, n, _ in cases]
    assert roles(seen(names, alike))["dataset_id"] == "label"
