"""Tables in forms that people give them: headers over two rows, metrics as rows, tables marked up in documents."""

import json

import pytest

from core.errors import ReadError
from core.ingest import Form, SourceFile, Table, drop, parts_of, read_table


def table(text: str, name: str = "own.csv") -> Table:
    return read_table(SourceFile(name, text.encode()))


def columns(found: Table) -> dict[str, list[str]]:
    return {name: list(cells.texts()) for name, cells in zip(found.names, found.columns, strict=True)}


@pytest.mark.parametrize(
    ("head", "names", "units"),
    [
        (",,Time (ms),,Power (W),\napp,n,mean,std,mean,std", "app n Time_mean Time_std Power_mean Power_std", "ms W"),
        ("app,n,Time (ms),,Power (W),\n,,mean,std,mean,std", "app n Time_mean Time_std Power_mean Power_std", "ms W"),
        (
            ",,Time,Time,Power,Power\n,,mean,std,mean,std\napp,n,,,,",
            "app n Time_mean Time_std Power_mean Power_std",
            "",
        ),
        ("app,n,CPU,CPU,GPU,GPU\n,,t (ms),P (W),t (ms),P (W)", "app n CPU_t CPU_P GPU_t GPU_P", "ms W"),
        ("app,n,Time,,Power,\n,,ms,us,W,mW", "app n Time Time Power Power", "ms us W mW"),
        (",,threads,,,\napp,n,1,2,4,8", "app n threads_1 threads_2 threads_4 threads_8", ""),
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_header_over_two_rows(head: str, names: str, units: str, separator: str) -> None:
    found = table((head + "\ncg,1,10.2,0.1,90.5,2\nmg,2,5.4,0.2,95.5,1\n").replace(",", separator))
    assert [own.split(" (")[0].replace(" ", "_") for own in found.headers] == names.split()
    assert set(filter(None, found.units)) == set(units.split())
    assert [list(cells.texts()) for cells in found.columns][2] == ["10.2", "5.4"]
    assert found.lines.tolist() == [head.count("\n") + 2, head.count("\n") + 3]


@pytest.mark.parametrize("head", ["app,,,", "app,time,time,", "app,1,,2", "app,n,,x\ncg,3,,4"])
def test_a_row_of_trials_is_no_second_header(head: str) -> None:
    with pytest.raises(ReadError):
        table(f"{head}\ncg,1,2,3\nmg,2,3,5\n")


@pytest.mark.parametrize("above", ["Lab 3;;", "Lab 3;;\n;;", '"Lab; 3";;\nmeasured twice;;'])
@pytest.mark.parametrize("separator", [";", ","])
def test_a_title_that_a_spreadsheet_padded_is_none_of_the_names(above: str, separator: str) -> None:
    text = f"{above}\ncores;time (s);note\n1;4.5;\n2;2.25;x\n"
    found = table(text if separator == ";" else text.replace("Lab; 3", "Lab, 3").replace(";", ","))
    assert found.names == ("cores", "time", "note")
    assert found.lines.tolist() == [above.count("\n") + 3, above.count("\n") + 4]
    assert "before the header: " in found.skipped[0].why


def test_a_second_comment_or_a_row_in_brackets_gives_units() -> None:
    for text in (
        "# size  time  bw\n# (MB)  (us)  (GB/s)\n1 10.1 2.2\n2 20.2 2.1\n",
        "size,time,bw\n(MB),(us),(GB/s)\n1,10.1,2.2\n2,20.2,2.1\n",
    ):
        found = table(text)
        assert (found.names, found.units) == (("size", "time", "bw"), ("MB", "us", "GB/s"))
        assert len(found) == 2
    marked = table("n,threads,time,bw\n(elements),(count),(ms),(GB/s)\n1,2,3,4\n2,4,6,8\n")
    assert marked.units == ("elements", "count", "ms", "GB/s")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "threads,1,2,4\ntime (ms),10.1,5.2,2.7\napp,a,a,b\n",
            {"threads": ["1", "2", "4"], "time": ["10.1", "5.2", "2.7"], "app": ["a", "a", "b"]},
        ),
        (
            "Metric;A100;V100;T4\nTime (ms);1,5;2,5;3,5\nCores;108;80;40\n",
            {"name": ["A100", "V100", "T4"], "Time": ["1,5", "2,5", "3,5"], "Cores": ["108", "80", "40"]},
        ),
        (
            "words\n\n| Threads | 1 | 2 | 4 |\n|---|--:|--:|--:|\n| wall (s) | 9.5 | 5 | 3 |\n| speedup | 1x | 1.9x | **3.2x** |\n",
            {"Threads": ["1", "2", "4"], "wall": ["9.5", "5", "3"], "speedup": ["1", "1.9", "3.2"]},
        ),
        (
            "threads  1   2   4\nruntime  9.1 5.2 2.6\n",
            {"threads": ["1", "2", "4"], "runtime": ["9.1", "5.2", "2.6"]},
        ),
    ],
)
def test_rows_that_are_metrics_become_columns(text: str, expected: dict[str, list[str]]) -> None:
    found = table(text)
    assert columns(found) == expected
    assert found.place(0) == "own.csv column 2"
    assert any("rows and columns were exchanged" in warning for warning in found.warnings)
    with_header = read_table(SourceFile("own.csv", text.encode()), Form(header="yes"))
    assert with_header.names != found.names


