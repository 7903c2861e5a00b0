"""What every recipe promises, and every family as a recipe: one model for one set of trials."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import FitError, OptionError, RidgelineError
from core.models import FAMILIES
from core.option import specs
from core.recipes import RECIPES, Recipe, make_recipe, validate
from core.trial import Frame, make_frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

ROOT = Path(__file__).resolve().parents[2]
EVERY = [*RECIPES, *FAMILIES]
FEWER = {
    key: {"trees": "20"}
    for key in ("halwpe", "forest", "extra_trees", "gradient_boosting", "roofline", "trended", "auto")
}
"""What is promised does not depend on how many trees there are."""


def recipe_named(name: str) -> Recipe:
    return make_recipe(name, FEWER.get(name))


def shuffled(frame: Frame) -> Frame:
    order = np.random.default_rng(3).permutation(len(frame))
    labels = {k: [v[i] for i in order] for k, v in frame.labels.items()}
    return make_frame(
        frame.X[order], frame.y[order], frame.metrics, frame.response, labels, [frame.ids[i] for i in order]
    )


@pytest.mark.slow
def test_the_number_of_threads_is_irrelevant() -> None:
    """Of so many trials that sums in two threads have other last digits."""
    code = (
        "import sys; from core.recipes import make_recipe; from core.export import write_model;"
        "from tests.conftest import machine_frame;"
        "sys.stdout.buffer.write(write_model(make_recipe('eiger').fit(machine_frame(60, 400))))"
    )
    made = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            capture_output=True,
            check=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": n, "OMP_NUM_THREADS": n, "PYTHONPATH": str(ROOT)},
        ).stdout
        for n in ("1", "2")
    ]
    assert made[0] == made[1]
    assert made[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_nothing_leaks_from_the_held_out_part(name: str) -> None:
    """Changing the responses of what is held out must not change what is predicted of it."""
    frame, plan, recipe = machine_frame(), parse_folds("holdout:25%"), recipe_named(name)
    (fold,) = plan.split(frame)
    y = frame.y.copy()
    y[fold.test] *= 7
    one, other = (validate(recipe, own, plan).predicted[fold.test] for own in (frame, replace(frame, y=y)))
    assert np.isfinite(one).all()
    assert np.array_equal(one, other)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("n", [1, 2])
def test_too_few_trials(name: str, n: int) -> None:
    with pytest.raises(FitError, match=f"got {n}"):
        make_recipe(name).fit(machine_frame().take(np.arange(n)))


@pytest.mark.parametrize("name", list(RECIPES))
def test_every_option_is_documented(name: str) -> None:
    for spec in specs(RECIPES[name]):
        assert len(spec.help) > 10


def test_unknown_names_list_what_there_is() -> None:
    with pytest.raises(OptionError, match="eiger"):
        make_recipe("eigre")
    with pytest.raises(RidgelineError, match="threshold"):
        make_recipe("eiger", {"treshold": "1"})
