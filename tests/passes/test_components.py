"""Components equal R's prcomp and varimax up to sign, and keep what they promise."""

import numpy as np
import pytest

from core.errors import FitError
from core.passes.base import Features
from core.passes.pca import PCA
from core.passes.rotations import Varimax, varimax
from tests.made import matrix

# > X <- make(30, 5, 7); X[, 4] <- X[, 1] + 0.2 * X[, 4]; X[, 5] <- X[, 2] - X[, 3] + 0.1 * X[, 5]
# > q <- prcomp(X, center = TRUE, scale. = TRUE); format(q$sdev, digits = 15); format(t(q$rotation[, 1:3]), digits = 15)
SDEV = [1.561398983673449, 1.298092998877864, 0.926308319735500, 0.127088224886438, 0.052813444612164]
ROTATION = [
    [0.530713340067814, 0.382544352096848, -0.261347042342455],
    [-0.153528926258131, 0.613529886088349, 0.598715487980185],
    [0.472517112150292, -0.148328919499374, 0.697830694307371],
    [0.523081970947911, 0.392597309029061, -0.275676983574697],
    [-0.444842724870809, 0.548731976595595, -0.101350928565793],
]
# > L <- q$rotation[, 1:3] %*% diag(q$sdev[1:3])
# > v <- varimax(L, normalize = TRUE, eps = 1e-14); format(t(unclass(v$loadings)), digits = 12)
VARIMAX = [
    [0.983480330504318, 0.009891297597608, 0.156635190020669],
    [0.053733722448861, 0.998216538191516, -0.000903252888344],
    [0.209480413837299, 0.017943724761762, 0.977262198949854],
    [0.986603460465504, 0.015602338187520, 0.135514029233804],
    [-0.094851361666807, 0.687403695220119, -0.719102937981415],
]
# > w <- varimax(L, normalize = FALSE, eps = 1e-14)
RAW = [
    [0.983346349689107, 0.010080074314185, 0.157462153118733],
    [0.053542135092737, 0.998226876434348, -0.000853725296389],
    [0.208655132691464, 0.017979672816509, 0.977438076556769],
    [0.986486138192593, 0.015791811865886, 0.136343650788963],
    [-0.094379100002486, 0.687388653901418, -0.719179449370003],
]


def data() -> Features:
    X = matrix(30, 5, 7)
    X[:, 3] = X[:, 0] + 0.2 * X[:, 3]
    X[:, 4] = X[:, 1] - X[:, 2] + 0.1 * X[:, 4]
    names = tuple("abcde")
    return Features(names, X, names)


