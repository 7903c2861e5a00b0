"""Tables in forms that people give them: headers over two rows."""

import pytest

from core.errors import ReadError
from core.ingest import SourceFile, Table, read_table


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
