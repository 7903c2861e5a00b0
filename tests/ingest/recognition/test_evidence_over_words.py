"""Where words mislead: what the cells of a table show decides, or a rule about how names are built."""

from itertools import product

import numpy as np
import pytest

from tests.ingest.recognition.test_roles import noisy, roles, seen


def test_a_share_that_is_swept_is_a_setting_and_one_that_is_measured_a_counter() -> None:
    rows = [
        (b, c, k, noisy(2.0 * c**0.2), noisy(30.0, 0.2))
        for b, c, k in product(("base", "opt"), (1, 10, 100), (1, 2, 3))
    ]
    found = roles(seen(("build", "cache_pct", "rep", "time_s", "miss_pct"), rows))
    assert found == {
        "build": "parameter", "cache_pct": "parameter", "rep": "label", "time_s": "response", "miss_pct": "counter",
    }  # fmt: skip


@pytest.mark.parametrize("header", ["run_num", "iteration_no", "cycle", "Trial Index"])
def test_what_numbers_the_repeats_is_a_label(header: str) -> None:
    rows = [(m, k, noisy(float(m) ** 3)) for m, k in product((256, 512, 1024), (1, 2, 3, 4))]
    assert roles(seen(("M", header, "time_s"), rows)) == {"M": "parameter", header: "label", "time_s": "response"}


def test_a_count_that_hardly_differs_between_repeats_was_measured() -> None:
    rows = [
        (v, noisy(5.0 * w), round(7e6 * w * (1 + k * 1e-5))) for v, w in (("slim", 1), ("full", 2)) for k in range(4)
    ]
    assert roles(seen(("variant", "time_s", "thunks"), rows))["thunks"] == "counter"


def test_what_says_the_same_as_a_setting_is_no_second_setting() -> None:
    rows = [(n, 5 * n, k, noisy(n * 1e-6)) for n, k in product((1000, 5000, 10000, 50000), range(1, 6))]
    found = seen(("size", "visits_made", "run", "time_s"), rows).tables[0]
    assert (found.column("visits_made").role, found.column("visits_made").why) == ("deterministic", "goes with size")


def test_a_time_of_each_operation_is_an_outcome_and_other_things_of_each_are_counted() -> None:
    rows = [
        (c, n, noisy(n * 0.5), n * 4.0, i)
        for i, (c, n) in enumerate(product(("add", "clamp", "swiglu"), (100, 1000, 5000)))
    ]
    found = seen(("case", "n", "ns_per_op", "bytes_per_op", "allocs"), rows).tables[0]
    assert (found.column("ns_per_op").role, found.column("ns_per_op").unit) == ("response", "ns")
    assert found.column("bytes_per_op").role != "parameter" != found.column("allocs").role


def test_readings_of_a_meter_before_and_after_are_kept_and_predict_nothing() -> None:
    rows = [(k, 10**9 * i, 10**9 * i + int(noisy(3e8)), noisy(300.0)) for i, k in enumerate("abcdefgh")]
    found = roles(seen(("kernel", "pkg_start_uj", "pkg_end_uj", "energy_j"), rows))
    assert (found["pkg_start_uj"], found["pkg_end_uj"], found["energy_j"]) == ("label", "label", "response")


def test_percentiles_are_statistics_and_no_sizes_of_the_problem() -> None:
    rows = [(b, noisy(5.0 + b), noisy(4.9 + b), noisy(6.0 + b), noisy(7.0 + b)) for b in (1, 2, 4, 8, 16, 32, 64)]
    found = seen(("batch", "mean_ms", "p50_ms", "p95_ms", "p99_ms"), rows)
    assert roles(found)["mean_ms"] == "response"
    assert {roles(found)[name] for name in ("p50_ms", "p95_ms", "p99_ms")} == {"derived"}
    assert not found.questions


def test_a_rate_is_computed_from_a_count_and_not_the_count_from_the_rate() -> None:
    rng, rows = np.random.default_rng(5), []
    for b, k in product((1, 8, 32), range(6)):
        tokens, time = int(rng.integers(100, 400)), noisy(900.0 + 40 * b, 0.1)
        rows.append((b, k, tokens, round(time, 3), round(tokens / time * 1e3, 4)))
    found = seen(("batch_size", "rep", "completion_tokens", "latency_ms", "tokens_per_sec"), rows).tables[0]
    assert found.column("completion_tokens").role != "derived"
    assert found.column("tokens_per_sec").formula == "completion_tokens / latency_ms"


def test_comparisons_are_derived_however_they_are_called() -> None:
    rows = [(p, n, noisy(p * n / 100), 1 + p / 16) for p, n in product((4, 8, 16, 32), (100, 400))]
    assert roles(seen(("pressure", "size", "time_ms", "slowdown_vs_p4"), rows))["slowdown_vs_p4"] == "derived"


def test_a_text_that_spells_out_a_setting_is_a_label() -> None:
    rows = [(k, n, f"float* {n} global", noisy(n * 2.0)) for k, n in product(("scan", "saxpy"), (4096, 65536, 1048576))]
    assert roles(seen(("kernel", "global_size", "args_info", "time_ns"), rows))["args_info"] == "label"


def test_times_are_times_in_other_languages() -> None:
    rows = [(t, s, noisy(9 / t), noisy(0.1)) for t, s in product((1, 2, 4), ("static", "dynamic"))]
    found = roles(seen(("threads", "schedule", "media_s", "desvio_s"), rows))
    assert (found["media_s"], found["desvio_s"]) == ("response", "derived")
