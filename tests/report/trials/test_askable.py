"""What can be asked of trials: nothing of a space without parameters."""

from dataclasses import replace

from core.ingest import SourceFile, drop, parts_of
from core.report.trials.recognised import askable


def asked(lines: list[str]) -> list[str]:
    """Return the titles of what is asked of a table that is taken for designs."""
    dropped = drop(parts_of([SourceFile("table.csv", "\n".join([*lines, ""]).encode())]), folder=False)
    found = dropped.recognition
    imports = dropped.gathered(found, missing="keep").imports
    return [one.title for one in askable(replace(found, answers=("design_space",)), imports)]


def test_a_design_space_is_asked_of_parameters_that_vary() -> None:
    rows = [f"{t},{u},{t + u}" for t in (1, 2, 4) for u in (1, 2)]
    assert asked(["tile,unroll,time_ms", *rows]) == ["Design space of 2 parameters (6 combinations)"]


def test_no_design_space_is_asked_where_none_varies() -> None:
    rows = [f"m{i},{2 + i / 2},{100 * (i + 1)}" for i in range(6)]
    assert asked(["machine,clock_ghz,time_ms", *rows]) == []


def test_no_combinations_are_counted_where_no_trial_has_all_parameters() -> None:
    rows = [
        f"{op},{t},{'' if op == 'add' else t},{t if op == 'add' else ''}" for op in ("add", "bmm") for t in range(1, 7)
    ]
    assert asked(["op,latency_ms,block_x,block_y", *rows]) == ["Design space of 2 parameters"]
