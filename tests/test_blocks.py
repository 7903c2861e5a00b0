"""Tables in blocks of rows: the same numbers as in one piece."""

import numpy as np
import pytest

from core import blocks
from core.passes.base import Features
from core.passes.pca import PCA
from core.passes.scales import Log, Standardize
from core.validate.domain import learn_domain
from core.validate.landmarks import LEVELS, learn_marginals


@pytest.mark.parametrize("shape", [(1, 3), (15, 2), (16, 1), (100, 7), (3000, 5)])
def test_extremes_are_those_of_each_column(shape: tuple[int, int]) -> None:
    X = np.random.default_rng(0).standard_normal(shape)
    low, high = blocks.extremes(X)
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))
    X[-1, 0] = np.nan
    assert np.isnan(blocks.extremes(X)[0][0])


def test_blocks_are_all_rows_in_order() -> None:
    assert blocks.row_blocks(10, 5) == [slice(0, 10)]
    rows = blocks.row_blocks(1000, blocks.BLOCK, least=300)
    assert rows == [slice(0, 300), slice(300, 600), slice(600, 900), slice(900, 1000)]


def test_passes_and_domain_are_the_same_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X = np.exp(rng.standard_normal((700, 6)) * np.array([0.1, 1, 2, 3, 1, 1]))
    X[:, 1] += X[:, 2]
    X[::7, 5] = 0.0
    before = Features(tuple("abcdef"), X)

    def learnt() -> list[np.ndarray]:
        logs = Log().fit(before).features(before)
        scores, pca = Standardize().fit(logs), PCA(components=4).fit(logs)
        domain = learn_domain(X, [""] * 700, X[:, 0])
        return [
            logs.X,
            scores.apply(logs.X),
            pca.apply(logs.X),
            pca.eigenvalues,
            np.abs(domain.directions),
            domain.high,
            np.array(domain.furthest),
        ]

    whole = learnt()
    np.testing.assert_array_equal(whole[0][:, 5], np.log1p(X[:, 5]))
    np.testing.assert_array_equal(whole[0][:, 0], X[:, 0])
    monkeypatch.setattr(blocks, "BLOCK", 6 * 64)
    for one, many in zip(whole, learnt(), strict=True):
        np.testing.assert_allclose(many, one, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 10, 11, 97, 1000])
def test_deciles_are_numpys(n: int) -> None:
    X = np.random.default_rng(n).integers(0, 40, (n, 3)).astype(float)
    found = learn_marginals(X)
    np.testing.assert_array_equal(found.edges, np.quantile(X, LEVELS, axis=0, method="inverted_cdf").T)
    np.testing.assert_array_equal(found.shares, (X.T[:, :, None] <= found.edges[:, None, :]).mean(axis=1))