@pytest.mark.parametrize(
    "text",
    [
        "n/threads,1,2,4\n128,10.1,5.2,2.7\n256,20.1,10.2,5.7\n",
        "benchmark,A100,V100,T4\nsort,1,2,3\nscan,2,3,4\n",
        "metric,mean,std,max\ntime,1.2,0.1,1.4\npower,200,2,210\nthreads,4,0,4\n",
        "phase,1,2,4\ncompute time,10.1,5.2,2.7\ntotal time,10.2,5.4,3.4\n",
        "kernel,threads,time,power\na,1,2,3\nb,2,4,6\n",
        "threads,1,2,4\ntime,10.1,5.2,a\nsize,1,2,4\n",
    ],
)
def test_other_tables_are_not_turned(text: str) -> None:
    assert not any("exchanged" in warning for warning in table(text).warnings)


def test_a_setting_above_variants_names_the_columns() -> None:
    assert table("threads,1,2,4\nmutex,9,8,7\nspin,3,4,5\n").names == ("name", "threads 1", "threads 2", "threads 4")
    several = table("plan,chunk,1,2,4\nstatic,all,9.5,8,7\nguided,10,3,4,5\n").names
    assert several == ("plan", "chunk", "column 1", "column 2", "column 4")
    with pytest.raises(ReadError, match="where a column's name is expected"):
        table("x,y,1,2,3\nz,w,4,5,6\nv,u,1,1,1\n")


HTML = """<!DOCTYPE html><html><body><p>Words.</p><table><tr><th>a</th><td>no number</td></tr></table>
<table border="1" class="dataframe"><thead><tr><th></th><th>kernel</th><th>n</th><th>time (ms)</th></tr></thead><tbody>
<tr><th>0</th><td>a &amp; b</td><td>1</td><td><b>10.2</b></td></tr>
<tr><th>1</th><td>fft</td><td>2</td><td>5.4</td></tr>
</tbody></table><p>2 rows</p></body></html>
"""
LATEX = r"""\begin{table}\caption{Times.}
\begin{tabular}{l@{ }rr} \toprule % a remark & more
Kernel & $n$ & Time [ms] \\ \cmidrule(lr){2-3}
a \& b & 1 & \textbf{10.2} \\[1ex]
fft    & 2 & $5.4$\\ \bottomrule
\end{tabular}
\end{table}
"""
SIMPLE = """Title
=====

======  ==  =========
Kernel  n   time (ms)
======  ==  =========
a & b   1   10.2
fft     2   5.4
======  ==  =========

More words.
"""


@pytest.mark.parametrize(
    ("text", "lines"), [(HTML, [3, 4]), (LATEX, [4, 5]), (SIMPLE, [7, 8]), (SIMPLE[14:].replace("=", "-"), [4, 5])]
)
def test_tables_of_documents(text: str, lines: list[int]) -> None:
    found = table(text)
    assert [name.lower() for name in found.names] == ["kernel", "n", "time"]
    assert [list(cells.texts()) for cells in found.columns] == [["a & b", "fft"], ["1", "2"], ["10.2", "5.4"]]
    assert (found.units[-1], found.lines.tolist()) == ("ms", lines)


def test_cells_over_several_columns_and_rows() -> None:
    html = "<table><tr><th rowspan=2>app<th colspan=2>Time (ms)</tr><tr><th>mean<th>std</tr>"
    html += "<tr><td rowspan=2>a<td>1.5<td>.1</tr><tr><td>2.5<td>.2</tr><tr><td>b<td>3.5<td>.3</tr></table>"
    latex = r"app & \multicolumn{2}{c}{Time (ms)} \\ & mean & std \\ \hline a & $1.5$ & .1 \\ a & 2.5 & .2 \\ b & 3.5 & .3 \\"
    for text in (html, latex):
        found = columns(table(text))
        assert found == {"app": ["a", "a", "b"], "Time mean": ["1.5", "2.5", "3.5"], "Time std": [".1", ".2", ".3"]}


