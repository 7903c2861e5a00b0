"""What is known of machines: a row each, and what another dataset could add."""

from collections.abc import Mapping, Sequence

import pandas as pd

from core.store import MetricCard
from core.trial import Kind, Metric


def machine_table(trials: pd.DataFrame, cards: Sequence[MetricCard]) -> pd.DataFrame:
    """Return a row per machine: its trials, and its machine metrics.

    Parameters
    ----------
    trials : as the store gives them, with a column per metric
    """
    known = [card.metric for card in cards if card.metric.kind is Kind.MACHINE]
    named = trials[trials["machine"] != ""]
    groups = named.groupby("machine", sort=True)
    columns = {str(metric): groups[metric.name].first() for metric in known}
    return pd.DataFrame({"trials": groups.size(), **columns}).reset_index()


def takeover(
    names: Sequence[str],
    values: pd.DataFrame,
    known: Mapping[str, tuple[str, Mapping[Metric, float], Mapping[str, str]]],
    dataset: str,
) -> dict[str, list[str]]:
    """Return by dataset the machines that it knows and of which nothing is known here."""
    here = values.set_index("machine").drop(columns="trials")
    bare = [name for name in names if name not in here.index or here.loc[name].isna().all()]
    found: dict[str, list[str]] = {}
    for name in bare:
        source = known[name][0] if name in known and known[name][1] else dataset
        if source != dataset:
            found.setdefault(source, []).append(name)
    return found
