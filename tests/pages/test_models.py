"""The Models page: what was kept, renamed, deleted, reopened, and predictions for the rows of a file."""

import json
from collections.abc import Hashable
from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import PATIENT_S
from tests.pages.toys import charts, choose, press, sound


def store():
    from pages._ui.database import store

    return store()


def said(texts) -> str:
    return " | ".join(t.value.replace("\\", "").replace("\u2060", "") for t in texts)


@cache
def trained(response: str = "time", **options: Hashable):
    """Return a model of the toy trials, tested on held-out applications; the trials are the same in every test."""
    from core.recipes import train
    from core.recipes.eiger import Eiger

    frame = store().frame("toy", response, ["instructions", "bytes", "clock"])
    return train(Eiger(max_terms=4, **options), frame, dataset="toy").model


def save(name: str = "my *model*", **options: Hashable) -> bytes:
    from core.codec import to_plain
    from core.export import write_model

    model = trained(**options)
    raw = write_model(model)
    made = model.provenance
    store().models.save(
        name,
        raw,
        dataset="toy",
        recipe=made.recipe,
        response=model.response.name,
        n_trials=made.n_trials,
        scores=to_plain(dict(model.validation)),
        options=to_plain(dict(made.options)),
    )
    return raw


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
    assert "Make a model" in [link.proto.label for link in at.get("page_link")]


def test_a_saved_model_with_options_data_and_scores(toy, open_page) -> None:
    save()
    at = sound(open_page("models"))
    shown = at.dataframe[0].value.loc[0]
    assert shown[["name", "dataset", "response", "recipe", "learnt from"]].tolist() == [
        "my *model*",
        "toy",
        "time",
        "Eiger",
        "40 trials",
    ]
    assert shown["tested with"] == "one application left out at a time"
    assert 0 < shown["median error (%)"] < 50
    assert [m.label for m in at.metric] == ["Median error", "Mean error", "Within 20 %", "R²", "In 90 % interval"]
    assert "trained on 40 trials of dataset toy" in said(at.markdown)
    assert at.code[0].value.startswith("ln(time) = ")
    options = at.dataframe[1].value.set_index("option")["value"]
    assert options["max_terms"] == "4"
    assert (options["pool"], options["threshold"]) == ("auto", "auto")


def test_models_of_texts_are_compared_on_their_own_trials(toy, open_page) -> None:
    from core.export import write_model
    from core.recipes import make_recipe

    frame, more = store().frame("toy", "time", ["clock", "vendor"]), {"scores": {}, "options": {}, "n_trials": 40}
    for name in ("ridge", "nnls"):
        raw = write_model(make_recipe(name).fit(frame))
        store().models.save(f"toy time {name}", raw, dataset="toy", recipe=name, response="time", **more)
    at = sound(open_page("models", models_view="Compare two"))
    assert "For half of the 40 trials" in said(at.markdown)
    needs = said(sound(open_page("models", models_view="Predict from a file")).markdown)
    assert "clock (GHz), vendor. The CSV" in needs or "clock, vendor. The CSV" in needs


def test_the_model_is_chosen_by_the_url(toy, open_page) -> None:
    save("one")
    save("two", threshold=0.02)
    card = next(c for c in store().models.all() if c.name == "one")
    at = sound(open_page("models", model=f"one · v{card.version}"))
    assert at.header[0].value == "one"


def test_an_untested_model_says_so(toy, open_page) -> None:
    from core.export import write_model
    from core.recipes.eiger import Eiger

    frame = store().frame("toy", "time", ["instructions", "bytes", "clock"])
    model = Eiger(max_terms=2).fit(frame)
    store().models.save(
        "bare", write_model(model), dataset="toy", recipe="eiger", response="time", n_trials=40, scores={}, options={}
    )
    at = sound(open_page("models"))
    assert "never tested on unseen trials" in said(at.caption)


def test_rename(toy, open_page) -> None:
    save()
    at = sound(open_page("models"))
    at.text_input(key=f"new_name_{store().models.all()[0].id}").set_value("better")
    at = sound(at.button(key="rename_model").click().run())
    assert store().models.all()[0].name == "better"
    assert at.header[0].value == "better"


