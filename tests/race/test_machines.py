"""Machines ranked for workloads: against the plain conditional normal, on tables whose truth is known, and refused."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, OptionError
from core.race.machines import GEOMEAN, TOTAL, _shares, rank
from core.race.workloads import Across, Workloads, buying, learn, workloads
from core.report.compare.machines import machines_sentence, trust_sentence
from core.trial import Frame, Kind, Metric, make_frame

COVARIANCE = 0.04 * np.array([[1.0, 0.9, 0.0, 0.0], [0.9, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.5], [0.0, 0.0, 0.5, 1.0]])


def made(n: int = 240, missing: float = 0.4, seed: int = 0, apart: float = 1.0) -> tuple[Workloads, np.ndarray]:
    """Workloads of 60 applications on four machines, and the truth behind what was measured."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), rng.standard_normal(n)])
    slopes = apart * np.array([[0.0, 0.3, 0.6, 1.0], [0.0, 0.1, -0.2, 0.3]])
    truth = 3 * rng.standard_normal((n, 1)) + X @ slopes + rng.multivariate_normal(np.zeros(4), COVARIANCE, n)
    noise = np.full((n, 4), 1e-6)
    Z = truth + 1e-3 * rng.standard_normal(truth.shape)
    gone = rng.random(Z.shape) < missing
    gone[:, 0] = False
    names = tuple(f"w{i}" for i in range(n))
    return Workloads(
        names, tuple(f"a{i % 60:02d}" for i in range(n)), tuple("ABCD"), np.where(gone, np.nan, Z), noise, X
    ), truth


def frame_of(found: Workloads) -> Frame:
    rows, columns = np.nonzero(np.isfinite(found.Z))
    labels = {
        "application": tuple(found.applications[i] for i in rows),
        "input": tuple(found.names[i] for i in rows),
        "machine": tuple(found.machines[j] for j in columns),
    }
    x = found.X[rows, 1:]
    return make_frame(
        x,
        np.exp(found.Z[rows, columns]),
        [Metric("x", Kind.DETERMINISTIC)],
        Metric("time", Kind.RESPONSE, "s"),
        labels=labels,
    )


def test_what_is_told_is_the_conditional_normal_with_a_flat_size() -> None:
    """Contrasts against the first machine know no size: their normal distribution, conditioned by the textbook."""
    of = Across(np.zeros((1, 4)), COVARIANCE, 1e6)
    z, noise = np.array([[1.0, 1.4, np.nan, np.nan]]), np.full((1, 4), 0.01)
    mean, covariance = of.told(z, noise, np.ones((1, 1)))
    seen, C = COVARIANCE[:2, :2] + 0.01 * np.eye(2), COVARIANCE
    size = np.linalg.inv(seen).sum(axis=0) @ z[0, :2] / np.linalg.inv(seen).sum()
    gain = C[2:, :2] @ np.linalg.inv(seen)
    expected = size + gain @ (z[0, :2] - size)
    assert mean[0, 2:] == pytest.approx(expected, abs=1e-4)
    ones = np.ones((2, 1)) - gain @ np.ones((2, 1))
    left = C[2:, 2:] - gain @ C[:2, 2:] + ones @ ones.T / np.linalg.inv(seen).sum()
    assert covariance[0, 2:, 2:] == pytest.approx(left, abs=1e-4)


def test_covariances_of_contrasts_and_slopes_are_found() -> None:
    found, _ = made(2000, 0.3)
    learnt = learn(found.Z, found.noise, found.X)
    D = np.array([[-1.0, 1, 0, 0], [-1, 0, 1, 0], [-1, 0, 0, 1]])
    assert D @ learnt.covariance @ D.T == pytest.approx(D @ COVARIANCE @ D.T, abs=0.008)
    assert D @ learnt.slopes[1] == pytest.approx([0.1, -0.2, 0.3], abs=0.03)


