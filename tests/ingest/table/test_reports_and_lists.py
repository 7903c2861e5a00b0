"""Tables inside of something else: lists of JSON, reports of programs, blocks for gnuplot, lists in a text."""

import json

import pytest

from core.errors import ReadError
from core.ingest import SourceFile, read_table
from core.ingest.table.columns import study
from core.ingest.table.table import Table


def read(text: str, name: str) -> Table:
    return read_table(SourceFile(name, text.encode()))


def columns(table: Table) -> dict[str, list[str]]:
    return dict(zip(table.names, (list(c.texts()) for c in table.columns), strict=True))


def test_the_longest_list_of_objects_is_read_whatever_it_is_called() -> None:
    shots = [{"engine": e, "took_ms": t} for e, t in (("a", 2.5), ("b", 3.5), ("c", 4.5))]
    table = read(json.dumps({"host": {"cores": 8}, "shots": shots, "aside": shots[:2]}), "run.json")
    assert columns(table) == {"engine": ["a", "b", "c"], "took_ms": ["2.5", "3.5", "4.5"]}
    assert any("'aside' beside it was not" in told for told in table.warnings)


def test_lists_inside_of_such_a_list_are_its_rows() -> None:
    blocks = [{"case": n, "rows": [{"app": a, "wall_s": n * t} for a, t in (("x", 1.5), ("y", 2.5))]} for n in (1, 2)]
    table = read(json.dumps({"note": "two of each", "blocks": blocks}), "run.json")
    assert columns(table) == {
        "case": ["1", "1", "2", "2"],
        "app": ["x", "y", "x", "y"],
        "wall_s": ["1.5", "2.5", "3.0", "5.0"],
    }


def test_intervals_of_one_run_are_no_runs() -> None:
    slices = [{"start": t, "end": t + 1.5, "bytes": 100 + t} for t in (0.0, 1.5, 3.0)]
    with pytest.raises(ReadError):
        read(json.dumps({"intervals": slices, "end": {"bytes": 309}}), "run.json")


def test_fractions_in_one_list_of_each_object_are_repeats() -> None:
    items = [{"zip": z, "n": n, "shots": [1.5 * n, 1.25 * n, 1.75 * n]} for z in "ab" for n in (1, 2)]
    table = read(json.dumps(items), "run.json")
    assert columns(table)["run"] == ["1", "2", "3"] * 4
    assert study(table).columns[table.find("shots")].numbers.values.tolist()[:4] == [1.5, 1.25, 1.75, 3.0]
    measured = [item | {"mean": 1.5} for item in items]
    assert len(read(json.dumps(measured), "run.json")) == 4


def test_a_list_beside_its_own_mean_is_repeats_with_what_was_measured_of_each_run() -> None:
    def ran(n: float, took: list[float]) -> dict[str, object]:
        mean = round(sum(took) / len(took), 3)
        return {"took": {"mean_ms": mean, "stddev_ms": 0.1, "raw": took, "codes": [0] * len(took)}, "n": n, "ids": [7]}

    table = read(json.dumps({"runs": [ran(8, [1.5, 1.25, 1.5]), ran(16, [3.5, 2.5])]}), "run.json")
    assert columns(table) == {
        "n": ["8"] * 3 + ["16"] * 2,
        "ids": ['["7"]'] * 5,
        "took.mean_ms": ["1.5", "1.25", "1.5", "3.5", "2.5"],
        "took.codes": ["0"] * 5,
        "run": ["1", "2", "3", "1", "2"],
    }
    assert next(iter(columns(table))) == "took.mean_ms", "the first of a run's outcomes stays the first"
    alone = {"seed": 3, "zor": ran(1, [1.5, 1.0])["took"], "qui": ran(1, [2.5, 2.0])["took"]}
    assert columns(read(json.dumps(alone), "run.json"))["name"] == ["zor", "zor", "qui", "qui"]


def test_each_list_of_repeats_takes_its_own_statistics_with_it() -> None:
    def ran(n: int, took: list[float]) -> dict[str, object]:
        rates = [n / t for t in took]
        of_times = {"avg_ns": sum(took) / len(took), "stddev_ns": 0.5, "samples_ns": took}
        return {"n": n, "avg_ts": sum(rates) / len(rates), **of_times, "samples_ts": rates}

    found = columns(read(json.dumps([ran(8, [15.5, 12.5]), ran(16, [35.0, 25.0])]), "run.json"))
    assert [*found] == ["n", "samples_ns", "samples_ts", "run"]
    assert found["samples_ts"] == [repr(n / t) for n, t in ((8, 15.5), (8, 12.5), (16, 35.0), (16, 25.0))]


@pytest.mark.parametrize("mean", ["2,0", "2.0D+00", "fast"])
def test_a_mean_that_is_written_otherwise_beside_a_list_is_none(mean: str) -> None:
    rows = [{"n": n, "times_ms": [1.5 * n, 2.5 * n], "times_mean": mean} for n in (1, 2, 3)]
    assert len(read(json.dumps(rows), "run.json")) == 6
    texts = [{"n": n, "times_ms": ["1,5", "2,5"], "times_mean": "2.0"} for n in (1, 2)]
    assert len(read(json.dumps(texts), "run.json")) == 2


