"""What a rule says, in names and not in ids; and which metrics rules made."""

from datetime import datetime

import numpy as np

from core.curate import RULES
from core.report.trials.curation import effect
from core.report.trials.repeats import already_made, made_metrics, reasons_table
from core.store.cards import AuditCard
from core.trial import Kind, Measured, Metric

Y = np.array([1.0, 1.01, 0.99, 1.02, 0.98, 9.0])


def measured(*more: tuple[Metric, list[float]]) -> Measured:
    n = len(Y)
    return Measured(
        ids=tuple("abcdef"),
        application=("app",) * n,
        input=("big",) * n,
        machine=("m",) * n,
        configuration=np.zeros(n, dtype=np.int64),
        run=np.arange(1, n + 1),
        metrics=(Metric("lanes"), Metric("time", Kind.RESPONSE, "s"), *(m for m, _ in more)),
        values=np.column_stack([np.full(n, 32.0), Y, *(v for _, v in more)]),
        labels={},
        excluded={},
    )


def test_trials_are_named_by_what_ran() -> None:
    found = effect(measured(), RULES["mad"](), "time")
    (row,) = reasons_table(found, measured()).to_dict("records")
    assert (row["what"], row["trial"], row["run"], row["time (s)"], row["id"]) == (
        "left out",
        "app · big · m",
        6,
        9.0,
        "f",
    )
    assert row["why"].startswith("time 9 s is ")


def test_metrics_are_named() -> None:
    found = effect(measured(), RULES["constant"](), "time")
    assert reasons_table(found, measured())[["what", "metric"]].to_numpy().tolist() == [["hidden", "lanes"]]


def test_nothing_said_is_no_row() -> None:
    assert not len(reasons_table(effect(measured(), RULES["mad"](threshold=1e6), "time"), measured()))


def test_what_rules_made_and_what_is_there_already() -> None:
    busy = [(Metric(f"core{i}_busy", unit="s"), [0.5, 0.6, 0.5, 0.6, 0.5, 4.0 + i]) for i in range(2)]
    plain = measured(*busy)
    said = effect(plain, RULES["tail"](), "time").judgement
    assert not already_made(said, plain)
    (made,) = said.derived
    there = measured(*busy, (made.metric, made.values.tolist()))
    assert already_made(said, there)
    assert not already_made(said, measured(*busy, (made.metric, (made.values + 1).tolist())))

    def card(action: str) -> AuditCard:
        return AuditCard(datetime(2024, 1, 1), action, "tail", "", 0, 1, (), (made.metric.name,))

    assert made_metrics([card("curate")], (), there) == {"tail": [made.metric.name]}
    assert made_metrics([card("curate")], (), plain) == {}
    assert made_metrics([card("uncurate"), card("curate")], (), there) == {}
