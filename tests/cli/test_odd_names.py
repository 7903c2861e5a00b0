"""Names of columns and levels that hold the signs which part an option's values."""

import os
from pathlib import Path

import pytest

from core.cli import main
from core.cli.base import names
from core.errors import OptionError
from core.scaling.study import point_of


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a database whose dataset `odd` has commas and signs in its names, and a model of it."""
    folder = tmp_path_factory.mktemp("odd")
    rows = [
        f'{app},"{way}",{n},{threads},{n * slow / threads}'
        for app in ("bfs<a!=b>", "lu")
        for way, slow in (("fast, safe", 1), ("plain", 3))
        for n in (1, 2, 5)
        for threads in (1, 2, 4)
    ]
    header = 'kernel,"mode, or way",a=b,num_threads,time_ms'
    (folder / "odd.csv").write_text("\n".join([header, *rows]))
    found = str(folder / "odd.duckdb")
    read = ["--parameter", "a=b", "--parameter", "num_threads"]
    assert main(["--db", found, "import", str(folder / "odd.csv"), "--dataset", "odd", *read]) == 0
    return found


def test_names_with_commas_are_read_where_they_are_known() -> None:
    known = {"a,b", "a,b, c", "d"}
    assert names("d, a,b, c,x", known) == ("d", "a,b, c", "x")
    assert names("a,b,d,", known) == ("a,b", "d")
    assert names("a,b,d") == ("a", "b", "d")
    assert names(" , ", known) == ()


def test_names_with_commas_may_stand_in_quotes() -> None:
    assert names('"a,b", c ,"d"') == ("a,b", "c", "d")
    assert names('"a,b, c",d', {"d"}) == ("a,b, c", "d")
    assert names('say "hi", 5" disk,b') == ('say "hi"', '5" disk', "b")


def test_an_axis_may_have_a_comma_in_its_name() -> None:
    assert point_of("L2, MiB=4, clock=1000.5,") == {"L2, MiB": 4, "clock": 1000.5}
    for wrong in ("", "a", "a=", "a=1,b", "a=1,b=x", "=1=2"):
        with pytest.raises(OptionError, match="A configuration is AXIS=VALUE,AXIS=VALUE; got"):
            point_of(wrong)


def test_metrics_may_have_commas_and_designs_are_recommended_of_them(
    db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "model.json")
    chosen = "mode, or way=fast, safe,mode, or way=plain,num_threads,a=b"
    assert main(["--db", db, "fit", "ridge", "--dataset", "odd", "--metrics", chosen, "--out", model]) == 0
    assert main(["--db", db, "designs", "--dataset", "odd", "--model", model]) == 0
    assert "mode, or way fast, safe" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("condition", "n"), [("a=b=2", 12), ("a=b>=2", 24), ("a=b!=2", 24), ("application=bfs<a!=b>", 18), ("a=b = 2", 12)]
)
def test_a_filter_is_of_the_column_that_it_begins_with(
    db: str, condition: str, n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["validate", "ridge", "--dataset", "odd", "--folds", "3", "--where", condition, "--json"]
    assert main(["--db", db, *asked]) == 0
    assert f'"n": {n}' in capsys.readouterr().out


def test_checks_and_rankings_of_machines_take_names_with_commas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f'{machine},"{app}",{n},{n * slow * own}'
        for machine, own in (("a", 1.0), ("b", 1.5))
        for app, slow in (("gemm<float, 4>", 1), ("lu", 3), ("nw", 4))
        for n in (1, 2, 5, 9)
    ]
    table, db, model = (str(tmp_path / name) for name in ("t.csv", "t.duckdb", "model.json"))
    Path(table).write_text("\n".join(['machine,kernel,"size, in rows",time_ms', *rows]))
    assert main(["--db", db, "import", table, "--dataset", "d"]) == 0
    assert main(["--db", db, "machines", "--dataset", "d", "--for", "gemm<float, 4>,lu"]) == 0
    assert main(["--db", db, "fit", "ridge", "--dataset", "d", "--out", model]) == 0
    capsys.readouterr()
    main(["check", model, table, "--by", "size, in rows", "--key", "kernel,size, in rows,machine"])
    assert "of 4 groups (24 configurations)" in capsys.readouterr().out


def test_scaling_takes_counters_with_commas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{app},{n},{app_n * 7 + n},{app_n * 10 / n}" for app_n, app in enumerate("pqrs", 1) for n in (1, 2, 4)]
    table, db = str(tmp_path / "t.csv"), str(tmp_path / "t.duckdb")
    Path(table).write_text("\n".join(['kernel,num_threads,"misses, of l2",time_ms', *rows]))
    assert main(["--db", db, "import", table, "--dataset", "d"]) == 0
    asked = ["scale", "validate", "mean_surface", "--dataset", "d", "--counters", "misses, of l2"]
    assert main(["--db", db, *asked]) == 0
    assert "1 counter" in capsys.readouterr().out


def test_an_import_and_a_study_take_columns_with_commas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{app},{n},{i * 7 + n},{i * 10 / n},{i}" for i, app in enumerate("pqrs", 1) for n in (1, 2, 4)]
    table, db = str(tmp_path / "t.csv"), str(tmp_path / "t.duckdb")
    Path(table).write_text("\n".join(['kernel,"cores, in use","x, or y",time_ms,"power, in W"', *rows]))
    said = ["--parameter", '"cores, in use"', "--ignore", '"x, or y"', "--response", "time_ms"]
    assert main(["--db", db, "import", table, "--dataset", "d", *said, "--response", "power, in W"]) == 0
    read = capsys.readouterr().out
    assert "parameter: cores, in use" in read
    assert "ignored: x, or y" in read
    asked = ["scale", "validate", "mean_surface", "--dataset", "d", "--response", "time_ms"]
    given = ["--base", "cores, in use=2", "--inputs", "power, in W"]
    assert main(["--db", db, *asked, *given]) == 0
    assert "cores, in use=2" in capsys.readouterr().out


def test_a_filter_of_no_column_is_refused(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--db", db, "validate", "ridge", "--dataset", "odd", "--where", "b=a=2"]) == 2
    assert "There is no column 'b' to filter by" in capsys.readouterr().err


def test_a_file_may_be_called_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db, long = str(tmp_path / "a.duckdb"), f"{tmp_path}/{'a' * 300}"
    for command, why in (
        (["inspect", f"{long}.csv"], "cannot be read: File name too long"),
        (["import", f"{long}.csv", "--dataset", "d"], "is no file: its name is too long"),
        (["--db", f"{long}.duckdb", "datasets"], "is no file: its name is too long"),
        (["inspect", ""], "The name of a file is empty"),
    ):
        assert main(command if "--db" in command else ["--db", db, *command]) == 2
        assert why in capsys.readouterr().err
    path = os.fsdecode(bytes(tmp_path) + b"/b\xff.csv")
    Path(path).write_text("app,n,time_s\na,1,2\nb,2,4\nc,3,7\n")
    assert main(["--db", db, "import", path, "--dataset", "d"]) == 0
    assert "b\ufffd.csv: 3 rows" in capsys.readouterr().out
