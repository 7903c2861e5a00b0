"""Which machine is best for some workloads, in words and as a table."""

import math

import pandas as pd

from core.errors import count
from core.race.machines import TOTAL, Ranking
from core.race.workloads import Buying
from core.report.shared.naming import HIGH_90, LOW_90, chances, fixed, quantity, row_of, short_number
from core.trial import Metric

SURE = 0.95
_MOST = 3


def machines_sentence(found: Ranking, response: Metric) -> str:
    """Say which machine is best, how probably, and which is the cheapest."""
    first, *others = found.standings
    what, how = count(found.n_workloads, "workload"), "in sum" if found.goal == TOTAL else "in geometric mean"
    said = f"{first.machine} is the best for your {what} with {chances(first.best)}: "
    said += f"{quantity(first.value, response)} {how}"
    if first.low < first.high:
        said += f" (90 %: {short_number(first.low)} to {short_number(first.high)})"
    if others:
        value = quantity(others[0].value, response)
        said += f"; next is {others[0].machine} with {value}, better with {chances(found.beats[1, 0])}"
    cheapest = found.cheapest
    n_priced = sum(math.isfinite(s.cost) for s in found.standings)
    if cheapest is not None and n_priced > 1:
        of = f" of the {n_priced} with a price" if n_priced < len(found.standings) else ""
        said += f". Cheapest{of} is {cheapest.machine} with {chances(cheapest.cheapest)}: {short_number(cheapest.cost)}"
    return f"{said}."


def machines_table(found: Ranking, response: Metric) -> pd.DataFrame:
    """Return a row per machine, the most probably best first."""
    unit = f" ({response.unit})" if response.unit else ""
    rows = [
        {
            "machine": s.machine,
            f"{found.goal}{unit}": s.value,
            **row_of(s, f"{LOW_90}: low | {HIGH_90}: high"),
            "best (%)": 100 * s.best,
            "measured": f"{s.n_measured} of {found.n_workloads}",
            **({"cost": s.cost, "cheapest (%)": 100 * s.cheapest} if found.cheapest else {}),
        }
        for s in found.standings
    ]
    return pd.DataFrame(rows)


def runs_sentence(found: Ranking) -> str:
    """Say which runs would settle most between the two first; nothing where that is settled."""
    first, *others = found.standings
    if not others or not found.runs or found.beats[0, 1] >= SURE:
        return ""
    told = ", ".join(f"{what} on {machine} ({100 * share:.0f} %)" for what, machine, share in found.runs[:_MOST])
    return f"Runs that take most of the doubt between {first.machine} and {others[0].machine}: {told}."


def trust_sentence(found: Ranking) -> str:
    """Say how far predictions were off on what was held out; nothing where all is measured."""
    if not found.trust.n:
        return ""
    what = "applications" if len(found.applications) > 1 else "workloads"
    return (
        f"On {what} held out, {found.trust.n:,} predictions were off by a factor of {_factor(found.trust.error)} "
        "on average."
    )


def buying_sentence(value: Buying) -> str:
    """Say how many runs on a machine are worth buying."""
    at = value.sizes.index(value.enough)
    here, alone = (_factor(float(errors[:, at].mean())) for errors in (value.transfer, value.alone))
    n = f"{value.enough} runs on {value.machine} are" if value.enough > 1 else f"One run on {value.machine} is"
    return (
        f"{n} worth buying: beside those of other machines, predictions of other applications are off by a factor "
        f"of {here} then, without them of {alone}; more take no more off than chance."
    )


def buying_table(value: Buying) -> pd.DataFrame:
    """Return a row per number of runs: factors by which predictions are off."""
    means = (errors.mean(axis=0) for errors in (value.transfer, value.alone))
    rows = zip(value.sizes, *means, strict=True)
    told = [(n, _factor(transfer), _factor(alone)) for n, transfer, alone in rows]
    return pd.DataFrame(told, columns=[f"runs on {value.machine}", "off by, with other machines", "alone"])


def _factor(error: float) -> str:
    return fixed(math.exp(error), 2)