@pytest.mark.parametrize(
    "text",
    [
        "<html><table><tr><td>Log in</td><td><input></td></tr></table></html>",
        "<table><tr><th>a<th>b</tr></table>",
        "one & two \\\\\nthree & four \\\\\nfive & six \\\\\n",
        "Words\n\n=====  ====\n\nmore words of it\n",
        r"\begin{tabular}{ll} a & 1 \\ b & 2",
        "<table" * 1000 + "&\\" * 1000,
    ],
)
def test_documents_without_a_table_of_numbers_are_refused(text: str) -> None:
    with pytest.raises(ReadError):
        table(text)


def test_what_a_cell_of_latex_means() -> None:
    text = r"n & time & speed up\\ 1{,}024 & $10.2 \pm 0.1$ & 1$\times$ \\ 2{,}048 & $5.1 \pm 0.1$ & 2.0$\times$ \\"
    assert columns(table(text)) == {"n": ["1024", "2048"], "time": ["10.2", "5.1"], "speed up": ["1", "2.0"]}


@pytest.mark.parametrize("test", ["pp512", "pp 512"])
def test_the_tokens_of_a_language_models_test_are_a_number(test: str) -> None:
    rows = "".join(f"| llama {size}B | {own} | {t} |\n" for size in (7, 13) for own, t in ((test, 90), ("tg128", 9)))
    found = columns(table(f"| model | test | t/s |\n|---|---|--:|\n{rows}"))
    assert (found["test"], found["test number"]) == (["pp", "tg"] * 2, ["512", "128"] * 2)
    other = table("| model | test | t/s |\n|---|---|--:|\n| a | pp512+tg128 | 9 |\n| b | tg128 | 8 |\n")
    assert (other.names[:2], len(other.names)) == (("model", "test"), 3)


ROWS = {"n": [128, 256, 512], "time": [0.5, 1.5, 4.5]}


@pytest.mark.parametrize(
    "document",
    [
        ROWS,
        {name: {str(i): value for i, value in enumerate(own)} for name, own in ROWS.items()},
        {"columns": [*ROWS], "index": [0, 1, 2], "data": [list(row) for row in zip(*ROWS.values(), strict=True)]},
    ],
    ids=["lists", "to_json", "split"],
)
def test_json_by_columns_is_a_table(document: dict[str, object]) -> None:
    assert columns(table(json.dumps(document), "own.json")) == {
        "n": ["128", "256", "512"],
        "time": ["0.5", "1.5", "4.5"],
    }


def test_what_stands_once_beside_lists_holds_for_all_rows() -> None:
    assert columns(table(json.dumps({"cpu": "Zen 4", **ROWS}), "own.json"))["cpu"] == ["Zen 4"] * 3
    with pytest.raises(ReadError, match="seems to be JSON"):
        table(json.dumps({**ROWS, "time": [0.5]}), "own.json")
    for names, rows in ((["n", "n"], [[1, 2], [2, 3]]), (["n", "time"], [[1, 2.5], [2]])):
        with pytest.raises(ReadError, match="seems to be JSON"):
            table(json.dumps({"columns": names, "data": rows}), "own.json")


def test_results_under_names_beside_what_is_said_of_the_run() -> None:
    results = {f"n{n}": {"time": time, "iters": 100} for n, time in zip(*ROWS.values(), strict=True)}
    found = columns(table(json.dumps({"meta": {"machine": "Zen 4"}, "results": results}), "own.json"))
    assert found == {"name": ["n128", "n256", "n512"], "time": ["0.5", "1.5", "4.5"], "iters": ["100"] * 3}


def test_statistics_alone_are_refused() -> None:
    names = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")
    with pytest.raises(ReadError, match="holds statistics of trials"):
        table(",n,time\n" + "".join(f"{name},{i},{i / 2}\n" for i, name in enumerate(names)))


@pytest.mark.parametrize("form", ["{} ms", "{}", "{}x{}", "a{}=5 b", "{} ({})"])
def test_no_cell_is_so_long_that_reading_it_does_not_end(form: str) -> None:
    cell = form.format(*["1" * 300_000] * 2)  # the square of which would take hours
    found = table("app,n,x\n" + "".join(f'a,{i},"{cell}"\n' for i in range(3)))
    assert len(found) == 3
    assert cell.startswith(next(iter(found.columns[2].texts())))


def test_a_header_of_separators_alone_and_numbers_beyond_all_range() -> None:
    with pytest.raises(ReadError, match="holds no column names"):
        table(",,,,\n" + "zor\tTrue\t3\t5.5\n" * 3, "own.tsv")
    sizes = "".join(f"crc,{n},{i}.5\n" for i, n in enumerate(("8", "1e400", "1e500", "1e600") * 4))
    found = drop(parts_of([SourceFile("own.csv", f"app,n,time_ms\n{sizes}".encode())]))
    assert [c.role for c in found.recognition.tables[0].columns if c.name == "time_ms"] == ["response"]