def test_a_link_to_a_version_that_is_gone_says_so_until_another_is_chosen(toy, open_page) -> None:
    save("one")
    save("two")
    at = sound(open_page("models", model="one · v7"))
    gone = "There is no saved model 'one · v7' any more: it was deleted or renamed. Shown is 'two · v1'."
    assert said(at.warning) == gone
    assert said(at.run().warning) == gone
    assert not sound(at.selectbox(key="model").set_value("one · v1").run()).warning


@pytest.mark.parametrize(("view", "key"), [("Compare two", "second_model"), ("Predict from a file", "predict_with")])
def test_other_views_say_what_is_gone_too(toy, open_page, view: str, key: str) -> None:
    save("one")
    save("two")
    at = sound(open_page("models", models_view=view, **{key: "three · v1"}))
    assert "There is no saved model 'three · v1' any more" in said(at.warning)
    assert f"Shown is '{at.selectbox(key=key).value}'" in said(at.warning)
    assert not sound(open_page("models", models_view=view, **{key: "one · v1"})).warning


def test_whoever_deletes_a_model_is_not_told_that_it_is_gone(toy, open_page) -> None:
    save("one")
    save("two")
    at = sound(open_page("models", model="one · v1"))
    at = press(at, "delete_model")
    assert at.selectbox(key="model").value == "two · v1"
    assert not at.warning


def test_a_press_deletes_what_it_named_although_that_is_gone_meanwhile(toy, open_page) -> None:
    save("one")
    save("two")
    save("two", threshold=0.02)
    at = sound(open_page("models", model="two · v1"))
    store().models.delete(next(card.id for card in store().models.all() if (card.name, card.version) == ("two", 1)))
    press(at, "delete_model")
    assert {(card.name, card.version) for card in store().models.all()} == {("one", 1), ("two", 2)}


def test_the_model_of_a_row_stays_in_view_when_another_is_saved(toy, open_page) -> None:
    save("one")
    save("two")
    at = sound(open_page("models"))
    choose(at, "saved_models", rows=[1], columns=[], cells=[])
    assert sound(at.run()).selectbox(key="model").value == "one · v1"
    save("three")
    choose(at, "saved_models", rows=[1], columns=[], cells=[])
    assert sound(at.run()).selectbox(key="model").value == "one · v1"


@pytest.mark.parametrize(
    ("name", "content", "why"), [("pic.png", b"\x89PNG\r\n\x1a\n", "picture"), ("none.csv", b"", "is empty")]
)
def test_any_file_of_rows_is_answered_in_a_sentence(toy, open_page, name: str, content: bytes, why: str) -> None:
    save()
    at = open_page("models", models_view="Predict from a file")
    assert not at.file_uploader(key="upload_rows").proto.type  # else the browser refuses with a mark that says nothing
    at = at.file_uploader(key="upload_rows").set_value((name, content, "")).run()
    assert len(at.error) == 1
    assert why in at.error[0].value


def test_delete_asks_first(toy, open_page) -> None:
    save()
    at = sound(open_page("models"))
    assert "**my *model*** is deleted for good." in said(at.markdown)
    at = press(at, "delete_model")
    assert store().models.all() == ()
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


def test_a_model_of_other_trials_than_those_that_open_says_so(toy, open_page) -> None:
    save()
    at = open_page("models")
    assert not sound(at.button(key="open_model").click().run()).warning
    store().curation.exclude("toy", store().measured("toy").ids[:2], "by_hand", "odd")
    at = open_page("models")
    sound(at.button(key="open_model").click().run())
    assert at.title[0].value == "Model"
    assert said(at.warning).startswith(
        "my *model* · v1 learnt from 40 trials, others than these 38: choose its filters"
    )


def test_a_model_without_its_dataset_cannot_be_reopened(toy, open_page) -> None:
    save()
    store().datasets.delete("toy")
    at = open_page("models")
    at.button(key="open_model").click().run()
    assert said(at.error) == "Dataset 'toy' is not here any more. Import it again to refit this model."


