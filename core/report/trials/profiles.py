"""What makes a cluster: how many trials, of what, and which components stand out in it."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.report.trials.clusters import Clusters
from core.report.trials.components import Components
from core.trial import ROLES, Frame


@dataclass(frozen=True)
class ClusterProfile:
    """One cluster in words.

    Attributes
    ----------
    number : from 1, largest first
    traits : the components whose mean stands out most, such as "RC2: loads +1.8", in standard
        deviations of all trials
    members : the most frequent names of each role, with their share of the cluster
    response : median of the response in the cluster, in its unit
    """

    number: int
    n_trials: int
    traits: tuple[str, ...]
    members: tuple[str, ...]
    response: float


def cluster_profiles(value: Clusters, components: Components, frame: Frame) -> tuple[ClusterProfile, ...]:
    """Describe every cluster that has trials."""
    roles = [role for role in ROLES if len(set(frame.labels[role])) > 1]
    found = []
    for i in range(len(value.sizes)):
        rows = np.flatnonzero(value.assigned == i)
        if len(rows):
            members = tuple(_most_frequent([frame.labels[role][r] for r in rows]) for role in roles)
            traits = _traits(value.centres[i], components)
            found.append(ClusterProfile(i + 1, len(rows), traits, members, float(np.median(frame.y[rows]))))
    return tuple(found)


def profile_table(profiles: tuple[ClusterProfile, ...], frame: Frame) -> pd.DataFrame:
    """Return a row per cluster."""
    roles = [role for role in ROLES if len(set(frame.labels[role])) > 1]
    columns: dict[str, object] = {
        "cluster": [p.number for p in profiles],
        "trials": [p.n_trials for p in profiles],
        "stands out by (standard deviations)": ["; ".join(p.traits) for p in profiles],
        f"median {frame.response}": [p.response for p in profiles],
    }
    for i, role in enumerate(roles):
        columns[role] = [p.members[i] for p in profiles]
    return pd.DataFrame(columns)


def _traits(centre: FloatArray, components: Components, most: int = 3) -> tuple[str, ...]:
    order = np.argsort(-np.abs(centre), kind="stable")[:most]
    shown = [int(j) for j in order if abs(centre[j]) >= 0.5]
    if not shown:
        return ("near the average trial in everything",)
    signs = ["−" if centre[j] < 0 else "+" for j in shown]
    return tuple(f"{components.titles[j]} {sign}{abs(centre[j]):.1f}" for j, sign in zip(shown, signs, strict=True))


def _most_frequent(texts: list[str], most: int = 3) -> str:
    counts = Counter(text or "(none)" for text in texts)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{text} {100 * n / len(texts):.0f} %" for text, n in ranked[:most]]
    more = f" and {len(ranked) - most} more" if len(ranked) > most else ""
    return ", ".join(parts) + more
