"""Next-best experiments: distinct new points, where doubt is, spread over a batch; and the optimum found."""

import numpy as np
import pytest

from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.space.allowed import _kernel, _near, reference, spread
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.plans import Evidence, find_method
from core.space.plans.base import additive, believe, committee, conditioned
from core.space.plans.next import Next
from core.trial import Frame
from tests.space.made import every, grid, measured


def some(space: DesignSpace, n: int, seed: int = 0) -> np.ndarray:
    return find_method("sobol")().draw(space, n, seed, Evidence())


def stepwise(frame: Frame, progress: object = None) -> FittedPipeline:
    return make_recipe("stepwise", {"max_terms": "4"}).fit(frame)


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["explore", "minimise", "maximise"])
@pytest.mark.parametrize("criterion", ["auto", "variance", "spread"])
def test_proposals_are_new_allowed_distinct_and_seeded(goal: str, criterion: str) -> None:
    space = grid(5, 5, 4, constraints=["a <= 4 * b"])
    evidence = Evidence(frame=measured(space, some(space, 25)))
    method = find_method("next")(goal=goal, criterion=criterion)
    codes = method.draw(space, 10, 3, evidence)
    ranks = space.ranks(codes)
    assert codes.shape == (10, 3)
    assert space.allowed(codes).all()
    assert len(np.unique(ranks)) == 10
    assert not np.isin(ranks, evidence.taken(space)).any()
    assert (codes == method.draw(space, 10, 3, evidence)).all()