def test_predictions_are_those_of_the_core(toy, open_page) -> None:
    from core.export import read_model
    from core.ingest import SourceFile
    from core.report.model.predictions import predict_file

    raw = save()
    given = rows("application", "machine", "instructions", "bytes", "clock")
    at = sound(predict(open_page, given))
    expected = predict_file(read_model(raw), SourceFile("rows.csv", given))
    shown = at.dataframe[0].value
    assert shown["prediction"].tolist() == expected.predictions.value.tolist()
    assert shown["in_domain"].all()
    assert {m.label: m.value for m in at.metric}.items() >= {"Rows": "40", "In range": "40", "Refused": "0"}.items()
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
    store().models.delete(store().models.all()[0].id)
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
        (lambda raw: b"", "The file is empty"),
        (lambda raw: b"PK\x03\x04\xff\xfe", "The file is no model: neither Ridgeline's JSON"),
        (lambda raw: b'{"a": 1}', "The file is JSON, but not a Ridgeline model"),
        (lambda raw: json.dumps(json.loads(raw) | {"version": 99}).encode(), "The model file has version 99"),
        (
            lambda raw: json.dumps(json.loads(raw) | {"extra": 1}).encode(),
            "The model file has an unknown field 'extra'",
        ),
    ],
)
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
    from pages._ui import jobs

    save()
    monkeypatch.setattr(jobs, "_AT_ONCE_S", 0.0)
    at = predict(open_page, rows("instructions", "bytes", "clock"))
    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(PATIENT_S)
    at = sound(at.run())
    assert {m.label: m.value for m in at.metric}["Rows"] == "40"


@pytest.fixture(scope="module")
def scaling() -> tuple:
    """A scaling model of made kernels, and a CSV of two of them."""
    from core.scaling.race import fit_scaling, predictor_named
    from tests.scaling.made import made_study

    study = made_study(24, (2, 3, 2))
    model = fit_scaling(study, predictor_named("nearest_kernels"), folds="kfold:3", dataset="study")
    lines = ["kernel,time_s,power_w,flops,bytes,valu_busy"]
    lines += [f"{study.kernels[k]},{study.values[0, k, 11]},{study.values[1, k, 11]},1e9,1e8,50" for k in (0, 1)]
    return model, "\n".join(lines).encode()


def save_scaling(model) -> bytes:
    from core.report.scaling.race import card_values
    from core.scaling.model_file import write_scaling

    raw = write_scaling(model)
    store().models.save("my *curves*", raw, **card_values(model))
    return raw


def test_a_scaling_model_stands_among_the_others(toy, open_page, scaling) -> None:
    save()
    save_scaling(scaling[0])
    at = sound(open_page("models"))
    rows = at.dataframe[0].value.set_index("name")
    assert rows.loc["my *curves*", ["response", "recipe", "learnt from"]].tolist() == [
        "time_s, power_w",
        "scaling",
        "24 kernels",
    ]
    assert rows.loc["my *curves*", "MAPE (%)"] == pytest.approx(scaling[0].answers[0].mape)
    assert at.header[0].value.replace("\\", "") == "my *curves*"  # the newest is in front
    assert "12 configurations: cores 4 to 32, clock_mhz 300 to 1000 MHz" in said(at.markdown)
    assert at.dataframe[1].value["predictor"].tolist() == ["nearest_kernels", "nearest_kernels"]
    press(at, "delete_model")
    assert [card.recipe for card in store().models.all()] == ["eiger"]


@pytest.mark.parametrize("saved", [True, False])
def test_a_scaling_model_predicts_the_kernels_of_a_file(toy, open_page, scaling, saved: bool) -> None:
    from core.ingest import SourceFile
    from core.scaling.model_file import read_kernels

    model, table = scaling
    raw = save_scaling(model)
    at = sound(open_page("models", models_view="Predict from a file"))
    if not saved:
        at.selectbox(key="predict_with").set_value("A model file (JSON)").run()
        at.file_uploader(key="upload_model").set_value(("model.json", raw, "application/json")).run()
    assert "CSV needs a row per kernel" in said(sound(at).markdown)
    sound(at.file_uploader(key="upload_kernels").set_value(("new.csv", table, "text/csv")).run())
    shown = at.dataframe[0].value
    assert len(shown) == 2 * 12
    expected = [model.predict(k) for k in read_kernels(SourceFile("new.csv", table), model)]
    assert shown["time_s"].tolist() == pytest.approx([x for p in expected for x in p.surfaces["time_s"].value.tolist()])
    at.file_uploader(key="upload_kernels").set_value(("bad.csv", b"kernel,power_w\nx,60\n", "text/csv")).run()
    assert "bad.csv has no column 'time_s'" in said(at.error)