def test_objects_under_names_are_rows_where_most_have_the_same_outcome() -> None:
    own = {f"m{k} [plain]": {"decode_tps": 30.5 + k, "tokens": 256} for k in range(3)}
    rows = own | {"m9 [fast]": {"decode_tps": 40.5, "tokens": 256, "log": {"lines": ["a 1"]}}, "m9": {"error": "died"}}
    found = columns(read(json.dumps(rows), "run.json"))
    assert found["decode_tps"] == ["30.5", "31.5", "32.5", "40.5"]


def test_a_value_is_in_the_unit_that_stands_beside_it() -> None:
    items = [
        {"benchmark": b, "pace": s, "paceHigh": {"99.0": 2 * s}, "paceUnit": "ns/op"}
        for b, s in zip("abc", (1.5, 2.5, 9.5), strict=True)
    ]
    table = read(json.dumps(items), "run.json")
    units = dict(zip(table.names, table.units, strict=True))
    assert (units["pace"], units["paceHigh.99.0"]) == ("ns/op", "ns/op")


def test_json_may_stand_below_what_a_program_said_first() -> None:
    text = "tool: terminating on signal 2\n" + json.dumps([{"n": n, "t_ms": 1.5 * n} for n in (1, 2, 3)], indent=1)
    assert columns(read(text, "run.json"))["n"] == ["1", "2", "3"]


def test_names_over_two_lines_and_half_a_pair_of_json_are_texts() -> None:
    text = '[{"app\\nname": "a\\ud800é", "t_ms": 1.5}, {"app\\nname": "b", "t_ms": 2.5}]'
    found = read(text, "run.json")
    assert columns(found) == {"app name": ["a\\ud800é", "b"], "t_ms": ["1.5", "2.5"]}
    assert found.lines.tolist() == [1, 2]


def test_brackets_of_a_log_are_no_json() -> None:
    with pytest.raises(ReadError, match="seems to be text"):
        read("[ ]\n[ ] ---> single precision <--- [ ]\n[ ]\n", "run.dat")


REPORT = """=====================
      Of six runs
=====================
Cores : 4

Variant               Workers     Took (s)

plain one             1           0.0091
with lanes            2           0.0058
with lanes            4           0.0050
with lanes            8           0.0129

All results agree.
"""


def test_a_table_between_blanks_of_a_report_is_read() -> None:
    table = read(REPORT, "report.txt")
    assert columns(table) == {
        "Variant": ["plain one", "with lanes", "with lanes", "with lanes"],
        "Workers": ["1", "2", "4", "8"],
        "Took": ["0.0091", "0.0058", "0.0050", "0.0129"],
    }
    assert table.lines.tolist() == [8, 9, 10, 11]


def test_names_of_rows_may_have_none_above_them_and_dots_behind() -> None:
    rows = ("scatter......  8 0.48 0.20", "gather.......  8 0.33  0.10", "solve........  8    35.0  33.8")
    text = "               ranks  Wall max  Wall min\n==============================\n" + "\n".join(rows) + "\n"
    assert columns(read(f"one line of prose\n\n{text}", "timing.dat"))["name"] == ["scatter", "gather", "solve"]


def test_a_cell_of_words_between_wide_blanks_is_one() -> None:
    rows = "2     4.0    0.03     0.03\n3     9.0    0.07     out of memory (again)\n4     16.0   0.12     0.10\n"
    table = read(f"L     N      f90      cpp\n{rows}Done.\n", "times.dat")
    assert columns(table)["cpp"] == ["0.03", "out of memory (again)", "0.10"]


def test_a_report_whose_lines_read_like_sentences_is_a_table() -> None:
    """Of names with two words in some rows and one in others, those of the most frequent form would be all of a log."""
    names = [f"{name}<{kind}>/{n}" for name in ("std::sort", "radix", "tbb::sort") for kind in "if" for n in (10, 1000)]
    rows = [f"{name:<22}{i * 317.5:>8.2f} us{i * 31.75:>8.2f} us" for i, name in enumerate(names, 1)]
    table = read("\n".join(["Results (EPYC 7763)", "", f"{'Name':<22}{'Mean':>11}{'Stddev':>11}", *rows]), "r.txt")
    assert [*columns(table)] == ["Name", "Mean", "Stddev", "argument 1"]
    assert columns(table)["Name"] == [name.rpartition("/")[0] for name in names]
    assert columns(table)["Stddev"][-1] == "381.00"


@pytest.mark.parametrize("line", ["0.49", "with lanes            16", "with lanes            16         0.0171     3"])
@pytest.mark.parametrize("place", ["All results", "with lanes            8"])
def test_a_report_with_a_row_of_too_few_or_too_many_cells_is_refused(line: str, place: str) -> None:
    """The rows below it were lost else, or it was."""
    with pytest.raises(ReadError):
        read(REPORT.replace(place, f"{line}\n{place}"), "report.txt")


