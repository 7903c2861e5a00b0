"""Learning from some configurations."""

from core.validate.folds import some_configurations
from tests.conftest import machine_frame


def test_so_many_configurations_with_all_their_repeats() -> None:
    frame = machine_frame(6, 3, repeats=2)
    some = some_configurations(frame, 5, seed=1)
    assert (len(some), len(set(some.configuration.tolist()))) == (10, 5)
    assert set(some.ids) <= set(some_configurations(frame, 9, seed=1).ids)
    assert some.ids != some_configurations(frame, 5, seed=2).ids
    assert some_configurations(frame, 999).ids == frame.ids