def test_a_scaling_model_without_its_dataset_still_predicts_files(toy, open_page, scaling) -> None:
    save_scaling(scaling[0])
    at = open_page("models")
    at.button(key="open_model").click().run()
    assert said(at.error) == "Dataset 'study' is not here any more. Predict the kernels of a file with this model."


def test_a_second_save_under_a_name_is_its_next_version(toy, open_page) -> None:
    save("m")
    save("m", threshold=0.02)
    at = sound(open_page("models"))
    assert at.dataframe[0].value[["name", "version"]].values.tolist() == [["m", 2]]
    assert at.header[0].value.replace("\\", "") == "m · version 2"
    at = sound(at.toggle(key="older_models").set_value(True).run())
    assert at.dataframe[0].value["version"].tolist() == [2, 1]
    at = sound(open_page("models", model="m · v1"))
    assert at.header[0].value.replace("\\", "") == "m · version 1"
    at = sound(at.button(key="version_2").click().run())
    assert at.header[0].value.replace("\\", "") == "m · version 2"


def test_all_versions_are_deleted_together_or_one(toy, open_page) -> None:
    save("m")
    save("m", threshold=0.02)
    save("other", threshold=0.05)
    at = open_page("models", model="m · v2")
    at = press(at, "delete_model")
    assert {(c.name, c.version) for c in store().models.all()} == {("m", 1), ("other", 1)}
    save("m", threshold=0.1)
    at = open_page("models", model="m · v2")
    press(at, "delete_versions")
    assert {c.name for c in store().models.all()} == {"other"}


def test_search_finds_words_anywhere(toy, open_page) -> None:
    save("one")
    save("two", threshold=0.02)
    store().models.note(next(c.id for c in store().models.all() if c.name == "one"), "for the Cluster in Basel")
    at = open_page("models")
    at = sound(at.text_input(key="find_model").set_value("basel eiger").run())
    assert at.dataframe[0].value["name"].tolist() == ["one"]
    at = sound(at.text_input(key="find_model").set_value("nowhere").run())
    assert said(at.info) == "No saved model has “nowhere”."


def test_a_note_is_kept_and_shown(toy, open_page) -> None:
    save()
    id = store().models.all()[0].id
    at = open_page("models")
    at.text_area(key=f"note_{id}").set_value("Do *not* use for laptops.")
    at = sound(at.button(key="keep_note").click().run())
    assert store().models.all()[0].note == "Do *not* use for laptops."
    assert at.dataframe[0].value["note"].tolist() == ["Do *not* use for laptops."]


def test_two_models_compared(toy, open_page) -> None:
    save("one")
    save("two", threshold=0.05, pool=("linear",))
    at = sound(open_page("models", models_view="Compare two"))
    assert [at.selectbox(key=k).value for k in ("first_model", "second_model")] == ["two · v1", "one · v1"]
    assert at.dataframe[0].value.columns.tolist() == ["score", "two · v1", "one · v1", "unit", "meaning"]
    options = next(t.value for t in at.table if "Threshold" in t.value.index)
    assert [text.replace("\\", "") for text in options.loc["Threshold"]] == ["0.05", "auto"]
    assert [text.replace("\\", "") for text in options.loc["Pool"]] == ["linear", "auto"]
    assert "Seed" not in options.index
    assert len([c for c in at.code if c.value.startswith("ln(time) = ")]) == 2
    assert "For half of the 40 trials they are within" in said(at.markdown)
    assert "one · v1" in charts(at)[0]["layout"]["yaxis"]["title"]["text"]
    at = sound(at.toggle(key="compare_all").set_value(True).run())
    assert any("Seed" in t.value.index for t in at.table)


def test_one_model_alone_is_not_compared(toy, open_page) -> None:
    save()
    at = sound(open_page("models", models_view="Compare two"))
    assert said(at.info).startswith("Two saved models are needed")


EIGER = b"2\ninstructions\nbytes\n[1](1.0)\n[1](2.0)\n[2,1]((1.0),(0.5))\nModel 0\n[1](0.0)\n[2](3.0, 2.0)\n0\n1 0 2\n"


