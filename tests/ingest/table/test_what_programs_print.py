"""What programs print of what they measured in ways of their own: no mark behind names, numbers in names, remarks."""

import json

import pytest

from core.ingest import SourceFile, drop, parts_of, read_table
from core.ingest.table.commands import command_of


def columns(text: str, name: str = "out.txt") -> dict[str, list[str]]:
    table = read_table(SourceFile(name, text.encode()))
    return dict(zip(table.names, (list(c.texts()) for c in table.columns), strict=True))


def roles(text: str, name: str = "out.txt") -> dict[str, str]:
    (table,) = drop(parts_of([SourceFile(name, text.encode())])).recognition.tables
    return {column.name: column.role for column in table.columns}


def test_names_between_numbers_with_blanks_alone() -> None:
    found = columns("".join(f"workers {n:02d} begin 0.{n} spentTime {9 / n:.3f} lockTime 0.25\n" for n in (1, 2, 4, 8)))
    assert found["workers"] == ["1", "2", "4", "8"]
    assert found["spentTime"] == ["9.000", "4.500", "2.250", "1.125"]


def test_what_a_line_is_of_may_be_a_phrase_before_names_of_several_words() -> None:
    rows = [
        (kind, way, k * n) for n in (10, 20) for k, (kind, way) in enumerate(((a, b) for a in "xy" for b in "pq"), 1)
    ]
    lines = "".join(f"{kind} with {way}:     Mean Time(us): {t}.5    Moves: {t * 3}\n" for kind, way, t in rows)
    assert columns(f"Items: 10\n{lines}")["tag"][:5] == ["x with p", "x with q", "y with p", "y with q", "x with p"]


@pytest.mark.parametrize("between", ["", "note: the next\n"])
def test_a_name_and_its_number_may_have_a_line_of_their_own(between: str) -> None:
    text = "".join(f"\nRanks {n}\n300x300\nTotal time: {8 / n}s\nInside kernel time {6 / n}s\n" for n in (1, 2, 4))
    found = columns(text + between)
    assert found["Ranks"] == ["1", "2", "4"]
    assert found["Inside kernel time"] == ["6.0", "3.0", "1.5"]


def test_words_alone_are_headings_of_what_was_reached_under_numbers() -> None:
    text = "".join(
        f"{who}\n" + "".join(f"first {n:3d}/64: {n * k}\n" for n in (1, 8, 64)) + "\n"
        for k, who in enumerate(("Eager", "Lazy"), 2)
    )
    found = columns(text)
    assert found["heading"] == ["Eager"] * 3 + ["Lazy"] * 3
    assert (found["first"], found["value"]) == (["1", "8", "64"] * 2, ["2", "16", "128", "3", "24", "192"])


def test_what_ran_stands_before_its_time() -> None:
    found = columns(
        "tiled running time - 0.012 seconds\nplain running time - 0.34 seconds\nvendor running time - 0.006 seconds\n"
    )
    assert found == {"benchmark": ["tiled", "plain", "vendor"], "running time": ["0.012", "0.34", "0.006"]}


def test_a_time_with_its_rate_and_its_parts_below_windows_commands() -> None:
    lines = (
        f"D:\\tools>fft{w}.exe f 12\nFFT<{w},12>: {9 * w} ms = {99 // w} MiB/s,  cpu {8 * w} ms = 98%,  os {w} ms\n"
        for w in (2, 4, 8)
    )
    found = columns("".join(lines))
    assert (found["time"], found["cpu"], found["os"]) == (["18", "36", "72"], ["16", "32", "64"], ["2", "4", "8"])
    assert found["program"] == ["fft2.exe", "fft4.exe", "fft8.exe"]


def test_the_file_of_an_option_is_no_program() -> None:
    assert command_of("> mpirun -hostfile nodes/two.cfg -np 2 bin/sum data/small.bin")[:4] == [
        ("program", "sum"),
        ("hostfile", "nodes/two.cfg"),
        ("np", "2"),
        ("argument 1", "data/small.bin"),
    ]


def test_a_remark_on_a_name_makes_no_other_column_and_numbers_of_headings_are_one() -> None:
    text = "".join(
        f"=== {who} {n} ===\n\nfill timer: 0.0{n}s\n\nsolve timer{on}: 0.{n}1s, iter: {n + 9}\n\n"
        for n in (100, 200, 400)
        for who, on in (("one", ""), ("two", " (GPU)"))
    )
    found = columns(text)
    assert found["solve timer"] == ["0.1001", "0.1001", "0.2001", "0.2001", "0.4001", "0.4001"]
    assert found["heading"] == ["one", "two"] * 3
    assert found["heading number"] == ["100", "100", "200", "200", "400", "400"]


