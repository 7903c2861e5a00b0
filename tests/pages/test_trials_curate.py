"""The Trials page: rules tried, applied and taken back, trials left out by hand, the comparison, the trail."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.trial import Import, Kind, Metric, Trials
from tests.pages.conftest import PATIENT_S
from tests.pages.test_trials import said, store
from tests.pages.toys import sound

N_REPEATS = 8


def noisy_import(kernel: str = "app") -> Import:
    """Twelve applications with eight repeats each; the first run is slow, and one run of the first is an outlier."""
    rng = np.random.default_rng(3)
    size = np.repeat(np.arange(1.0, 13.0), N_REPEATS)
    y = size * 10 * np.exp(0.01 * rng.standard_normal(len(size)))
    y[::N_REPEATS] *= 1.2
    y[5] = 900.0
    trials = Trials(
        application=tuple(f"{kernel}{int(s):02}" for s in size),
        input=("",) * len(size),
        machine=("m",) * len(size),
        metrics=(Metric("size"), Metric("lanes"), Metric("time", Kind.RESPONSE, "us")),
        values=np.column_stack([size * rng.uniform(0.99, 1.01, len(size)), np.full(len(size), 32.0), y]),
    )
    return Import(source=f"{kernel[:9]}.csv", sha256=f"noisy{kernel[:9]}", format="csv", trials=trials)


@pytest.fixture
def noisy(database) -> None:
    store().add("noisy", noisy_import())


def curate(open_page, rule: str = "MAD test", **url: str) -> AppTest:
    return open_page("trials", trials_view="Curate", rule=rule, **url)


def key_of(at: AppTest, start: str) -> str:
    return next(b.key for b in at.button if b.key.startswith(start))


def apply(at: AppTest) -> AppTest:
    return at.button(key=key_of(at, "apply_rule_")).click().run()


def opened(at: AppTest, key: str) -> AppTest:
    at.session_state[key] = True
    return at.run()


def test_trying_a_rule_changes_nothing(noisy, open_page) -> None:
    at = sound(curate(open_page))
    assert "**96 of 96 trials count.**" in said(at.markdown)
    assert "**It would leave out 13 trials of 96.**" in said(at.markdown)
    reasons = next(d.value for d in at.dataframe if "why" in d.value.columns)
    assert ["left out", "app01 · m", 6, 900.0] in reasons[["what", "trial", "run", "time (us)"]].to_numpy().tolist()
    assert {m.label for m in at.metric} == {"Spread of repeats, typical", "Spread, 90th percentile"}
    assert store().measured("noisy").excluded == {}
    assert not store().curation.audit("noisy")


def test_a_rule_is_applied_and_taken_back(noisy, open_page) -> None:
    at = sound(apply(curate(open_page, "Warm-up runs")))
    assert "**84 of 96 trials count.**" in said(at.markdown)
    assert "**Warm-up runs**: 12 trials left out" in said(at.markdown)
    assert "This is in force." in said(at.caption)
    assert not [b for b in at.button if b.key.startswith("apply_rule_")]
    at = sound(at.number_input(key="rule_warmup_runs").set_value(2).run())
    assert at.button(key=key_of(at, "apply_rule_")).label == "Apply it instead"
    at = sound(apply(at))
    assert "**72 of 96 trials count.**" in said(at.markdown)
    at = sound(at.button(key="undo_warmup_noisy").click().run())
    assert "**96 of 96 trials count.**" in said(at.markdown)
    trail = next(d.value for d in at.dataframe if "what" in d.value.columns and "at" in d.value.columns)
    assert trail["what"].tolist() == ["rule taken back", "rule applied", "rule applied"]
    assert trail["trials"].tolist() == [24, 24, 12]


def test_hidden_metrics_are_told_and_come_back(noisy, open_page) -> None:
    at = sound(curate(open_page, "Constant metrics"))
    assert "**It would hide 1 metric.**" in said(at.markdown)
    at = sound(apply(at))
    assert "**Constant metrics**: hides lanes" in said(at.markdown)
    sound(at.button(key="undo_constant_noisy").click().run())
    assert store().curation.hidden("noisy") == ()


def test_a_rule_that_makes_a_metric_can_be_taken_back(database, open_page) -> None:
    made = noisy_import()
    y = made.trials.values[:, 2]
    busy = [Metric("core0_busy", unit="us"), Metric("core1_busy", unit="us")]
    values = np.column_stack([made.trials.values, 0.5 * y, 0.9 * y])
    store().add("sim", replace(made, trials=replace(made.trials, metrics=(*made.trials.metrics, *busy), values=values)))
    at = sound(apply(curate(open_page, "Simulation tail")))
    assert "**Simulation tail**: makes time without tail" in said(at.markdown)
    assert "This is in force." in said(at.caption)
    assert "time without tail" in {m.name for m in store().metric_names("sim")}
    sound(at.button(key="undo_tail_sim").click().run())
    assert "time without tail" not in {m.name for m in store().metric_names("sim")}


def test_a_rule_that_does_not_fit_leaves_the_rest_of_the_view(noisy, open_page) -> None:
    at = curate(open_page, "Simulation tail")
    assert said(at.error).startswith("The pattern 'core{n}_busy' finds 0 metrics")
    assert any(e.label.startswith("Audit trail") for e in at.expander)


@pytest.mark.parametrize(
    ("rule", "key", "value", "sentence"),
    [
        ("Warm-up runs", "rule_warmup_runs", 1000, "It finds nothing here to leave out or to hide."),
        ("Warm-up runs", "rule_warmup_keep", 1000, "It finds nothing here to leave out or to hide."),
        ("MAD test", "rule_mad_threshold", 1e6, "It finds nothing here to leave out or to hide."),
        ("MAD test", "rule_mad_threshold", 0.0, "It would leave out 96 trials of 96."),
        ("Constant metrics", "rule_constant_near", 1.0, "It would hide 2 metrics."),
    ],
)
def test_options_at_their_extremes(noisy, open_page, rule: str, key: str, value: float, sentence: str) -> None:
    at = sound(curate(open_page, rule))
    at = sound(at.number_input(key=key).set_value(value).run())
    assert f"**{sentence}**" in said(at.markdown)


# --- by hand ---


def by_hand(open_page, rows: list[int], reason: str) -> AppTest:
    at = opened(curate(open_page), "by_hand_open")
    key = next(d.proto.id for d in at.dataframe if "left out by" in d.value.columns)
    key = key[key.index("by_hand_") :]
    at.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    at.text_input(key="by_hand_reason").set_value(reason)
    return at.run()


def test_by_hand_with_a_reason_and_back(noisy, open_page) -> None:
    at = by_hand(open_page, [0], "machine was shared")
    assert at.button(key="by_hand_out_noisy").label == "Leave out 1 trial"
    at = sound(at.button(key="by_hand_out_noisy").click().run())
    (out,) = store().curation.exclusions("noisy")
    assert (out.rule, out.reason) == ("by hand", "machine was shared")
    assert store().measured("noisy").column("time")[5] == 900.0
    assert out.trial == store().measured("noisy").ids[5]  # the one furthest from its repeats
    assert at.button(key="by_hand_out_noisy").label == "Leave out 0 trials"  # no tick stays beside another row
    at = by_hand(open_page, [0], "")
    at = sound(at.button(key="by_hand_in_noisy").click().run())
    assert store().curation.exclusions("noisy") == ()


def test_by_hand_without_a_reason_is_refused(noisy, open_page) -> None:
    at = by_hand(open_page, [0, 1], "  ")
    at = at.button(key="by_hand_out_noisy").click().run()
    assert said(at.error) == "Leaving out by hand needs a reason, so that others see why. Give one above."
    assert store().curation.exclusions("noisy") == ()
    assert any(e.label.startswith("Audit trail") for e in at.expander)


# --- what it changes ---


@pytest.mark.parametrize("repeats", ["each", "mean"])
def test_the_comparison(noisy, open_page, repeats: str) -> None:
    from pages._ui import jobs

    at = opened(curate(open_page, "Warm-up runs", repeats=repeats), "compared_open")
    assert "Nothing that a model would see is left out at present" in said(at.caption)
    at = apply(at)
    at.button(key="compare_curation").click().run()
    for job in list(jobs.runner().jobs._jobs.values()):
        assert job.wait(PATIENT_S)
    at = sound(at.run())
    scores = {m.label: m.value for m in at.metric}
    assert scores["Scored"] == ("84 trials" if repeats == "each" else "12 configurations")
    everything, counted = (
        float(scores[name].removesuffix(" %")) for name in ("Mean error, all trials", "Mean error, those that count")
    )
    assert counted < everything


# --- names of thousands of characters ---


def test_long_names_are_kept_whole_and_shown_short(database, open_page) -> None:
    kernel = "void tile<" + ", ".join(map(str, range(1500))) + ">::app"
    assert len(kernel) > 5000
    store().add("long", noisy_import(kernel))
    at = sound(opened(curate(open_page), "by_hand_open"))
    shown = [text for box in at.selectbox for text in box.options] + [t.value for t in (*at.markdown, *at.caption)]
    shown += [str(cell) for d in at.dataframe for cell in d.value.to_numpy().ravel()]
    assert max(map(len, shown)) < 400
    at = sound(open_page("trials", dataset="long"))
    assert max(len(str(cell)) for d in at.dataframe for cell in d.value.to_numpy().ravel()) < 400
    filters = at.multiselect(key="where")
    assert len(filters.options) == len(set(filters.options))
    assert max(map(len, filters.options)) < 100
    at = sound(filters.select(filters.options[0]).run())
    assert "8 trials of 96, filtered" in said(at.caption)
    assert len(store().labels("long")["application"][0]) == len(kernel) + 2


@pytest.mark.parametrize("button", ["apply_rule_noisy", "delete_for_good_noisy"])
def test_a_dataset_deleted_elsewhere(noisy, open_page, button: str) -> None:
    store().add("other", noisy_import("kernel"))
    at = sound(
        open_page("trials", dataset="noisy", rule="MAD test", trials_view="Curate" if "apply" in button else "Dataset")
    )
    store().datasets.delete("noisy")
    at = at.button(key=button).click().run()
    assert not at.exception
    assert at.selectbox(key="dataset").value == "other"
    assert said(at.warning) == (
        "There is no dataset 'noisy' any more: it was deleted or renamed. Another one is shown."
    )
    assert store().measured("other").excluded == {}  # what was meant for one dataset is not done to another


def test_a_response_without_any_value(database, open_page) -> None:
    made = noisy_import()
    metrics = (*made.trials.metrics, Metric("energy", Kind.RESPONSE, "J"))
    values = np.column_stack([made.trials.values, np.r_[1.0, np.full(95, np.nan)]])
    store().add("gaps", replace(made, trials=replace(made.trials, metrics=metrics, values=values)))
    for rule in ("MAD test", "Missing or zero response", "Warm-up runs"):
        at = curate(open_page, rule, dataset="gaps", response="energy")
        assert not at.exception
        assert "96 of 96 trials count" in said(at.markdown)


# --- repeats as one row, on the Model page ---


def test_repeats_as_one_row_on_the_model_page(noisy, open_page) -> None:
    at = sound(open_page("model", dataset="noisy"))
    assert at.selectbox(key="repeats").value == "each"
    whole = said([*at.caption, *at.markdown])
    at = sound(open_page("model", dataset="noisy", repeats="median"))
    assert at.selectbox(key="repeats").value == "median"
    assert "96 trials make 12 rows" in said([*at.caption, *at.markdown]) or "12 trials" in said(
        [*at.caption, *at.markdown]
    )
    assert whole != said([*at.caption, *at.markdown])


def test_datasets_without_repeats_are_not_asked(toy, open_page) -> None:
    at = sound(open_page("model", dataset="toy"))
    assert not [box for box in at.selectbox if box.key == "repeats"]
