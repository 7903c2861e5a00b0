"""Columns in other units than a model learnt."""

import numpy as np
import pytest

from core.errors import PredictError
from core.ingest import SourceFile, called_as, in_unit_of, read_table
from core.trial import Kind, Metric

CONVERTED = (
    ("ms", "s", 250.0, 0.25),
    ("s", "us", 0.25, 250_000.0),
    ("KiB", "B", 3.0, 3072.0),
    ("GHz", "MHz", 2.5, 2500.0),
)
SINGLE = (("min", "h", 90.0, 1.5), ("GB/s", "B/s", 2.0, 2e9), ("µs", "us", 7.0, 7.0), ("bytes", "B", 7.0, 7.0))


@pytest.mark.parametrize(("unit", "wanted", "given", "expected"), CONVERTED + SINGLE)
def test_values_are_in_the_unit_that_the_model_learnt(unit: str, wanted: str, given: float, expected: float) -> None:
    metric = Metric("x", Kind.COUNTER, wanted)
    assert in_unit_of(metric, unit, np.array([given]), "a.csv").tolist() == [expected]


@pytest.mark.parametrize(("unit", "wanted", "unsure"), [("ms", "B", ""), ("kB", "B", "kB"), ("B", "MB", "MB")])
def test_what_cannot_be_converted_is_refused(unit: str, wanted: str, unsure: str) -> None:
    reason = f", and {unsure} may be of 1,000 or of 1,024" if unsure else ""
    with pytest.raises(PredictError, match=f"in {unit}, but the model was trained with {wanted}{reason}. Convert"):
        in_unit_of(Metric("x", Kind.COUNTER, wanted), unit, np.ones(1), "a.csv")


def test_a_unit_that_the_name_alone_says_may_have_been_corrected() -> None:
    corrected = Metric("time_s", Kind.RESPONSE, "ms")
    assert in_unit_of(corrected, "s", np.array([3.0]), "a.csv").tolist() == [3.0]
    assert in_unit_of(corrected, "us", np.array([3.0]), "a.csv").tolist() == [0.003]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("size_kib,time (ms)", ("size", "time")),
        ("size_kib,size", ("size_kib", "size")),
        ("size_kib,size_mib", ("size_kib", "size_mib")),
        ("size_ms,time_s", ("size_ms", "time")),
        ("sizes,times", ("sizes", "times")),
    ],
)
def test_columns_called_after_another_unit(header: str, names: tuple[str, ...]) -> None:
    metrics = (Metric("size", Kind.PARAMETER, "B"), Metric("time", Kind.RESPONSE, "s"))
    table = called_as(read_table(SourceFile("a.csv", f"{header}\n1,2\n".encode())), metrics)
    assert table.names == names
    assert ",".join(table.headers) == header


def test_a_level_with_brackets_in_a_header_is_the_models() -> None:
    table = read_table(SourceFile("a.csv", b"size,target=cpu (x86_64),target=gpu (sm_90)\n1,1,0\n"))
    metrics = [Metric(f"target={level}", Kind.PARAMETER) for level in ("cpu (x86_64)", "gpu (sm_90)")]
    assert called_as(table, metrics).names == ("size", *(m.name for m in metrics))
