"""Groups of kernels, the tree that they are cut from, bases as panes."""

import numpy as np
import pytest

from core.report.figures.scaling import base_boxes, base_heat, dendrogram_tree, error_histogram, errors_over_clusters
from core.report.scaling.bases import (
    across_and_up,
    base_sentence,
    base_table,
    branches,
    group_panels,
    grouped,
    groups_table,
    histogram_table,
    panes,
)
from core.report.scaling.kernels import relative, texts_of
from core.scaling.base_map import ClusterCount, base_map
from core.scaling.clusters import KMEANS, WARD, Clustering
from core.scaling.predictors.network import Network
from tests.scaling.made import made_study

STUDY = made_study(15, (2, 3, 2))
OF = relative(STUDY, "time_s", 11)
TREE = Clustering(n_clusters=4, method=WARD).grouped(OF.centred)
MAP = base_map(STUDY, "time_s", Network(n_clusters=3))
TEXTS = texts_of(STUDY.grid, STUDY.axes)


@pytest.mark.parametrize("n", [1, 3, 14])
def test_the_line_cuts_as_many_groups_as_asked_for(n: int) -> None:
    value = grouped(OF, TREE, n)
    found = branches(value)
    assert value.n_groups == n
    assert (TREE.linkage[:, 2] > found.at).sum() == n - 1
    assert sorted(found.leaves) == sorted(OF.names)
    below = found.group >= 0
    assert (found.y[below].max(axis=1) <= found.at).all()
    assert f"cut into {n} clusters" in dendrogram_tree(found).alt


def test_the_largest_group_comes_first_and_has_its_mean() -> None:
    value = grouped(OF, TREE, 4)
    rows = groups_table(value)
    assert rows["kernels"].tolist() == sorted(rows["kernels"], reverse=True)
    assert rows["kernels"].sum() == 15
    own = [OF.names.index(name) for name in value.members(0)]
    assert value.means[0] == pytest.approx(OF.log[own].mean(axis=0))
    panels = group_panels(value, 11, 1)
    assert len(panels) == 4
    assert panels[0].lines[-1].name == "mean"
    assert len(panels[0].lines) == len(own) + 1


def test_kmeans_has_groups_without_a_tree() -> None:
    assert grouped(OF, Clustering(n_clusters=3, method=KMEANS).grouped(OF.centred), 3).tree is None


def test_every_base_is_in_one_pane() -> None:
    found = panes(MAP, 0, 1, STUDY.axes)
    assert [p.title for p in found.panes] == ["mem_gbs 60", "mem_gbs 260"]
    assert sorted(np.concatenate([p.bases for p in found.panes]).tolist()) == list(range(12))
    one = found.panes[0]
    assert MAP.grid[one.bases, 0].tolist() == found.columns[one.column].tolist()
    assert MAP.grid[one.bases, 1].tolist() == found.rows[one.row].tolist()
    assert panes(MAP, 0, 0, STUDY.axes).up == ""
    assert across_and_up(MAP.grid) == (1, 0)  # three clocks, then two of the others
    assert across_and_up(MAP.grid[:1].repeat(2, axis=0) * [[1, 1, 1], [1, 2, 1]]) == (1, 1)


def test_bases_are_drawn_with_their_numbers() -> None:
    picture = base_heat(MAP, panes(MAP, 0, 1, STUDY.axes), 11, TEXTS)
    customs = np.concatenate([np.asarray(trace.customdata) for trace in picture.figure.data])
    assert sorted(customs.tolist()) == list(range(12))
    assert picture.values().iloc[0]["mean error (%)"] == pytest.approx(np.nanmin(MAP.error))
    assert len(base_boxes(MAP, 1, "clock (MHz)").figure.data) == 3
    assert error_histogram(MAP).figure.data[0].y.sum() == pytest.approx(100)


def test_bases_are_told() -> None:
    best = MAP.best_base
    said = base_sentence(MAP, best, TEXTS)
    assert "it is the one chosen" in said
    assert "over folds and seeds" in said
    assert ("none is best" in said) == (len(MAP.as_good) > 1)
    assert TEXTS[(best + 1) % 12] in base_sentence(MAP, (best + 1) % 12, TEXTS)
    assert base_table(MAP)["mean error (%)"].is_monotonic_increasing
    assert histogram_table(MAP)["predictions"].sum() == MAP.n_predictions


def test_errors_over_clusters_are_drawn() -> None:
    picture = errors_over_clusters(
        (ClusterCount(1, 30.0, 30.0), ClusterCount(4, 12.0, 3.0), ClusterCount(8, 13.0, 2.0))
    )
    assert "smallest 12 % with 4" in picture.alt
    assert picture.values()["clusters"].tolist() == [1, 4, 8]
