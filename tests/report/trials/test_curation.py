"""What curation does to a dataset, in values: counts, reasons, spread, repeats in and out."""

from dataclasses import replace

import numpy as np
import pytest

from core.curate import RULES
from core.report.trials.curation import (
    configurations,
    effect,
    repeat_strip,
    spread_change,
    standings,
)
from core.trial import Kind, Measured, Metric
from tests.curate.made import TIME, measured

Y = [9.0, 1.0, 1.1, 1.2, 1.3, 8.0, 2.0, 2.0, 3.0, 5.0]


@pytest.fixture
def m() -> Measured:
    """Six repeats of gemm, the first and the last wild; three of sort; one of scan."""
    return measured(
        {TIME: Y, Metric("n", Kind.PARAMETER): [64.0] * 6 + [128.0] * 4, Metric("loads"): range(10)},
        [0] * 6 + [1] * 3 + [2],
        application=["gemm"] * 6 + ["sort"] * 3 + ["scan"],
    )


def cv(y: list[float]) -> float:
    return 100 * float(np.std(y, ddof=1) / np.mean(y))


def test_an_effect_counts_and_has_the_spread_before_and_after(m: Measured) -> None:
    found = effect(m, RULES["mad"](), "time_s")
    assert list(found.judgement.excluded) == ["t0", "t5"]
    assert (found.rule, found.label, found.response) == ("mad", "MAD test", "time_s")
    assert (found.n_trials, found.n_after, found.n_excluded, found.n_in_force) == (10, 8, 2, 0)
    assert found.before is not None
    assert found.after is not None
    assert found.before.median == pytest.approx(np.median([cv(Y[:6]), cv(Y[6:9])]))
    assert found.after.median == pytest.approx(np.median([cv(Y[1:5]), cv(Y[6:9])]))


def test_an_effect_is_that_of_the_next_rule(m: Measured) -> None:
    """What others exclude stays out; what the rule itself excluded is forgotten."""
    there = replace(m, excluded={"warmup": frozenset({"t0"}), "mad": frozenset({"t1", "t2", "t3"})})
    found = effect(there, RULES["mad"](), "time_s")
    assert (found.n_after, found.n_excluded, found.n_in_force) == (8, 1, 3)
    assert found.before is not None
    assert found.before.median == pytest.approx((cv(Y[1:6]) + cv(Y[6:9])) / 2)


def test_without_a_response_there_is_no_spread(m: Measured) -> None:
    found = effect(m, RULES["warmup"](), "")
    assert (found.before, found.after) == (None, None)
    assert found.n_excluded == 2


def test_several_rules(m: Measured) -> None:
    found = [effect(m, rule, "time_s") for rule in (RULES["warmup"](), RULES["constant"](share=0.6))]
    assert [e.label for e in found] == ["Warm-up runs", "Constant metrics"]
    assert [e.n_excluded for e in found] == [2, 0]
    assert [len(e.judgement.hidden) for e in found] == [0, 1]


def test_what_each_rule_in_force_leaves_out_alone(m: Measured) -> None:
    there = replace(m, excluded={"mad": frozenset({"t0", "t5"}), "by hand": frozenset({"t5"}), "zero": frozenset()})
    assert [(s.rule, s.n_excluded, s.n_alone) for s in standings(there)] == [("by hand", 1, 0), ("mad", 2, 1)]


def test_configurations_with_repeats_most_excluded_first(m: Measured) -> None:
    found = configurations(replace(m, excluded={"mad": frozenset({"t7"})}), "time_s")
    assert [(c.number, c.name, c.n_repeats, c.n_excluded) for c in found] == [
        (1, "sort · gpu · n 128", 3, 1),
        (0, "gemm · gpu · n 64", 6, 0),
    ]
    assert [c.spread for c in found] == pytest.approx([cv([2, 3]), cv(Y[:6])])


def test_repeats_of_one_configuration_in_the_order_measured(m: Measured) -> None:
    there = replace(m, excluded={"warmup": frozenset({"t0"}), "by hand": frozenset({"t0", "t3"})})
    found = repeat_strip(there, "time_s", 0)
    assert found.name == "gemm · gpu · n 64"
    assert found.run.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.y.tolist() == Y[:6]
    assert found.counts.tolist() == [False, True, True, False, True, True]
    assert found.why == ("by hand, warmup", "", "", "by hand", "", "")
    assert found.median == pytest.approx(1.2)
    assert list(found.table().columns) == ["run", "time_s (s)", "counts", "excluded by", "id"]


def test_a_new_judgement_takes_the_place_of_the_rules_old_one(m: Measured) -> None:
    there = replace(m, excluded={"mad": frozenset({"t2"}), "by hand": frozenset({"t3"})})
    judgement = RULES["mad"]().judge(there, "time_s")
    assert repeat_strip(there, "time_s", 0, "mad", judgement).why == ("mad", "", "", "by hand", "", "mad")


def test_where_nothing_counts_there_is_no_median(m: Measured) -> None:
    assert repeat_strip(replace(m, excluded={"zero": frozenset({"t9"})}), "time_s", 2).median is None


def test_the_spread_of_every_configuration(m: Measured) -> None:
    found = spread_change(m, effect(m, RULES["mad"](), "time_s"))
    assert found.before == pytest.approx(sorted([cv(Y[:6]), cv(Y[6:9])]))
    assert found.after == pytest.approx(sorted([cv(Y[1:5]), cv(Y[6:9])]))
