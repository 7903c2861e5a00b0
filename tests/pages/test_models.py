"""The Models page: what was kept, renamed, deleted, reopened, and predictions for the rows of a file."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.toys import charts, sound, toy_import


def store():
    from pages._ui.database import store

    return store()


def said(texts) -> str:
    return " | ".join(t.value.replace("\\", "").replace("\u2060", "") for t in texts)


def trained(response: str = "time", **options: object):
    """Return a model of the toy trials, tested on held-out applications."""
    from core.recipes import train
    from core.recipes.eiger import Eiger

    frame = store().frame("toy", response, ["instructions", "bytes", "clock"])
    return train(Eiger(max_terms=4, **options), frame, dataset="toy").model


def save(name: str = "my *model*", **options: object) -> bytes:
    from core.codec import to_plain
    from core.export import write_model

    model = trained(**options)
    raw = write_model(model)
    made = model.provenance
    store().save_model(
        name, raw, dataset="toy", recipe=made.recipe, response=model.response.name, n_trials=made.n_trials,
        scores=to_plain(dict(model.validation)), options=to_plain(dict(made.options)),
    )  # fmt: skip
    return raw


@pytest.fixture
def toy(database) -> None:
    store().add("toy", toy_import())


def rows(*columns: str) -> bytes:
    from io import StringIO

    text = StringIO()
    store().trials("toy")[list(columns)].to_csv(text, index=False)
    return text.getvalue().encode()


def predict(open_page, rows: bytes, model: bytes | None = None) -> AppTest:
    at = open_page("models", models_view="Predict from a file")
    if model is not None:
        at.selectbox(key="predict_with").set_value("A model file (JSON)").run()
        at.file_uploader(key="upload_model").set_value(("model.json", model, "application/json")).run()
    if at.error:
        return at
    return at.file_uploader(key="upload_rows").set_value(("rows.csv", rows, "text/csv")).run()


def test_without_models_it_says_where_to_make_one(toy, open_page) -> None:
    at = sound(open_page("models"))
    assert at.info[0].value.startswith("No model has been saved yet.")
    assert [link.proto.label for link in at.get("page_link")][-1] == "Make a model"


def test_a_saved_model_with_options_data_and_scores(toy, open_page) -> None:
    save()
    at = sound(open_page("models"))
    shown = at.dataframe[0].value.loc[0]
    assert shown[["name", "dataset", "response", "recipe", "trials"]].tolist() == [
        "my *model*", "toy", "time", "eiger", 40,
    ]  # fmt: skip
    assert shown["tested with"] == "one application left out at a time"
    assert 0 < shown["median error (%)"] < 50
    assert [m.label for m in at.metric] == ["Median error", "MAPE", "Within 20 %", "R²", "In 90 % interval"]
    assert "trained on 40 trials of dataset toy" in said(at.markdown)
    assert at.code[0].value.startswith("ln(time) = ")
    options = at.dataframe[1].value.set_index("option")["value"]
    assert options["max_terms"] == "4"
    assert options["pool"] == "signed"


def test_the_model_is_chosen_by_the_url(toy, open_page) -> None:
    save("one")
    save("two", threshold=0.02)
    card = next(c for c in store().models() if c.name == "one")
    at = sound(open_page("models", model=f"one · {card.id[:6]}"))
    assert at.subheader[0].value == "one"


def test_an_untested_model_says_so(toy, open_page) -> None:
    from core.export import write_model
    from core.recipes.eiger import Eiger

    frame = store().frame("toy", "time", ["instructions", "bytes", "clock"])
    model = Eiger(max_terms=2).fit(frame)
    store().save_model(
        "bare", write_model(model), dataset="toy", recipe="eiger", response="time", n_trials=40, scores={}, options={}
    )
    at = sound(open_page("models"))
    assert "never tested on unseen trials" in said(at.caption)


def test_rename(toy, open_page) -> None:
    save()
    at = sound(open_page("models"))
    at.text_input(key=f"new_name_{store().models()[0].id}").set_value("better")
    at = sound(at.button(key="rename_model").click().run())
    assert store().models()[0].name == "better"
    assert at.subheader[0].value == "better"


def test_delete_asks_first(toy, open_page) -> None:
    save()
    at = sound(open_page("models"))
    assert "**my *model*** is deleted for good." in said(at.markdown)
    at = sound(at.button(key="delete_model").click().run())
    assert store().models() == ()
    assert at.info[0].value.startswith("No model has been saved yet.")


def test_open_on_the_model_page_sets_its_widgets(toy, open_page) -> None:
    save(threshold=0.02, components=2, pool=("linear",))
    at = open_page("models")
    at.button(key="open_model").click().run()
    sound(at)
    assert at.title[0].value == "Model"
    assert at.selectbox(key="dataset").value == "toy"
    assert at.multiselect(key="metrics").value == ["instructions", "bytes", "clock"]
    assert at.number_input(key="eiger_components").value == 2
    assert at.multiselect(key="eiger_pool").value == ["linear"]
    assert at.select_slider(key="eiger_threshold").value == 0.02


def test_a_model_without_its_dataset_cannot_be_reopened(toy, open_page) -> None:
    save()
    store().delete_dataset("toy")
    at = open_page("models")
    at.button(key="open_model").click().run()
    assert said(at.error) == "Dataset 'toy' is not here any more. Import it again to refit this model."


def test_predictions_are_those_of_the_core(toy, open_page) -> None:
    from core.export import read_model
    from core.ingest import SourceFile
    from core.report.predictions import predict_file

    raw = save()
    given = rows("application", "machine", "instructions", "bytes", "clock")
    at = sound(predict(open_page, given))
    expected = predict_file(read_model(raw), SourceFile("rows.csv", given))
    shown = at.dataframe[0].value
    assert shown["prediction"].tolist() == expected.predictions.value.tolist()
    assert shown["in_domain"].all()
    assert {m.label: m.value for m in at.metric} == {"Rows": "40", "In range": "40", "Refused": "0"}
    assert "no column time, so nothing can be scored" in said(at.caption)


def test_with_the_response_predictions_are_scored_and_drawn(toy, open_page) -> None:
    save()
    at = sound(predict(open_page, rows("application", "machine", "instructions", "bytes", "clock", "time")))
    cards = {m.label: m.value for m in at.metric}
    assert cards["Median error"].endswith("%")
    assert float(cards["R²"]) > 0.5
    assert "predicted time (us)" in charts(at)[0]["layout"]["yaxis"]["title"]["text"]


def test_an_uploaded_model_file_predicts(toy, open_page) -> None:
    raw = save()
    store().delete_model(store().models()[0].id)
    at = sound(predict(open_page, rows("instructions", "bytes", "clock"), model=raw))
    assert {m.label: m.value for m in at.metric}["Rows"] == "40"
    assert "Predicts **time (us)** from 3 metrics" in said(at.markdown)


def test_rows_outside_the_trained_range_say_so(toy, open_page) -> None:
    save()
    at = sound(predict(open_page, b"instructions,bytes,clock\n1e12,50,2\n100,50,2\n"))
    shown = at.dataframe[0].value
    assert shown["in_domain"].tolist() == [False, True]
    assert shown["why"][0].startswith("instructions = 1e+12 is outside the trained")


def test_a_missing_metric_is_named(toy, open_page) -> None:
    save()
    at = predict(open_page, rows("instructions", "bytes"))
    assert said(at.error).startswith("rows.csv does not have 'clock', which the model needs.")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda raw: raw[: len(raw) // 2], "The file is not whole JSON"),
        (lambda raw: b"", "The file is not whole JSON"),
        (lambda raw: b"PK\x03\x04\xff\xfe", "The file is not UTF-8 text, so it is not a model file."),
        (lambda raw: b'{"a": 1}', "The file is JSON, but not a Ridgeline model"),
        (lambda raw: json.dumps(json.loads(raw) | {"version": 99}).encode(), "The model file has version 99"),
        (lambda raw: json.dumps(json.loads(raw) | {"extra": 1}).encode(), "The model file has an unknown field 'extra'"),
    ],
)  # fmt: skip
def test_a_spoilt_model_file_is_refused_in_one_sentence(toy, open_page, spoil, sentence: str) -> None:
    at = predict(open_page, b"", model=spoil(save()))
    assert not at.exception
    assert len(at.error) == 1
    assert said(at.error).startswith(sentence)


def test_predict_with_it_goes_to_the_other_view(toy, open_page) -> None:
    save("one")
    save("two", threshold=0.02)
    at = open_page("models")
    label = at.selectbox(key="model").options[1]
    at.selectbox(key="model").set_value(label).run()
    at = sound(at.button(key="predict_with_it").click().run())
    assert at.selectbox(key="predict_with").value == label


def test_a_large_file_is_predicted_as_a_job(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._models import predict as page
    from pages._ui import jobs

    save()
    monkeypatch.setattr(page, "_LARGE_BYTES", 10)
    at = predict(open_page, rows("instructions", "bytes", "clock"))
    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(10)
    at = sound(at.run())
    assert {m.label: m.value for m in at.metric}["Rows"] == "40"