def test_the_doubt_is_that_of_the_model() -> None:
    space = grid(5, 5, 4)
    model = additive(measured(space, some(space, 30), noise=0.05))
    X = space.numbers(every(space))
    belief = believe(model, X)
    own = model.clusters[0].model
    np.testing.assert_allclose(np.diag(belief.covariance), np.diag(own.joint(X).covariance), rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(belief.mean, model.predict_scaled(X))
    assert np.linalg.eigvalsh(belief.covariance).min() > -1e-8


def test_a_measurement_takes_doubt_away_as_the_model_would() -> None:
    """Conditioning on a point is what the same model with that point among its own says."""
    from dataclasses import replace

    space = grid(5, 5, 4)
    model = additive(measured(space, some(space, 30), noise=0.05))
    X, own = space.numbers(every(space)), model.clusters[0].model
    with_it = replace(own, codes=np.vstack([own.codes, [[4, 0, 3]]]), weights=np.append(own.weights, 0.0))
    place = int(space.ranks(np.array([[4, 0, 3]]))[0])
    found = conditioned(believe(model, X), place)
    np.testing.assert_allclose(np.diag(found.covariance), np.diag(with_it.joint(X).covariance), rtol=1e-4, atol=1e-8)


def test_the_least_known_corner_is_asked_first() -> None:
    space = grid(6, 6)
    known = every(space)[(every(space) < 3).all(axis=1)]
    found = Next(criterion="variance").propose(space, 4, Evidence(frame=measured(space, known, noise=0.05)))
    assert (found.codes.max(axis=1) >= 3).all()
    assert found.doubt[0] > 0


def test_a_batch_spreads() -> None:
    space = grid(8, 8)
    frame = measured(space, some(space, 20), noise=0.05)
    found = Next(criterion="variance").propose(space, 8, Evidence(frame=frame))
    least = Next(criterion="variance").propose(space, 1, Evidence(frame=frame))
    assert (found.codes[0] == least.codes[0]).all()
    apart = np.abs(found.codes[:, None] - found.codes[None]).sum(axis=-1)
    assert np.median(apart[np.triu_indices(8, 1)]) >= 3


def test_what_is_spread_is_representative() -> None:
    """The distance to the space (in the kernel's mean) is under that of random plans."""
    space = grid(5, 4, 4, 3)
    points = every(space)
    chosen = spread(space, points, points[:0], 30, reference(space))
    assert len(set(chosen)) == 30

    def distance(places: list[int]) -> float:
        picked = points[places]
        return float(_kernel(space, picked, picked).mean() - 2 * _kernel(space, picked, points).mean())

    rng = np.random.default_rng(0)
    assert distance(chosen) < min(distance(rng.permutation(len(points))[:30].tolist()) for _ in range(50))


@pytest.mark.slow
@pytest.mark.parametrize("acquisition", ["improvement", "bound"])
@pytest.mark.parametrize(("goal", "sign"), [("minimise", 1), ("maximise", -1)])
def test_the_optimum_is_found_in_few_rounds(acquisition: str, goal: str, sign: int) -> None:
    space = grid(8, 8, 6)
    codes = some(space, 12)
    for _ in range(3):
        frame = measured(space, codes, noise=0.001)
        found = Next(goal=goal, acquisition=acquisition).propose(space, 4, Evidence(frame=frame))
        codes = np.vstack([codes, found.codes])
    whole = sign * measured(space, every(space), noise=0.0).y
    reached = (sign * measured(space, codes, noise=0.0).y).min()
    assert (whole < reached).mean() < 0.02


def test_other_families_are_asked_as_a_committee() -> None:
    space = grid(5, 5, 4)
    known = every(space)[(every(space)[:, 0] < 3)]
    frame = measured(space, known, noise=0.1)
    model = stepwise(frame)
    X = space.numbers(every(space))
    belief = committee(stepwise, frame, X, 8, 1)
    doubt = np.diag(belief.covariance)
    assert doubt[every(space)[:, 0] == 4].mean() > doubt[every(space)[:, 0] < 3].mean()
    found = Next(criterion="variance", members=8).propose(space, 5, Evidence(model, frame, stepwise))
    assert (found.codes[:, 0] >= 3).all()
    with pytest.raises(OptionError, match="does not say how sure it is"):
        Next().propose(space, 5, Evidence(model))


def test_mixed_kinds() -> None:
    space = make_space(
        [Parameter("mode", ("x", "y", "z")), Parameter("a", (1.0, 2.0, 4.0)), Parameter("b", (1.0, 2.0, 4.0))]
    )
    table = _near(space, 0, np.arange(3), np.arange(3))
    assert table[0, 1] == table[0, 2] == table[1, 2] < table[0, 0] == 2.0
    chosen = spread(space, every(space), every(space)[:0], 3, reference(space))
    assert set(every(space)[chosen][:, 0]) == {0, 1, 2}


def test_a_parameter_of_many_levels_is_spread() -> None:
    space = make_space([Parameter("a", tuple(float(v) for v in range(100_000))), Parameter("b", (1.0, 2.0))])
    points = space.codes(np.arange(0, space.n_combinations, 1001))
    chosen = spread(space, points, points[:0], 3, points)
    assert np.ptp(points[chosen][:, 0]) > 33_333


def test_batches_carry_on_where_the_last_one_ended() -> None:
    space = grid(5, 4, 4, 3)
    points = every(space)
    whole = spread(space, points, points[:0], 30, reference(space))
    first = spread(space, points, points[:0], 18, reference(space))
    left = np.setdiff1d(np.arange(len(points)), first)
    more = left[spread(space, points[left], points[first], 12, reference(space))]
    assert [*first, *more] == whole


def test_nothing_to_go_by() -> None:
    space = grid(3, 3)
    with pytest.raises(OptionError, match="give a dataset with its response, or a model"):
        find_method("next")().draw(space, 2, 0, Evidence())
    with pytest.raises(OptionError, match="too few to say"):
        Next().propose(space, 2, Evidence(frame=measured(space, every(space)[:3])))
    frame = measured(space, every(space)[:8])
    with pytest.raises(OptionError, match="2 points were asked for; the design space has 9, 8 of them measured"):
        find_method("next")().draw(space, 2, 0, Evidence(frame=frame))


def test_points_off_the_levels_are_no_points_of_the_space() -> None:
    space = grid(3, 3)
    frame = measured(grid(4, 3), every(grid(4, 3)))
    assert len(Evidence(frame=frame).taken(space)) == 9
