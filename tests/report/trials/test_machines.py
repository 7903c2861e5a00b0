"""What is known of machines: a row each, and what another dataset could add."""

import numpy as np
import pandas as pd

from core.report.trials.metrics import machine_table, takeover
from core.store.cards import MetricCard
from core.trial import Kind, Metric

CLOCK, TIME = Metric("clock", Kind.MACHINE, "Hz"), Metric("time", Kind.RESPONSE, "s")
TRIALS = pd.DataFrame({"machine": ["b", "a", "", "b"], "clock": [2.0, np.nan, 9.0, 2.0], "time": [1.0, 2.0, 3.0, 4.0]})


def cards(*metrics: Metric) -> list[MetricCard]:
    return [MetricCard(m, 4, 0, 2, 1.0, 2.0) for m in metrics]


def test_a_row_per_machine_with_its_metrics_alone() -> None:
    found = machine_table(TRIALS, cards(CLOCK, TIME))
    assert list(found.columns) == ["machine", "trials", "clock (Hz)"]
    assert found[["machine", "trials"]].to_numpy().tolist() == [["a", 1], ["b", 2]]
    assert np.isnan(found["clock (Hz)"][0])
    assert found["clock (Hz)"][1] == 2.0


def test_offered_is_what_is_unknown_here_and_known_elsewhere() -> None:
    values = machine_table(TRIALS, cards(CLOCK))
    known = {
        "a": ("other", {CLOCK: 1.0}, {}),
        "b": ("other", {CLOCK: 1.0}, {}),
        "c": ("other", {CLOCK: 1.0}, {}),
    }
    assert takeover(["a", "b"], values, known, "here") == {"other": ["a"]}
    assert takeover(["a"], values, {"a": ("here", {CLOCK: 1.0}, {})}, "here") == {}
    assert takeover(["a"], values, {"a": ("other", {}, {"vendor": "x"})}, "here") == {}
