"""Predicted rows of a file beside what the file measured."""

from core.ingest import SourceFile
from core.recipes.eiger import Eiger
from core.report.model.predictions import predict_file
from core.report.shared.outcome import rows_outcome
from core.trial import Frame


def csv_of(frame: Frame, with_time: bool) -> SourceFile:
    names = [*frame.names, *(["time"] if with_time else [])]
    rows = [
        [*map(repr, x.tolist()), *([repr(float(y))] if with_time else [])]
        for x, y in zip(frame.X, frame.y, strict=True)
    ]
    rows[1][-1] = "" if with_time else rows[1][-1]
    return SourceFile("rows.csv", "\n".join(",".join(r) for r in [names, *rows]).encode())


def test_rows_with_a_measurement_are_scored(frame: Frame) -> None:
    model = Eiger(max_terms=4).fit(frame)
    found = predict_file(model, csv_of(frame, with_time=True))
    outcome = rows_outcome(found, model, "rows.csv")
    assert outcome is not None
    assert len(outcome) == len(frame) - 1
    assert outcome.names[:3] == ("row 1", "row 3", "row 4")
    assert outcome.scores == found.scores
    assert outcome.log == (model.scale.name == "log")


def test_a_file_without_measurements_has_no_outcome(frame: Frame) -> None:
    model = Eiger(max_terms=4).fit(frame)
    assert rows_outcome(predict_file(model, csv_of(frame, with_time=False)), model, "rows.csv") is None