def test_a_model_of_the_original_eiger_becomes_a_saved_one_that_predicts(toy, open_page) -> None:
    at = open_page("models", models_view="Upload a model")
    at = sound(at.file_uploader(key="upload_saved_model").set_value(("gold.model", EIGER, "text/plain")).run())
    assert "predicts **response** from 2 metrics: instructions, bytes." in said(at.success)
    at = sound(at.button(key="save_upload").click().run())
    card = store().models.all()[0]
    assert (card.name, card.version, card.note) == ("gold", 1, "From the file gold.model.")
    assert at.header[0].value == "gold"
    at = sound(at.button(key="predict_with_it").click().run())
    shown = {m.label: m.value for m in at.metric}
    assert shown["response"] == f"{3 + 2 * 1.5**2:.3g}"
    at = sound(at.number_input[0].set_value(9.0).run())
    assert {m.label: m.value for m in at.metric}["response"] == f"{3 + 2 * 9.5**2:.3g}"
    at = sound(
        at.file_uploader(key="upload_rows").set_value(("rows.csv", b"instructions,bytes\n1,2\n", "text/csv")).run()
    )
    assert at.dataframe[0].value["prediction"].tolist() == [3 + 2 * 2.0**2]


def test_an_upload_under_a_name_that_exists_says_which_version_it_becomes(toy, open_page) -> None:
    raw = save("rows")
    at = open_page("models", models_view="Upload a model")
    at = at.file_uploader(key="upload_saved_model").set_value(("rows.json", raw, "application/json")).run()
    assert "There is a model rows already; this becomes version 2 of it." in said(at.caption)


def test_hostile_uploads_are_refused_in_a_sentence(toy, open_page) -> None:
    at = open_page("models", models_view="Upload a model")
    at = at.file_uploader(key="upload_saved_model").set_value(("x.json", b'{"format":', "application/json")).run()
    assert not at.exception
    assert said(at.error).startswith("The file is not whole JSON")


def test_every_form_of_a_model_is_shown_or_refused_with_a_reason(toy, open_page) -> None:
    from core.export import EXPORTERS

    save("m")
    at = sound(open_page("models"))
    offered = at.selectbox(key="export_to").options
    assert len(offered) > 5
    for label in offered:
        at = sound(at.selectbox(key="export_to").select(label).run())
        assert any(b.proto.label.startswith("Download m_") for b in at.get("download_button"))
    refused = [
        m.value
        for m in at.markdown
        if any(m.value.replace("\\", "").startswith(f"**{e.label}**") for e in EXPORTERS.values())
    ]
    assert len(offered) + len(refused) == len(EXPORTERS)


def test_a_proof_is_a_job_whose_outcome_is_said(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.export import EXPORTERS
    from pages._models import manage as page
    from pages._ui import jobs

    monkeypatch.setattr(page, "_PROVEN", 50)
    save("m")
    at = open_page("models")
    python = f"{EXPORTERS['python'].label} ({EXPORTERS['python'].suffix})"
    at = sound(at.selectbox(key="export_to").select(python).run())
    at = at.button(key="prove_export").click().run()
    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(PATIENT_S)
    at = sound(at.run())
    assert "It says the same as the model: 50 rows, largest relative difference" in said(at.success)


def test_an_uploaded_scaling_model_becomes_a_saved_one(toy, open_page, scaling) -> None:
    from core.scaling.model_file import write_scaling

    model, _ = scaling
    at = open_page("models", models_view="Upload a model")
    raw = write_scaling(model)
    at = sound(at.file_uploader(key="upload_saved_model").set_value(("gpu.json", raw, "application/json")).run())
    assert "A model of how time_s" in said(at.success)
    at = sound(at.button(key="save_upload").click().run())
    card = store().models.all()[0]
    assert (card.name, card.recipe, card.note) == ("gpu", "scaling", "From the file gpu.json.")
    assert store().models.get(card.id) == raw


def test_predicted_rows_are_numbered(toy, open_page) -> None:
    save("one")
    shown = sound(predict(open_page, rows(*trained().names))).dataframe[0].value
    assert shown["row"].tolist() == list(range(1, len(shown) + 1))
    assert next(iter(shown.columns)) == "row"


def test_a_prediction_by_hand_says_why_once_asked(toy, open_page) -> None:
    save()
    at = open_page("models", models_view="Predict from a file")
    assert "Shapley values" not in said(at.caption)
    assert not charts(at)
    at = sound(at.toggle(key="by_hand_why").set_value(True).run())
    assert "Shapley values" in said(at.caption)
    assert "training trials that the model keeps" in said(at.caption)
    assert len(charts(at)) == 1