def test_a_table_between_tabs_with_a_wrong_row_is_refused() -> None:
    rows = ["app\ttime_s", *(f"{app}\t{k}.5" for k, app in enumerate("abc")), "d4.5", "e\t5.5", "f\t6.5"]
    with pytest.raises(ReadError, match="line 5"):
        read("\n".join(rows), "runs.tsv")


def test_blocks_of_numbers_below_comments_are_told_apart_by_these() -> None:
    text = "".join(f"# MPI ({p})\n1000 {9 / p:.4f}\n2000 {36 / p:.4f}\n\n" for p in (1, 2, 4))
    found = columns(read(text, "times.dat"))
    assert found["heading"] == ["MPI (1)", "MPI (1)", "MPI (2)", "MPI (2)", "MPI (4)", "MPI (4)"]
    assert found["column_2"][-1] == "9.0000"


def test_what_a_list_of_lists_is_of_is_a_column() -> None:
    text = "".join(
        f"- {who}\n\t- big image: {4 * k} ms\n\t- small image: {k} ms\n"
        for k, who in ((10, "mpi"), (7, "omp"), (3, "gpu"))
    )
    assert columns(read(text, "times.txt"))["heading"] == ["mpi", "omp", "gpu"]


def test_the_longest_list_inside_of_objects_is_read_with_what_stands_once_beside_it() -> None:
    scaling = [{"cores": n, "total_seconds": t} for n, t in ((1, 30.5), (2, 20.5), (4, 12.5))]
    one, other = {"rows": scaling[:2]}, {"n_rows": 1000, "told": "more cores are faster", "rows": scaling}
    table = read(json.dumps({"whole": True, "engines": one, "scaling": other}), "run.json")
    assert columns(table)["n_rows"] == ["1000"] * 3
    assert table.names == ("n_rows", "cores", "total_seconds")
    assert any("'engines.rows' beside it was not" in told for told in table.warnings)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"host_name": "build-server"}, "host_name"),
        ({"context": {"hostname": "alpha", "load": 2}}, "hostname"),
        ({"machine_info": {"node": "beta", "machine": "x86_64"}}, "node"),
        ({"versions": {"node": "v18.12.0", "npm": "8.19"}}, ""),
        ({"hostname": "3f2a9c01b7de"}, ""),
        ({"host": "https://example.org"}, ""),
    ],
)
def test_a_host_beside_json_rows_may_be_called_anything(said: dict[str, object], named: str) -> None:
    rows = [{"name": own, "time_s": n} for n, own in ((1.5, "fft"), (2.5, "lu"))]
    found = columns(read(json.dumps({**said, "benchmarks": rows}), "r.json"))
    assert {*found} == {"name", "time_s"} | ({named} if named else set())


def test_the_hardware_that_a_file_names_once_is_in_every_row() -> None:
    runs = [{"n": n, "time_s": t} for n, t in ((1, 3.5), (2, 2.5))]
    host = {"cpu": "AMD Ryzen 9 7900", "platform": "Linux-6.8", "cores": 12}
    table = read(json.dumps({"host": host, "results": runs}), "run.json")
    assert columns(table)["cpu"] == ["AMD Ryzen 9 7900"] * 2
    assert table.names == ("n", "time_s", "cpu")
    own = [run | {"cpu": "own"} for run in runs]
    assert columns(read(json.dumps({"host": host, "results": own}), "run.json"))["cpu"] == ["own"] * 2


def test_lists_whose_objects_say_different_things_and_states_beside_them_are_read() -> None:
    runs = [{"n": 1, "time_s": 2.5, "rss_mb": 9}, {"n": 2, "time_s": 1.5}, {"n": 3, "time_s": 1.25, "rss_mb": 8}]
    table = read(json.dumps({"ok": True, "error": None, "warm": runs[:2], "cold": runs}), "run.json")
    assert columns(table)["rss_mb"] == ["9", "", "8"]


def test_a_name_that_begins_with_a_bracket_is_no_list() -> None:
    sizes = {"64": {f"[B{k}] Append": {"own": k + 1.5, "time_ms": k + 2.5} for k in (1, 2, 3)}}
    assert columns(read(json.dumps(sizes), "run.json"))["name"] == ["[B1] Append", "[B2] Append", "[B3] Append"]


def test_names_of_packages_may_stand_above_columns_between_blanks() -> None:
    rows = "".join(f"CASE {k}      {k + 1}.5ms      {k + 2}.5ms\n" for k in (1, 2, 3))
    text = (
        f"Execution time (median)\n\nscenario    @own/lite  other-lib\n{'-' * 32}\n{rows}\n% faster:\nall in all  +4%\n"
    )
    assert columns(read(text, "run.log"))["@own/lite"] == ["2.5", "3.5", "4.5"]
