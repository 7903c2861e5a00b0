"""Responses in any unit: the same model for each, and one sentence where a number has no square."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError
from core.models import FAMILIES
from core.race.race import race
from core.recipes import RECIPES, make_recipe, train
from core.scaling.lesson import make_task
from core.scaling.predictors import PREDICTORS
from core.scaling.race import fit_scaling
from core.scaling.validation import validate_scaling
from core.trial import Frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.contracts.test_families import family_named, training
from tests.contracts.test_recipes import FEWER
from tests.race.made import quick
from tests.scaling.made import made_study

FAR = (1e300, 1e-300)
SCALED = ("ols", "nnls")
"""Beginnings of the names of families that bring the response into range by a power of 2 and square nothing else."""
SENTENCE = "numbers beyond 1e\\+150 and below 1e-150 have no square. Give it another unit"


def times(frame: Frame, factor: float) -> Frame:
    return replace(frame, y=frame.y / np.median(frame.y) * factor)


@pytest.mark.parametrize("factor", FAR)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_alone_fits_or_refuses_what_has_no_square(name: str, factor: float) -> None:
    X, y = training()
    if name.split("_")[0] in SCALED:
        assert np.allclose(
            FAMILIES[name]().fit(X, y * factor).predict(X) / factor, FAMILIES[name]().fit(X, y).predict(X)
        )
        return
    with pytest.raises(FitError, match=SENTENCE):
        FAMILIES[name]().fit(X, y * factor)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [2.0**-30, 2.0**-480, 2.0**480])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_says_the_same_in_any_unit(name: str, unit: float) -> None:
    (X, y), family = training(), family_named(name)
    said, same = family.fit(X, y).predict(X), family.fit(X, y * unit).predict(X) / unit
    assert np.allclose(same, said, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("factor", FAR)
@pytest.mark.parametrize("name", [*FAMILIES, *RECIPES])
def test_a_recipe_names_the_response(name: str, factor: float) -> None:
    recipe, frame = make_recipe(name, FEWER.get(name)), times(machine_frame(), factor)
    with pytest.raises(FitError, match=f"The response 'time' is .*{SENTENCE}"):
        recipe.fit(frame)
    with pytest.raises(FitError, match=f"The response 'time' is .*{SENTENCE}"):
        train(recipe, frame, parse_folds("kfold:2"))


@pytest.mark.parametrize("factor", FAR)
def test_a_race_says_it_once(factor: float) -> None:
    with pytest.raises(FitError, match=SENTENCE):
        race(times(machine_frame(), factor), parse_folds("kfold:2"), 0, quick())


@pytest.mark.parametrize("factor", FAR)
def test_scaling_says_it_too(factor: float) -> None:
    study = made_study(12)
    far = replace(study, values=study.values * factor)
    with pytest.raises(FitError, match=f"The response 'time_s' is .*{SENTENCE}"):
        fit_scaling(far, PREDICTORS["median_surface"]())
    with pytest.raises(FitError, match=f"The response 'time_s' is .*{SENTENCE}"):
        validate_scaling(far, make_task(far, "time_s", 0), PREDICTORS["median_surface"](), "kfold:2")
