"""Names that say half of what a column holds: units, failures, variants, sizes and energies that are none."""

from itertools import product

import pytest

from core.ingest import SourceFile, apply, read_table
from core.ingest.recognition.words import says_failed
from tests.ingest.recognition.test_roles import csv, imported, noisy, roles, seen


def units(*names: str) -> list[str | None]:
    """The units of some columns of numbers."""
    rows = [tuple(noisy(2.0 + i) for i, _ in enumerate(names)) for _ in range(6)]
    return [column.unit for column in seen(names, rows).tables[0].columns]


def test_a_bracket_behind_a_name_with_a_unit_is_a_remark_and_a_statistic_is_no_unit() -> None:
    assert units("GFLOPS (opt)", "Eff. GB/s (tiled)", "Wait_ms (mean)", "Delay (avg)") == [
        "GFLOP/s",
        "GB/s",
        "ms",
        None,
    ]
    assert units("Delay (min)", "Wait (ms)") == ["min", "ms"]


def test_units_in_capitals_behind_a_word() -> None:
    assert units("TempoMS", "lookupNS", "copyUS", "DBMS") == ["ms", "ns", "us", None]


@pytest.mark.parametrize("text", ["synth_failed", "RuntimeError", "ERRO", "Build timeout", "killed", "out of memory"])
def test_a_status_of_several_words_says_that_a_run_failed(text: str) -> None:
    assert says_failed("status", text)
    assert not any(says_failed("status", fine) for fine in ("ok", "no error", "passed", "0 errors"))


@pytest.mark.parametrize("word", ["ERRO", "Killed", "skipped", "fehler"])
def test_words_for_a_failure_in_place_of_an_outcome_refuse_no_table(word: str) -> None:
    rows = [
        (a, n, word if (a, n) == ("bst", 50_000) else noisy(n / 1e3)) for a in ("bst", "avl") for n in (1000, 50_000)
    ]
    trials = imported(("algorithm", "n", "time_ms"), rows * 3).trials
    assert len(trials) == 12
    assert roles(seen(("algorithm", "n", "time_ms"), rows * 3))["time_ms"] == "response"


def test_words_among_the_levels_of_a_setting_are_levels() -> None:
    scales = ("original", "best", 0.001, 0.01, 0.1, 0.5)
    rows = [(a, s, noisy(4.0 + i)) for a in ("crc", "fft", "sha") for i, s in enumerate(scales)]
    found = seen(("benchmark", "factor", "time_ms"), rows)
    assert roles(found)["factor"] == "parameter"
    assert len(imported(("benchmark", "factor", "time_ms"), rows).trials) == 18
    unrolls = [*(2**k for k in range(9)), "Full"]
    assert len(imported(("n", "unroll", "time_us"), [(n, u, noisy(9.0)) for n, u in product((16, 32), unrolls)]).trials)


def test_a_word_that_stands_once_among_numbers_is_still_a_mistake() -> None:
    rows = [(a, t, noisy(9.0 / k)) for a in ("crc", "fft") for k, t in ((1, 1), (2, 2), (4, 4), (8, 8))]
    rows[3] = ("crc", "eight", 1.5)
    with pytest.raises(Exception, match="'threads' is 'eight', expected a number"):
        imported(("benchmark", "threads", "time_ms"), rows)


def test_the_size_of_a_binary_came_out() -> None:
    rows = [(o, n, 900 + 40 * k, noisy(5.0 * n)) for k, o in enumerate(("-O1", "-O2", "-O3")) for n in (1, 2, 3)]
    found = roles(seen(("flags", "n", "Binary Size", "time_ms"), rows))
    assert (found["Binary Size"], found["n"]) == ("counter", "parameter")


def test_an_energy_below_0_is_an_objective_and_t_leads_times() -> None:
    rows = [(b, -9.5 * b**3, noisy(0.01 * b), noisy(0.2 * b)) for b in range(8, 30, 2)]
    assert roles(seen(("bits", "best_energy", "t_build", "t_anneal"), rows)) == {
        "bits": "parameter",
        "best_energy": "counter",
        "t_build": "response",
        "t_anneal": "response",
    }


def test_outcomes_in_one_unit_are_variants_where_nothing_else_is_told() -> None:
    names = ("Repetition", "Scalar_ns", "AVX2_ns", "AVX512_Tern_ns", "NEON_ns")
    rows = [(k, *(noisy(v) for v in (2400.0, 2300.0, 1000.0, 3900.0))) for k in range(1, 11)]
    trials = imported(names, rows).trials
    assert (len(trials), len(set(trials.input))) == (40, 4)
    phases = imported(("Repetition", "read_time_ns", "copy_time_ns", "write_time_ns"), [row[:4] for row in rows]).trials
    assert len(phases) == 10


def test_a_statistic_by_its_portuguese_and_spanish_name() -> None:
    rows = [(a, n, noisy(n * 2.0), noisy(n * 0.1, 0.3)) for a in ("bst", "avl") for n in (1000, 2000, 4000, 8000)]
    found = roles(seen(("algoritmo", "n", "TempoMedio_ms", "DesvioPadrao_ms"), rows))
    assert (found["TempoMedio_ms"], found["DesvioPadrao_ms"]) == ("response", "derived")


def test_processors_that_are_called_by_numbers_and_words() -> None:
    rows = [(p, n, noisy(n * s)) for p, s in (("2500K", 9.0), ("3770", 8.0)) for n in (1, 2, 4) for _ in range(3)]
    assert roles(seen(("Procesor", "n", "elapsed_time"), rows))["Procesor"] == "machine"


