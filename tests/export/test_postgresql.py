"""The exported SQL in PostgreSQL, where its programs are here: every kind of operation says what the model says."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.export import EXPORTERS
from core.export._lowered import largest_difference
from core.export._names import identifier, sql_name
from core.export.base import Answers, answers, rows
from core.pipeline import FittedPipeline
from tests.export.exported import model
from tests.export.test_expressions import none_where_no_number

pytestmark = pytest.mark.slow

ROWS = 200
KINDS = (
    "ridge",
    "eiger clusters",
    "eiger-1",
    "splines of three",
    "anova",
    "forest",
    "gradient_boosting",
    "gaussian_process",
    "support_vectors",
    "roofline",
    "eiger refuses",
    "rescaled",
    "blend",
    "stack as it is",
)
"""Each kind of operation, of clusters, of ways back and of blends."""
Query = Callable[[str], str]


@pytest.fixture(scope="module")
def query() -> Iterator[Query]:
    """A server of its own, which listens on a socket in its own folder alone."""
    programs = {name: shutil.which(name) for name in ("initdb", "pg_ctl", "psql")}
    missing = [name for name, path in programs.items() if path is None]
    if missing:
        pytest.skip(f"PostgreSQL is not installed here: no {', '.join(missing)}")
    as_nobody = _as_nobody()
    with tempfile.TemporaryDirectory(prefix="pg-") as place:  # not tmp_path: a socket's path is short
        folder = Path(place)
        if as_nobody:
            shutil.chown(folder, "nobody")

        def run(*command: str, given: str = "") -> str:
            done = subprocess.run(
                [*as_nobody, *command], cwd=folder, input=given, capture_output=True, text=True, timeout=60, check=False
            )
            if done.returncode:
                raise AssertionError((done.stderr or done.stdout)[-2000:])
            return done.stdout

        run("initdb", "-D", "db", "-U", "model", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        settings = f"-k {folder} -c listen_addresses= -c fsync=off -c jit=off"
        run("pg_ctl", "-D", "db", "-w", "-l", "log", "-o", settings, "start")
        connected = ("psql", "-h", place, "-U", "model", "-d", "postgres", "-X", "-qAt", "-F,", "-v", "ON_ERROR_STOP=1")
        try:
            yield lambda text: run(*connected, given=text)
        finally:
            run("pg_ctl", "-D", "db", "-m", "immediate", "stop")


def _as_nobody() -> tuple[str, ...]:
    """Return what stands before a command, as PostgreSQL does not run for root."""
    if os.geteuid():
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL does not run as root, and setpriv is not here")
    return ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")


def _said(query: Query, one: FittedPipeline, X: np.ndarray) -> Answers:
    name = identifier(one.response.name)
    query(EXPORTERS["sql"]().write(one).decode())
    columns = ", ".join(["id", *(sql_name(m.name) for m in one.metrics)])
    lines = "\n".join(",".join([str(i), *map(repr, row)]) for i, row in enumerate(X.tolist()))
    query(f"COPY {name}_rows ({columns}) FROM STDIN (FORMAT csv);\n{lines}\n\\.\n")
    assert query(f"SELECT wrong FROM {name}_self_test;").strip() == "0"
    told = query(f"SELECT prediction, low, high, flags FROM {name}_prediction ORDER BY id;").splitlines()
    value, low, high, flags = np.array([[float(cell or "nan") for cell in line.split(",")] for line in told]).T
    return Answers(value, low, high, flags.astype(int))


@pytest.mark.parametrize("name", KINDS)
def test_postgresql_says_the_same(name: str, query: Query) -> None:
    one = model(name)
    X = rows(one, ROWS)
    found, right = _said(query, one, X), answers(one.alone(), X)
    np.testing.assert_array_equal(found.flags, right.flags)
    assert largest_difference(found, right) <= 1e-12


def test_a_power_that_is_no_number_is_nothing(query: Query) -> None:
    def rows(text: str) -> list[list[float | None]]:
        return [[float(cell) if cell else None for cell in line.split(",")] for line in query(f"{text};").splitlines()]

    none_where_no_number(rows)
