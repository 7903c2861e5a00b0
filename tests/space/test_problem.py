"""What belongs to the problem and is no choice of a design."""

import numpy as np
import pytest

from core.space.trial_space import trial_space
from core.space.wishes import at_problem, problems, read_wishes, worked
from core.trial import Kind, Metric, make_frame
from tests.space.made import every, grid

LEVELS = np.array([16.0, 64.0, 256.0, 1024.0])


def frame_of(names: str, law, kind: Kind = Kind.PARAMETER, response: str = "time", unit: str = "s"):
    """Every combination of four levels of each parameter, and a response that follows a law."""
    X = LEVELS[every(grid(*[4] * len(names.split())))]
    metrics = tuple(Metric(name, kind if name == "n" else Kind.PARAMETER) for name in names.split())
    return make_frame(X, law(*X.T), metrics=metrics, response=Metric(response, Kind.RESPONSE, unit))


def at(*levels: float):
    return [{"n": level} for level in levels]


def test_a_size_that_is_known_before_any_run_is_the_problem_the_largest_first() -> None:
    frame = frame_of("n block", lambda n, block: n * 0 + 1 + 1 / block, Kind.DETERMINISTIC)
    space = trial_space(frame)
    assert list(problems(space, [frame])) == at(1024, 256, 64, 16)
    most = frame.take(np.flatnonzero((frame.X[:, 0] == 64) | (frame.X[:, 1] > 16)))
    assert list(problems(space, [most])) == at(64, 1024, 256, 16), "that of most configurations first"
    held = at_problem(space, {"n": 64.0})
    assert (held.n_points, [p.levels for p in held.parameters]) == (4, [(64.0,), tuple(LEVELS)])


@pytest.mark.parametrize(
    ("names", "law", "response", "unit", "found"),
    [
        ("n block", lambda n, block: n**0.9 * (1 + 1 / block), "time", "s", True),
        ("n block", lambda n, block: n**0.3 * (1 + 1 / block), "time", "s", False),  # it hardly matters
        ("n block", lambda n, block: (n - 200) ** 2 + block, "time", "s", False),  # some are better
        ("n block", lambda n, block: n**0.9 * (1 + 1 / block), "power", "W", False),  # a clock, say
        ("n block", lambda n, block: n**0.9 * (1 + 1 / block), "throughput", "GB/s", False),
        ("nthreads block", lambda n, block: n**0.9 * (1 + 1 / block), "time", "s", False),  # no more to do
        ("memory_latency block", lambda n, block: n**0.9 * (1 + 1 / block), "time", "s", False),  # slower, no more
        ("tile_m block", lambda n, block: n**0.9 * (1 + 1 / block), "time", "s", False),
    ],
)
def test_the_amount_of_work_is_told_by_times_that_grow_with_it(names, law, response, unit, found) -> None:
    frame = frame_of(names, law, response=response, unit=unit)
    assert worked(frame).tolist() == [found, False]
    assert bool(problems(trial_space(frame), [frame])) == found
    assert not problems(trial_space(frame), [frame], growing=False)


def test_few_steps_among_designs_that_were_drawn_tell_no_amount_of_work() -> None:
    """Of 58 designs of 2,160 five steps of a tile were found, and the answer was 291 ms where 57 are had."""
    every_one = frame_of("n a b c", lambda n, a, b, c: n**0.9 * (1 + a / b) + c)
    assert worked(every_one).tolist() == [True, False, False, False]
    drawn = every_one.take(np.random.default_rng(0).permutation(256)[:40])
    assert not worked(drawn).any()


def test_where_nothing_else_moves_the_size_is_the_choice() -> None:
    frame = frame_of("n", lambda n: n, Kind.DETERMINISTIC)
    assert problems(trial_space(frame), [frame]) == ()


def test_with_limits_on_times_and_several_goals_the_amount_of_work_may_be_asked() -> None:
    space = trial_space(frame_of("n block", lambda n, block: n + block))
    assert not read_wishes({"time": "low"}, ["n <= 64"], ["time"], space).trades
    assert not read_wishes(dict.fromkeys(["time", "energy"], "low"), [], ["time", "energy"], space).trades
    for goals, limits, sense in (
        (["time"], ["time < 3"], "low"),
        (["time", "n"], [], "high"),
        (["time / n"], [], "low"),
    ):
        assert read_wishes(dict.fromkeys(goals, sense), limits, ["time", "power"], space).trades


def test_of_several_responses_all_grow_with_an_amount_of_work() -> None:
    """Time and energy were compared at the smallest size; an error that falls with it is what is asked."""
    time, energy, error = (
        frame_of("n block", law, response=name, unit=unit)
        for law, name, unit in (
            (lambda n, block: n * (1 + 1 / block), "time", "s"),
            (lambda n, block: n * (2 + 9 / block), "energy", "J"),
            (lambda n, block: 1 / n + block, "error", ""),
        )
    )
    space = trial_space(time)
    assert list(problems(space, [time, energy])) == at(1024, 256, 64, 16)
    assert problems(space, [time, error]) == ()