@pytest.mark.slow
def test_chances_are_shares_of_the_truth() -> None:
    """Of statements "A beats B" on what was hidden, by tenths of their probability."""
    said, true = [], []
    for seed in range(2):
        found, truth = made(seed=seed, apart=0.2)
        for k in range(0, 60, 3):
            rows = found.rows_of([f"a{k:02d}"])
            Z = found.Z.copy()
            Z[rows, 1:] = np.nan
            hidden = Workloads(found.names, found.applications, found.machines, Z, found.noise, found.X)
            ranking = rank(frame_of(hidden), [f"a{k:02d}"], seed=seed)
            right = np.exp(truth[rows]).sum(axis=0)
            order = [found.machines.index(s.machine) for s in ranking.standings]
            for i in range(4):
                for j in range(4):
                    if i != j:
                        said.append(ranking.beats[i, j])
                        true.append(right[order[i]] < right[order[j]])
    tenth = np.minimum((np.array(said) * 10).astype(int), 9)
    off = [
        np.mean(np.array(said)[tenth == k]) - np.mean(np.array(true)[tenth == k])
        for k in range(10)
        if (tenth == k).sum() >= 40
    ]
    assert len(off) >= 6
    assert np.abs(off).max() < 0.15


def test_what_is_measured_everywhere_is_settled() -> None:
    found, truth = made(60, 0.0)
    ranking = rank(frame_of(found), ["a00", "a01"], prices={"A": 1.0, "D": 0.01})
    right = np.exp(truth[found.rows_of(["a00", "a01"])]).sum(axis=0)
    assert ranking.standings[0].machine == found.machines[int(right.argmin())]
    assert ranking.standings[0].best > 0.99
    assert ranking.standings[0].value == pytest.approx(right.min(), rel=0.02)
    assert ranking.cheapest is not None
    assert ranking.cheapest.machine == "D"
    metric = Metric("time", Kind.RESPONSE, "s")
    assert "Cheapest of the 2 with a price is D" in machines_sentence(ranking, metric)
    assert "Cheapest" not in machines_sentence(rank(frame_of(found), ["a00"], prices={"A": 1.0}), metric)
    assert ranking.runs == ()
    assert ranking.beats + ranking.beats.T == pytest.approx(np.ones((4, 4)))


@pytest.mark.parametrize("unit", [1.0, 1e6, 1e9])
def test_two_workloads_that_are_alike_add_up_whatever_the_unit(unit: float) -> None:
    """What is measured is not drawn towards 1 by what is thought of the workloads' size."""
    Z = np.log(unit * np.array([[3601.2, 3598.1, 3604.9], [3601.6, 3598.5, 3605.3]]))
    noise, X = np.full(Z.shape, 4e-4), np.ones((2, 1))
    told = np.exp(learn(Z, noise, X).told(Z, noise, X)[0]).sum(axis=0)
    np.testing.assert_allclose(told, unit * np.array([7202.8, 7196.6, 7210.2]), rtol=1e-6)


def test_weights_and_the_geometric_mean_decide() -> None:
    found, truth = made(60, 0.0)
    both = found.rows_of(["a00", "a01"])
    heavy = rank(frame_of(found), ["a00", "a01"], weights={"a01": 1000.0}, goal=GEOMEAN)
    alone = truth[[i for i in both if found.applications[i] == "a01"]].mean(axis=0)
    assert heavy.standings[0].machine == found.machines[int(alone.argmin())]
    more = rank(frame_of(found), ["a00"], more=True)
    assert more.standings[0].machine == found.machines[int(truth[found.rows_of(["a00"])].sum(axis=0).argmax())]


def test_rates_are_not_summed_unless_asked_for() -> None:
    frame = frame_of(made(60, missing=0.0)[0])
    assert rank(frame).goal == TOTAL
    assert rank(frame, more=True).goal == GEOMEAN
    assert repr(rank(frame, more=True).standings) == repr(rank(frame, more=True, goal=GEOMEAN).standings)
    assert rank(frame, more=True, goal=TOTAL).goal == TOTAL


