"""Clusters for looking at, and what each number of them is worth."""

from dataclasses import replace

import numpy as np
import pytest

from core.report.trials.components import (
    SAMPLE,
    cluster_choice,
    clusters,
    components,
    profile_table,
    silhouettes,
    telling,
)
from core.trial import Frame


def _clouds(k: int, n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = 20 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])[:k]
    return np.vstack([c + rng.standard_normal((n, 3)) for c in centres])


def test_silhouettes_are_scikit_learns() -> None:
    from sklearn.metrics import pairwise_distances, silhouette_samples

    Z = _clouds(4, 25, seed=3)
    assigned = clusters(Z, 5).assigned
    distance = pairwise_distances(Z)
    assert silhouettes(distance, assigned) == pytest.approx(silhouette_samples(Z, assigned), abs=1e-12)


def test_a_trial_alone_has_silhouette_0_and_one_cluster_has_none() -> None:
    Z = np.array([[0.0], [0.1], [9.0]])
    distance = np.abs(Z - Z.T)
    assert silhouettes(distance, np.array([0, 0, 1]))[2] == 0
    assert np.isnan(silhouettes(distance, np.zeros(3, dtype=np.int64))).all()


def test_the_best_number_of_clusters_is_that_of_the_clouds() -> None:
    choice = cluster_choice(_clouds(4, 30), most=7)
    assert choice.best == 4
    assert choice.k == tuple(range(1, 8))
    assert np.isnan(choice.silhouette[0])
    assert (np.diff(choice.inertia) < 1e-9).all()


def test_large_data_is_sampled_and_says_so() -> None:
    choice = cluster_choice(_clouds(2, 1500), most=2, restarts=1)
    assert (choice.n_trials, choice.n_sampled) == (3000, SAMPLE)


def test_there_are_no_more_clusters_than_different_trials() -> None:
    Z = np.repeat(np.array([[0.0, 0.0], [1.0, 1.0]]), 5, axis=0)
    assert cluster_choice(Z, most=6).k == (1, 2)
    assert len(clusters(Z, 6).sizes) == 2


def test_members_that_come_once_each_are_counted(frame: Frame) -> None:
    value = components(frame)
    each = replace(frame, labels={**frame.labels, "machine": tuple(f"m{i}" for i in range(len(frame)))})
    found = clusters(value.scores, 2)
    assert profile_table(found, value, each)["machine"].tolist() == [f"{n} different" for n in found.sizes]


def test_profiles_say_what_stands_out(frame: Frame) -> None:
    value = components(frame)
    found = clusters(value.scores, 2)
    table = profile_table(found, value, frame)
    assert table["trials"].sum() == len(frame)
    assert found.texts[0].startswith("cluster ")
    assert list(table["trials"]) == np.bincount(found.assigned).tolist()
    assert {"application", "machine"} <= set(table.columns)
    assert table["stands out by (standard deviations)"].all()


def test_the_components_that_tell_clusters_apart_come_first() -> None:
    rng = np.random.default_rng(0)
    assigned = np.repeat([0, 1, 2], 50)
    scores = rng.standard_normal((150, 4))
    scores[:, 2] += 9 * assigned
    scores[:, 1] += 3 * (assigned == 1)
    assert telling(scores, assigned)[:2].tolist() == [2, 1]
    assert telling(scores, np.zeros(150, dtype=int)).tolist() == [0, 1, 2, 3]