def test_sizes_without_a_name_stand_before_times_with_a_remark_in_a_document() -> None:
    rows = "".join(f"| **`{n}`** | `{n / 3:.2f} us` (✅ **1.00x**) |\n" for n in (32, 64, 128, 256))
    text = f"# Sums\n\n|   | `sum` |\n|:--|:------|\n{rows}"
    assert columns(text, "sums.md") == {
        "column_1": ["32", "64", "128", "256"],
        "sum": ["10.67", "21.33", "42.67", "85.33"],
    }
    assert roles(text, "sums.md") == {"column_1": "parameter", "sum": "response"}


def test_the_only_column_is_what_was_measured() -> None:
    assert roles("".join(f"0.4{k}73\n" for k in range(9))) == {"column_1": "response"}


def test_objects_that_are_alike_inside_of_each_row_are_its_rows() -> None:
    runs = [
        {
            "machine": f"node{m}",
            "results": {
                b: {"plain": {"cpu": 9 * k, "real": 11 * k + m}, "jit": {"cpu": k, "real": 2 * k + m}}
                for k, b in enumerate(("sort", "walk"), 3)
            },
        }
        for m in (1, 2, 3)
    ]
    found = columns(json.dumps(runs), "runs.json")
    assert found["name 1"][:4] == ["sort", "sort", "walk", "walk"]
    assert found["real"][:4] == ["34", "7", "45", "9"]
    assert {**roles(json.dumps(runs), "runs.json")}.items() >= {
        "cpu": "response",
        "real": "response",
        "machine": "machine",
    }.items()
    told = [
        {"n": n, "metrics": {x: {"avg": n * 1.5, "max": n * 2.5, "min": 1.0} for x in ("wait", "send", "read")}}
        for n in (1, 2, 4)
    ]
    assert len(columns(json.dumps(told), "told.json")["n"]) == 3


def test_what_is_remarked_on_a_name_that_stands_beside_it_is_another_column() -> None:
    text = "".join(f"run={k}, cost: {k}.5, cost (peak): {k}.75\nrun={k}, rest: 1\n" for k in range(2, 8))
    assert columns(text)["cost"][:2] != columns(text)["cost (peak)"][:2]


def test_objects_that_say_their_name_keep_the_name_that_they_stand_under() -> None:
    sums = {str(n): [{"name": k, "old_us": n / 7, "new_us": n / 9} for k in ("add", "mul")] for n in (100, 1000)}
    found = columns(json.dumps(sums), "sums.json")
    assert (found["name 1"], found["name"]) == (["100", "100", "1000", "1000"], ["add", "mul"] * 2)


def test_how_long_something_took_below_a_heading_of_words() -> None:
    text = ""
    for w, on in ((32, "off"), (64, "on")):
        text += f"WIDE is {on}\nbegins here\n4M sum{w} took {w}5 μs\n4M mean{w} took {w}6 μs\n"
        text += f"8K dot - mix{w} took {w}7 μs, maxErr = 0.5\n4M root{w} took {w}8 μs\n\n"
    found = columns(text)
    assert found["benchmark"][:4] == ["4M sum32", "4M mean32", "8K dot - mix32", "4M root32"]
    assert found["time"] == ["325", "326", "327", "328", "645", "646", "647", "648"]
    assert found["heading"][::4] == ["WIDE is off", "WIDE is on"]


@pytest.mark.parametrize("mark", "-=─━═")
def test_a_rule_below_names_may_be_drawn_with_any_line(mark: str) -> None:
    rows = "".join(f"fp16   {n:6d} {2 * n:6d} {n / 700:9.3f} {700 + n / 64:8.1f}\n" for n in (512, 1024, 2048, 4096))
    text = f"GPU: Z9 (132 units, 1740 MHz)\n\ntype        M      N   time_ms   TFLOPS\n{mark * 6} {mark * 6}\n{rows}\nBest: 9\n"
    found = columns(text, "gemm.out")
    assert (found["M"], found["N"][1]) == (["512", "1024", "2048", "4096"], "2048")
    assert found["time_ms"][0] == "0.731"
