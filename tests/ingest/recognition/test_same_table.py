"""A table means the same however it is written, and beside columns that say nothing."""

import csv
import io
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from core.ingest import SourceFile, drop, parts_of

Rows = list[list[str]]
NOISE = np.random.default_rng(5)


def noisy(value: float) -> str:
    return f"{value * NOISE.lognormal(0, 0.03):.6f}"


def _sweep() -> Rows:
    rows = [
        [f"{n}", f"{tile}", f"{threads}", noisy(n * n / threads), noisy(n / 7), noisy(20 + threads), f"{8 * n * n}"]
        for n in (500, 1000, 3000, 9000)
        for tile in (16, 32, 64)
        for threads in (1, 2, 4, 8)
    ]
    return [["matrix_size", "tile_size", "num_threads", "run_time_s", "l2_misses", "avg_power_w", "data_bytes"], *rows]


def _counted() -> Rows:
    rows = [
        [app, data, noisy(1e6 * k * size), noisy(3e4 * k * size), noisy(5.0 * k * size), noisy(90 * k * size)]
        for k, app in enumerate(("bfs", "lu", "srad", "kmeans", "nw"), start=1)
        for size, data in enumerate(("small", "middle", "large"), start=1)
    ]
    return [["benchmark", "dataset", "instructions", "cache_misses", "elapsed_ms", "energy_mj"], *rows]


def _variants() -> Rows:
    rows = [[str(n), noisy(n * 9.0), noisy(n * 4.0), noisy(n * 2.5)] for n in (100, 200, 400, 800) for _ in range(3)]
    return [["n", "scalar_ns", "vector_ns", "unrolled_ns"], *rows]


def _circuit() -> Rows:
    rows = [
        [str(ways), str(size), noisy(0.1 * ways + size / 900), noisy(size * ways / 700)]
        for ways in (1, 2, 4, 8)
        for size in (32, 64, 128, 256)
    ]
    return [["associativity", "cache_size", "access_time (ns)", "area (mm2)"], *rows]


TABLES = {"a sweep": _sweep(), "a circuit": _circuit(), "applications": _counted(), "variants": _variants()}


def _written(rows: Rows, separator: str = ",", end: str = "\n", quoting: int = csv.QUOTE_MINIMAL) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    return text.getvalue()


def _beside(name: str, value: str) -> Callable[[Rows], str]:
    return lambda rows: _written([[*rows[0], name], *([*row, value] for row in rows[1:])])


def _called(spelt: Callable[[str], str]) -> Callable[[Rows], str]:
    return lambda rows: _written([[*map(spelt, rows[0])], *rows[1:]])


def _mixed(rows: Rows) -> str:
    order = np.random.default_rng(1).permutation(len(rows) - 1)
    return _written([rows[0], *(rows[1 + i] for i in order)])


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def _brackets(name: str) -> str:
    return re.sub(r"_(s|w|ms|mj|ns|bytes)$", r" (\1)", name)


WAYS: dict[str, Callable[[Rows], str]] = {
    "rows in another order": _mixed,
    "semicolons": lambda rows: _written(rows, ";"),
    "decimal commas": lambda rows: _written([[cell.replace(".", ",") for cell in row] for row in rows], ";"),
    "tabs": lambda rows: _written(rows, "\t"),
    "as Windows writes": lambda rows: "\ufeff" + _written(rows, end="\r\n"),
    "quotes": lambda rows: _written(rows, quoting=csv.QUOTE_ALL),
    "comments above": lambda rows: "# measured by run.sh\n# on a Friday\n" + _written(rows),
    "pandas' index": lambda rows: _written([["", *rows[0]], *([str(i), *row] for i, row in enumerate(rows[1:]))]),
    "one host": _beside("hostname", "node01"),
    "one graphics card": _beside("gpu", "NVIDIA A100-SXM4-40GB"),
    "one kernel": _beside("kernel", "gemm"),
    "one commit": _beside("git_commit", "3f2a9c1"),
    "one batch": _beside("batch_size", "32"),
    "no errors": _beside("errors", "0"),
    "all well": _beside("status", "ok"),
    "nothing to remark": _beside("remark", ""),
    "capitals": _called(str.upper),
    "humps": _called(_camel),
    "blanks": _called(lambda name: name.replace("_", " ")),
    "units in brackets": _called(_brackets),
}


def _read(text: str) -> tuple[dict[str, tuple[str, str]], int, Sequence[str]]:
    """Return role and unit by name in lower-case letters, how many trials there are, and what is asked about."""
    found = drop(parts_of([SourceFile("own.csv", text.encode())]))
    columns = found.recognition.tables[0].columns
    told = {re.sub(r"[^a-z0-9]", "", column.name.lower()): (column.role, column.unit or "") for column in columns}
    trials = sum(len(one.trials) for one in found.gathered(missing="keep").imports)
    return told, trials, [question.about for question in found.recognition.questions]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", TABLES)
def test_a_table_means_the_same_however_it_is_written(table: str, way: str) -> None:
    if way == "one kernel" and table == "applications":
        pytest.skip("Another name beside that of the benchmark says what ran, too.")
    columns, trials, asked = _read(_written(TABLES[table]))
    others, trials_then, asked_then = _read(WAYS[way](TABLES[table]))
    for name, told in columns.items():
        same = [own for other, own in others.items() if name.startswith(other) or other == name]
        assert same == [told], name
    assert (trials_then, asked_then) == (trials, asked)