def test_shares_of_the_error_are_those_of_all_pairs() -> None:
    rng = np.random.default_rng(4)
    scores, names = rng.normal(0.7, 1.0, (9, 3)), list("aabbbbcda")
    scores[rng.random(scores.shape) < 0.3] = np.nan
    pairs = [(i, j) for i in range(9) for j in range(9) if i != j]

    def mean(same: bool) -> float:
        own = [scores[i] * scores[j] for i, j in pairs if (names[i] == names[j]) == same]
        return float(np.clip(np.nanmean(own), 0.0, 1.0))

    assert _shares(scores, names) == pytest.approx((mean(False), max(mean(True) - mean(False), 0.0)))
    assert _shares(scores[:1], ["a"]) == (0.0, 0.0)


def test_row_order_and_names_change_nothing() -> None:
    found, _ = made()
    frame = frame_of(found)
    again = frame.take(np.random.default_rng(1).permutation(len(frame)))
    one = dict.fromkeys("ABCD", 1.0)
    assert rank(again, ["a03"], prices=one).standings == rank(frame, ["a03"], prices=one).standings


def test_workloads_that_settings_alone_tell_apart_are_called_by_these() -> None:
    x = np.array([[1.0, 7.0], [2.0, 7.0], [1.0, 7.0], [2.0, 7.0]])
    metrics = [Metric("threads", Kind.PARAMETER), Metric("block", Kind.PARAMETER)]
    labels = {"application": ["srad"] * 4, "input": ["8192"] * 4, "machine": ["A", "A", "B", "B"]}
    frame = make_frame(x, np.arange(1.0, 5.0), metrics, Metric("time", Kind.RESPONSE, "s"), labels=labels)
    assert workloads(frame).names == ("srad · 8192 (threads=1)", "srad · 8192 (threads=2)")


def test_other_machines_make_few_runs_enough() -> None:
    found, _ = made()
    bought = buying(found, "B", draws=3)
    assert bought.transfer.shape == (3, len(bought.sizes))
    assert bought.transfer[:, -1].mean() < 0.15
    assert bought.transfer.mean() < 0.2 * bought.alone.mean()
    assert bought.enough <= 64


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"applications": ["nobody"]}, OptionError, "no application 'nobody'"),
        ({"applications": ["a00"], "weights": {"a01": 2.0}}, OptionError, "no application 'a01'"),
        ({"prices": {"E": 1.0}}, OptionError, "no machine 'E'"),
        ({"prices": {"A": 0.0}}, OptionError, "above 0"),
        ({"weights": {"a00": float("inf")}}, OptionError, "above 0"),
        ({"prices": {"A": 1.0}, "more": True}, OptionError, "the slowest machine would be the cheapest"),
    ],
)
def test_wrong_questions_are_refused(asked: dict, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        rank(frame_of(made(60)[0]), **asked)


def test_one_machine_is_no_choice() -> None:
    frame = frame_of(made(60)[0])
    with pytest.raises(FitError, match="at least two"):
        workloads(frame.take(np.flatnonzero(np.array(frame.labels["machine"]) == "A")))


def test_workloads_of_an_only_application_are_held_out_themselves() -> None:
    found, _ = made(60)
    ranking = rank(frame_of(replace(found, applications=("a",) * 60)))
    assert ranking.trust.n > 0
    assert trust_sentence(ranking).startswith("On workloads held out")


def test_machines_without_a_workload_in_common_are_not_compared() -> None:
    """Most workloads ran on B and D alone, and others on A and C: nothing leads from those to these."""
    found, _ = made(60)
    first, Z = np.arange(60) < 25, found.Z.copy()
    Z[np.ix_(first, [1, 3])] = Z[np.ix_(~first, [0, 2])] = np.nan
    with pytest.raises(FitError, match=r"No workload ran on one of A, C and on one of B, D"):
        rank(frame_of(replace(found, Z=Z)))