def aligned(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Our columns in their order and with their signs."""
    match = np.abs(ours.T @ theirs).argmax(axis=0)
    found = ours[:, match]
    return found * np.sign((found * theirs).sum(axis=0))


def test_pca_equals_prcomp() -> None:
    fitted = PCA(components=3).fit(data())
    np.testing.assert_allclose(np.sqrt(fitted.eigenvalues), SDEV, rtol=1e-12)
    theirs = np.array(ROTATION)
    np.testing.assert_allclose(aligned(fitted.vectors, theirs), theirs, atol=1e-12)


@pytest.mark.parametrize(("normalize", "theirs"), [(True, VARIMAX), (False, RAW)])
def test_varimax_equals_r(normalize: bool, theirs: list[list[float]]) -> None:
    pca = PCA(components=3).fit(data())
    turned = pca.loadings @ varimax(pca.loadings, normalize=normalize)
    np.testing.assert_allclose(aligned(turned, np.array(theirs)), theirs, atol=2e-6)
    fitted = Varimax(normalize=normalize).fit(pca.features(data()))
    np.testing.assert_allclose(aligned(fitted.loadings, np.array(theirs)), theirs, atol=2e-6)


def test_scores_are_standardised_and_loadings_are_correlations() -> None:
    features = data()
    for step in (PCA(components=3), Varimax()):
        features = step.fit(features).features(features)
        np.testing.assert_allclose(np.corrcoef(features.X.T), np.eye(3), atol=1e-12)
        np.testing.assert_allclose(features.X.std(axis=0, ddof=1), 1)
        both = np.corrcoef(data().X.T, features.X.T)[:5, 5:]
        np.testing.assert_allclose(features.loadings, both, atol=1e-12)


def test_rotation_is_orthogonal_ordered_and_signed() -> None:
    pca = PCA(components=3).fit(data())
    fitted = Varimax().fit(pca.features(data()))
    np.testing.assert_allclose(fitted.rotation.T @ fitted.rotation, np.eye(3), atol=1e-12)
    explained = (fitted.loadings**2).sum(axis=0)
    assert (np.diff(explained) <= 0).all()
    assert (fitted.loadings[np.abs(fitted.loadings).argmax(axis=0), range(3)] > 0).all()


def test_all_components_reconstruct_the_data() -> None:
    fitted = PCA(components=5).fit(data())
    back = fitted.apply(data().X) * np.sqrt(fitted.eigenvalues) @ fitted.vectors.T * fitted.scale + fitted.mean
    np.testing.assert_allclose(back, data().X, atol=1e-12)


@pytest.mark.parametrize(("share", "n"), [(0.4, 1), (0.8, 2), (0.95, 3), (1.0, 5)])
def test_share_of_variance_decides(share: float, n: int) -> None:
    assert PCA(explained=share).fit(data()).n_components == n


def test_more_components_than_trials_are_not_made_up() -> None:
    X = np.random.default_rng(0).standard_normal((4, 9))
    names = tuple("abcdefghi")
    assert PCA(components=9).fit(Features(names, X, names)).n_components == 3


def test_refusals() -> None:
    features = data()
    X = features.X.copy()
    X[:, 1] = 2
    with pytest.raises(FitError, match="'b' is constant"):
        PCA().fit(Features(features.names, X, features.names))
    with pytest.raises(FitError, match="at least 2 trials, got 1"):
        PCA().fit(Features(features.names, features.X[:1], features.names))
    with pytest.raises(FitError, match="put pca before it"):
        Varimax().fit(features)


def test_fewer_components_than_asked_for_are_told() -> None:
    names = tuple("abcdefghi")
    features = Features(names, np.random.default_rng(0).standard_normal((4, 9)), names)
    asked = PCA(components=9)
    assert asked.notes(asked.fit(features)) == (
        "3 components instead of 9, because the metrics vary in no more directions",
    )
    assert PCA(components=3).notes(PCA(components=3).fit(features)) == ()
    assert PCA().notes(PCA().fit(features)) == ()


def test_varimax_raises_its_criterion_and_keeps_communalities() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4)) @ rng.standard_normal((4, 12)) + 0.3 * rng.standard_normal((80, 12))
    names = tuple(f"m{i}" for i in range(12))
    pca = PCA(components=4).fit(Features(names, X, names))
    turned = Varimax().fit(pca.features(Features(names, X, names))).loadings
    np.testing.assert_allclose((turned**2).sum(axis=1), (pca.loadings**2).sum(axis=1), rtol=1e-12)

    def criterion(L: np.ndarray) -> float:
        B = L / np.sqrt((L**2).sum(axis=1))[:, None]
        return float((B**2).var(axis=0).sum())

    assert criterion(turned) > criterion(pca.loadings)
    for _ in range(200):  # no small turn of two components raises it further
        i, j = rng.choice(4, 2, replace=False)
        t = rng.normal(0, 0.1)
        other = turned.copy()
        other[:, i] = np.cos(t) * turned[:, i] + np.sin(t) * turned[:, j]
        other[:, j] = np.cos(t) * turned[:, j] - np.sin(t) * turned[:, i]
        assert criterion(other) <= criterion(turned) + 1e-12
