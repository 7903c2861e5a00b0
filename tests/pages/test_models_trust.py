"""The Models page: two models against each other, nearest trained trials, drift, and the policy outside the range."""

from tests.pages.conftest import PATIENT_S
from tests.pages.test_models import predict, rows, said, save
from tests.pages.toys import sound

ALL = ("application", "machine", "instructions", "bytes", "clock", "time")


def test_two_saved_models_are_compared(toy, open_page, monkeypatch) -> None:
    monkeypatch.setattr("pages._ui.jobs._AT_ONCE_S", PATIENT_S)
    save("first")
    save("second", threshold=0.2)
    at = sound(open_page("models", models_view="Compare two"))
    shown = next(d.value for d in at.dataframe if "model" in d.value)
    assert set(shown["model"]) == {"first · v1", "second · v1"}
    assert shown["MAPE (%)"].notna().all()
    assert "more than noise" in said(at.markdown)
    assert "Both learnt again without each fold" in said(at.caption)
    at.selectbox(key="versus_folds").set_value("Do not learn again").run()
    assert "learnt from these very trials" in said(sound(at).caption)


def test_a_row_has_nearest_trials_and_rows_a_verdict(toy, open_page) -> None:
    save()
    given = rows(*ALL)
    at = sound(predict(open_page, given))
    near, moved = (
        next(d.value for d in at.dataframe if column in d.value)
        for column in ("distance (standard deviations)", "drifted")
    )
    assert near["distance (standard deviations)"][0] == 0
    assert near["measured time (us)"].notna().all()
    assert set(moved["metric"]) == {"instructions", "bytes", "clock"}
    assert "new trials lie outside what the model learnt from" in said(at.markdown)
    assert "The row lies inside the trained range." in said(at.markdown)


def test_the_first_row_outside_is_explained(toy, open_page) -> None:
    save()
    at = sound(predict(open_page, b"instructions,bytes,clock\n100,50,2\n1e12,50,2\n"))
    assert at.number_input(key="nearest_row").value == 2
    assert "is outside the trained" in said(at.markdown)


def test_outside_the_range_the_user_decides(toy, open_page) -> None:
    save()
    at = sound(predict(open_page, b"instructions,bytes,clock\n1e12,50,2\n100,50,2\n"))
    clamped = at.dataframe[0].value["prediction"].tolist()
    at.selectbox(key="outside").set_value("refuse").run()
    refused = sound(at).dataframe[0].value
    assert refused["prediction"].isna().tolist() == [True, False]
    assert refused["why"][0].startswith("no prediction: instructions = 1e+12 is outside")
    at.selectbox(key="outside").set_value("flag").run()
    flagged = sound(at).dataframe[0].value["prediction"].tolist()
    assert flagged[0] != clamped[0]
    assert flagged[1] == clamped[1]
