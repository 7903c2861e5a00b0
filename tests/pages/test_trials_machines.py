"""The Trials page: what is known of machines, typed once or taken over from another dataset."""

import math

import pytest
import streamlit as st

from core.trial import Kind, Metric
from tests.pages.test_trials import said, store
from tests.pages.toys import N_MACHINES, sound, toy_import


def known(dataset: str) -> dict[str, list[float]]:
    trials = store().trials(dataset)
    return trials.groupby("machine")["cores"].first().to_dict()


def test_machines_and_how_often_they_were_used(toy, open_page) -> None:
    at = sound(open_page("trials"))
    assert any(e.label == f"{N_MACHINES} machines: what is known of them" for e in at.expander)
    shown = next(d.value for d in at.dataframe if list(d.value.columns) == ["machine", "trials"])
    assert shown["trials"].tolist() == [10] * N_MACHINES


def test_nothing_typed_is_refused(toy, open_page) -> None:
    at = open_page("trials")
    at = at.button(key="keep_machine_values_toy").click().run()
    assert said(at.error) == "A machine metric needs a name and at least one value. Fill in both."
    assert any(e.label.startswith("Imported from") for e in at.expander)


def test_a_value_is_typed_for_some_machines(toy, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "data_editor", lambda shown, **_: shown.assign(value=[math.nan, 80.0, 96.0, math.nan]))
    at = open_page("trials")
    at.text_input(key="machine_metric").set_value(" cores ")
    at.text_input(key="machine_unit").set_value("")
    sound(at.button(key="keep_machine_values_toy").click().run())
    found = known("toy")
    assert (found["gpu1"], found["gpu2"]) == (80.0, 96.0)
    assert math.isnan(found["gpu0"])
    assert {m.name: str(m.kind) for m in store().metric_names("toy")}["cores"] == "machine"
    at.text_input(key="machine_metric").set_value("bytes")
    at = at.button(key="keep_machine_values_toy").click().run()
    assert said(at.error).startswith("'bytes' is a counter metric in dataset 'toy' and belongs to no machine.")


def test_a_value_is_taken_over_from_another_dataset(toy, open_page) -> None:
    store().add("again", toy_import(6))
    store().machines.set("again", "gpu1", {Metric("cores", Kind.MACHINE): 80.0})
    at = sound(open_page("trials", dataset="toy"))
    button = at.button(key="take_over_again_toy")
    assert button.label.replace("\\", "") == "Take over from dataset again what is known of gpu1"
    at = sound(button.click().run())
    assert known("toy")["gpu1"] == 80.0
    assert not [b for b in at.button if b.key == "take_over_again_toy"]


def test_trials_that_do_not_say_where_they_ran(database, open_page) -> None:
    from dataclasses import replace

    made = toy_import()
    trials = replace(made.trials, machine=("",) * len(made.trials))
    store().add("nowhere", replace(made, trials=trials))
    at = sound(open_page("trials"))
    assert any(e.label == "No machine is named" for e in at.expander)