def test_the_architecture_of_a_circuit_is_no_machine() -> None:
    rows = [(a, u, noisy(500.0 / u), 40 * u, 5 * u) for a in ("1D", "2D") for u in (1, 2, 4, 8)]
    names = ("Architecture", "unroll", "time_us", "LUT", "DSP")
    assert roles(seen(names, rows))["Architecture"] == "parameter"
    assert roles(seen((*names[:3], "loads", "stores"), rows))["Architecture"] == "machine"


def test_an_index_of_fractions_was_measured() -> None:
    rows = [(s, noisy(30.0 + k), noisy(1300.5 + 40 * k)) for k, s in enumerate(("react", "vue", "lit", "solid"))]
    assert roles(seen(("site", "load_ms", "speed_index"), rows))["speed_index"] != "identifier"


def test_counts_with_commas_between_thousands_beside_points_are_numbers() -> None:
    raw = "| Stage | Time (ms) | Cycle Count |\n|---|---|---|\n| blur | 50.1 | 150,587,611 |\n| sobel | 4.2 | 12,807,253 |\n"
    table = read_table(SourceFile("run7.md", raw.encode()))
    assert apply(table).trials.values[:, -1].tolist() == [150_587_611, 12_807_253]


def test_whole_numbers_beside_texts_that_come_again_are_no_header() -> None:
    rows = [(t, 9000 // t, "stencil", "node-7") for t in (1, 2, 4, 8)]
    text = csv(*rows[:1], rows[1:])
    assert read_table(SourceFile("run7.csv", text)).names[0] == "column_1"


def test_brackets_that_say_more_than_settings_stay_in_a_name() -> None:
    cases = ((64, 64), (512, 64), (3072, 1024), (3072, 2048))
    rows = [(f"{a}_I{i}_K{k}(rail)", noisy(2.0 + i / 512)) for a in ("bert", "vit", "ncf") for i, k in cases]
    assert set(imported(("Test", "Energy"), rows).trials.application) == {"bert(rail)", "vit(rail)", "ncf(rail)"}
    rows = [
        (f'"{a}({i}, {k})"', value)
        for (a, i, k), (_, value) in zip(product("bvn", (64, 512), (8, 16)), rows, strict=True)
    ]
    assert set(imported(("Test", "Energy"), rows).trials.application) == {"b", "v", "n"}


def test_a_number_of_nodes_in_german_is_a_setting_and_a_named_node_a_machine() -> None:
    rows = [(s, p, max(1, p // 32), noisy(100.0 / p)) for s in ("cg", "gmres", "bicg") for p in (16, 32, 64, 128)]
    found = roles(seen(("Solver", "Prozesse", "Knoten", "Zeit_s"), rows))
    assert (found["Knoten"], found["Prozesse"]) == ("parameter", "parameter")
    named = [(s, k, noisy(2.0)) for s in ("cg", "gmres", "bicg") for k in ("skylake-1", "haswell-2", "rome-3")]
    assert roles(seen(("Solver", "Knoten", "Zeit_s"), named))["Knoten"] == "machine"


def test_names_of_rows_that_spell_their_sizes_are_one_application() -> None:
    sizes = [(m, n, noisy(m * n / 900)) for m in (64, 128, 512) for n in (32, 96)]
    rows = [(f"gemv_{m}x{n}", m, n, t) for m, n, t in sizes]
    assert set(imported(("kernel_name", "rows_m", "cols_n", "time_us"), rows).trials.application) == {"gemv"}
    nodes = [(f"std-{c}-{4 * c}", c, noisy(90.0 / c)) for c in (2, 4, 8)]
    assert roles(seen(("instance_name", "vcpus", "time_s"), nodes))["instance_name"] == "machine"


def test_a_command_that_differs_by_the_numbers_beside_it_alone_is_no_application() -> None:
    cases = [(n, p, k) for n in (512, 2048) for p in (1, 2, 4) for k in (1, 2)]
    rows = [(f"mpirun -n {p} lu -s {n} -v", n, p, k, noisy(n / p)) for n, p, k in cases]
    found = roles(seen(("command", "n", "procs", "trial", "time_s"), rows))
    assert (found["command"], found["n"], found["procs"]) == ("label", "parameter", "parameter")
    several = [(f"{a} -n {p} -s {n}", n, p, k, noisy(n / p)) for a in ("lu", "fft") for n, p, k in cases]
    assert roles(seen(("command", "n", "procs", "trial", "time_s"), several))["command"] == "application"


def test_versions_below_hash_are_a_setting_beside_dates_and_texts_that_were_measured() -> None:
    cases = [(h, f, m) for h in ("before-loops", "loops", "loops-and-tiles") for f in "abc" for m in ("jit", "int")]
    rows = [(h, f"{f}.scm", m, noisy(3.0 * len(h)), f"{noisy(9.0)} {m[:1]}") for h, f, m in cases]
    found = roles(seen(("hash", "file", "mode", "time_s", "pace"), rows))
    assert (found["hash"], found["mode"]) == ("parameter", "parameter")
    rows = [(f"1f0{k}c7d{k}", f, noisy(3.0), f"{noisy(9.0)} {f}") for k, f in enumerate("abcdef")]
    assert roles(seen(("hash", "file", "time_s", "pace"), rows))["hash"] == "identifier"
