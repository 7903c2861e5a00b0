"""What every curation rule promises: it answers alike in any order of rows, and minds its own business."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.curate import RULES, Rule
from core.errors import FitError
from core.option import specs
from core.trial import Kind, Measured, Metric
from tests.curate.made import TIME, measured, permuted

OPTIONS = {"tail": {"pattern": "core{n}"}, "constant": {"share": "0.6"}}


def made(rule: str) -> Rule:
    return RULES[rule].parse(OPTIONS.get(rule, {}))


def everything(n_configurations: int = 40, repeats: int = 8, seed: int = 1) -> Measured:
    """Trials in which every rule finds something."""
    rng = np.random.default_rng(seed)
    n = n_configurations * repeats
    configuration = rng.permutation(np.repeat(np.arange(n_configurations), repeats))
    work = 10 ** rng.uniform(0, 3, n_configurations)
    y = work[configuration] * np.exp(0.03 * rng.standard_normal(n))
    y[rng.random(n) < 0.06] *= 3
    cycles = y * 1e9 * np.exp(0.002 * rng.standard_normal(n))
    y[3], y[17] = 0.0, np.nan
    few = np.where(rng.random(n) < 0.1, 2.0, 1.0)
    shares = [f"{s:.2f} %" for s in rng.uniform(5, 100, n)]
    busy = np.nan_to_num(y)[:, None] * rng.uniform(0.5, 1, (n, 3))
    return measured(
        {
            TIME: y,
            Metric("cycles"): cycles,
            Metric("loads"): work[configuration],
            Metric("loads in kB"): work[configuration] * 1024,
            Metric("threads"): few,
            **{Metric(f"core{i}"): busy[:, i] for i in range(3)},
        },
        configuration,
        machine=[f"gpu{k % 2}" for k in configuration],
        labels={"counted share of loads": shares},
    )


def said(rule: Rule, m: Measured) -> tuple[object, ...]:
    """A judgement whose order does not matter."""
    j = rule.judge(m, "time_s")
    derived = {d.metric: {i: v for i, v in zip(m.ids, d.values, strict=True) if np.isfinite(v)} for d in j.derived}
    return j.excluded, j.hidden, j.flagged, derived, j.notes


@pytest.mark.parametrize("name", list(RULES))
def test_it_finds_something_and_says_why(name: str) -> None:
    j = made(name).judge(everything(), "time_s")
    reasons = [why for told in (j.excluded, j.hidden, j.flagged) for why in told.values()]
    assert reasons or j.derived
    assert all(len(r) > 10 and not r.endswith(".") for r in reasons)


@pytest.mark.parametrize("name", list(RULES))
def test_the_order_of_rows_is_irrelevant(name: str) -> None:
    m = everything()
    for seed in range(3):
        shuffled = permuted(m, np.random.default_rng(seed).permutation(len(m)))
        assert said(made(name), shuffled) == said(made(name), m)


@pytest.mark.parametrize("name", list(RULES))
def test_what_it_said_before_does_not_matter(name: str) -> None:
    m = everything()
    before = said(made(name), m)
    again = replace(m, excluded={name: frozenset(m.ids[::3])})
    assert said(made(name), again) == before


@pytest.mark.parametrize("name", list(RULES))
def test_trials_that_another_rule_excludes_are_not_looked_at(name: str) -> None:
    m = everything()
    out = np.arange(len(m)) % 5 == 0
    other = replace(m, excluded={"by hand": frozenset(np.array(m.ids)[out].tolist())})
    found = made(name).judge(other, "time_s")
    assert not set(found.excluded) & other.excluded["by hand"]
    if name == "tail":
        return  # derives a value for every trial, counted or not
    wild = m.values.copy()
    wild[out] = np.random.default_rng(9).lognormal(10, 5, (int(out.sum()), wild.shape[1]))
    assert said(made(name), replace(other, values=wild)) == said(made(name), other)


@pytest.mark.parametrize("name", list(RULES))
def test_it_does_not_change_what_it_judges(name: str) -> None:
    m = everything()
    for array in (m.values, m.configuration, m.run):
        array.flags.writeable = False
    made(name).judge(m, "time_s")


@pytest.mark.parametrize("name", list(RULES))
def test_nothing_and_one_trial_are_judged_too(name: str) -> None:
    m = everything()
    for rows in (np.arange(0), np.arange(1)):
        small = replace(
            permuted(m, rows),
            labels={"counted share of loads": tuple(m.labels["counted share of loads"][i] for i in rows)},
        )
        made(name).judge(small, "time_s")


@pytest.mark.parametrize("name", list(RULES))
def test_options_have_help_and_are_said_in_the_audit_trail(name: str) -> None:
    rule = made(name)
    assert rule.name == name
    assert rule.label
    for spec in specs(type(rule)):
        assert len(spec.help) > 20
        assert f"{spec.name}=" in rule.said("time_s")
    assert ("of time_s" in rule.said("time_s")) == rule.of_response


@pytest.mark.parametrize("name", [n for n in RULES if RULES[n].of_response])
def test_a_response_that_is_not_there(name: str) -> None:
    with pytest.raises(FitError, match="'time_m'"):
        made(name).judge(everything(), "time_m")


@pytest.mark.parametrize("name", [n for n in RULES if not RULES[n].of_response])
def test_rules_that_look_at_no_response(name: str) -> None:
    m = everything()
    values = m.values.copy()
    values[:, 0] = np.random.default_rng(0).random(len(m))
    found = made(name).judge(m, "")
    assert found == made(name).judge(replace(m, values=values), "")
    assert found == made(name).judge(m, "time_s")


@pytest.mark.parametrize("name", [n for n in RULES if n in ("mad", "iqr", "warmup")])
def test_a_configuration_is_judged_by_itself_alone(name: str) -> None:
    """So excluding outliers before folds are dealt leaks nothing: configurations are never split."""
    m = everything()
    mine = m.configuration == 5
    ids = {i for i, own in zip(m.ids, mine, strict=True) if own}
    values = m.values.copy()
    values[~mine] = np.random.default_rng(3).lognormal(0, 9, values[~mine].shape)
    one, other = (made(name).judge(x, "time_s") for x in (m, replace(m, values=values)))
    assert {e for e in one.excluded.items() if e[0] in ids} == {e for e in other.excluded.items() if e[0] in ids}


@pytest.mark.parametrize("name", list(RULES))
def test_tens_of_thousands_of_trials_take_less_than_a_second(name: str) -> None:
    m = everything(4_000, 10)
    started = time.process_time()
    made(name).judge(m, "time_s")
    assert time.process_time() - started < 2  # on a busy machine; some 0.1 s otherwise


def test_a_rule_hides_no_response() -> None:
    n = 30
    same = {Metric("energy_j", Kind.RESPONSE, "J"): np.ones(n), Metric("a"): np.ones(n), TIME: np.arange(n) + 1.0}
    for name in ("constant", "duplicates"):
        hidden = set(RULES[name]().judge(measured(same), "time_s").hidden)
        assert not hidden & {"energy_j", "time_s"}


def test_each_rule_and_option_is_in_the_documentation() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "curation.md").read_text()
    for name, rule in RULES.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{name}` |")]
        for spec in specs(rule):
            value = spec.default
            default = (
                str(value).lower() if isinstance(value, bool) else str(value).replace("e-0", "e-").removesuffix(".0")
            )
            said = f"`{spec.name}`" if isinstance(value, tuple) else f"`{spec.name}` {default}"
            assert said in row, f"{name}: {said}"
