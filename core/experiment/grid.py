"""The grid of an experiment: what each setting fits, each fit known by a hash of all that it depends on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import product
from math import prod
from typing import Any

from core import __version__
from core.codec import Frozen, digest, to_plain
from core.errors import OptionError
from core.experiment.experiment import RECIPE, SIZE, Experiment, Split, Subject, Value
from core.models import FAMILIES
from core.option import Options, OptionSpec, specs
from core.recipes import RECIPES, Recipe, Treated, make_recipe
from core.recipes.base import TREATMENT
from core.scaling.predictors.base import Predictor
from core.scaling.predictors.network import Network
from core.scaling.race import predictor_named


class FromBase(Frozen):
    """A predictor of surfaces, and the configuration at which kernels are measured."""

    base: int
    predictor: Predictor = field(default_factory=Network)


def known_options(name: str, scaling: bool = False) -> Mapping[str, OptionSpec]:
    """Return the options that a recipe, family or predictor takes in an experiment.

    Raises
    ------
    OptionError
        If there is none of this name.
    """
    return {spec.name: spec for cls in _classes(name, scaling) for spec in specs(cls)}


def parsed(spec: OptionSpec, text: str) -> Value:
    """Return the value that a text means, checked.

    Raises
    ------
    OptionError
        If the option does not allow it.
    """
    value: Value = spec.parse(text)
    spec.check(value)
    return value


def recipe_of(name: str, values: Mapping[str, Value], seed: int) -> Recipe:
    """Return a recipe, or a family as one, with the seed if it draws and no other was chosen."""
    plain, own = make_recipe(name, seed=seed), dict[str, Any](values)
    if not isinstance(plain, Treated):
        return replace(plain, **own)
    treatment = {name: own.pop(name) for name in TREATMENT if name in own}
    return replace(plain, family=replace(plain.family, **own), **treatment)


def predictor_of(name: str, values: Mapping[str, Value], seed: int) -> Predictor:
    """Return a predictor of surfaces, with the seed if it draws and no other was chosen."""
    return replace(predictor_named(name, seed=seed), **dict[str, Any](values))


def _classes(name: str, scaling: bool) -> tuple[type[Options], ...]:
    if scaling:
        return (type(predictor_named(name)),)
    if name in RECIPES:
        return (RECIPES[name],)
    if name in FAMILIES:
        return (FAMILIES[name], Treated)
    raise OptionError(f"There is no recipe or family '{name}'; there are: {', '.join([*RECIPES, *FAMILIES])}.")


MOST_FITS = 1_000_000
FORM = 1
"""Of what a result says; another one means that kept results are not looked at any more."""

Procedure = Recipe | FromBase


class Setting(Frozen):
    """One combination of what is varied.

    Attributes
    ----------
    recipe : its name
    values : what stands in the table: swept options, and the recipe, size and base where there are several
    options : all options that are not at their default, those of the experiment too
    size : configurations learnt from, None for all
    base : the number of its base
    """

    recipe: str
    values: Mapping[str, Value]
    options: Mapping[str, Value]
    size: int | None = None
    base: int = 0


class Fit(Frozen):
    """One fit: a setting on a split of a subject.

    Attributes
    ----------
    key : the same for fits that must come to the same result, whichever experiment asks for them
    subject, setting : their numbers
    """

    key: str
    subject: int
    setting: int
    split: Split
    procedure: Procedure


class Grid(Frozen):
    """All that an experiment needs, in the order of its table."""

    experiment: Experiment
    subjects: tuple[Subject, ...]
    settings: tuple[Setting, ...]
    fits: tuple[Fit, ...]

    @property
    def n_fits(self) -> int:
        """How many fits there are to make; what comes to the same is made once."""
        return len({fit.key for fit in self.fits})


def make_grid(experiment: Experiment, subjects: Sequence[Subject]) -> Grid:
    """Lay out an experiment.

    Raises
    ------
    RidgelineError
        If folds, sizes or options are impossible, or it would be more than a million fits.
    """
    bases = subjects[0].bases(experiment.scaling.bases if experiment.scaling else ())
    varied = (experiment.recipes, bases, experiment.seeds, experiment.sizes or (None,))
    n_of_split = prod(map(len, [*varied, *(sweep.values for sweep in experiment.vary)]))
    first = product(subjects, experiment.folds)  # as each seed and size has as many splits
    n_fits = n_of_split * sum(len(subject.splits(folds, experiment.seeds[0], None)) for subject, folds in first)
    if n_fits > MOST_FITS:
        raise OptionError(f"This experiment has {n_fits:,} fits; at most {MOST_FITS:,} are made. Vary less.")
    splits = [_splits(experiment, subject) for subject in subjects]
    settings = tuple(_settings(experiment, bases))
    pairs = product(enumerate(subjects), enumerate(settings))
    fits = [_fit(experiment, subject, i, splits[i], j, setting) for (i, subject), (j, setting) in pairs]
    return Grid(experiment, tuple(subjects), settings, tuple(fit for some in fits for fit in some))


def _settings(experiment: Experiment, bases: Sequence[Mapping[str, Value]]) -> Iterator[Setting]:
    """Yield every combination, the last option fastest."""
    sizes: tuple[int | None, ...] = experiment.sizes or (None,)
    swept = [[(sweep.name, value) for value in sweep.values] for sweep in experiment.vary]
    for recipe, (base, place), size, chosen in product(
        experiment.recipes, [(i, of) for i, of in enumerate(bases)], sizes, product(*swept)
    ):
        told: dict[str, Value] = {RECIPE: recipe} if len(experiment.recipes) > 1 else {}
        told |= place if len(bases) > 1 else {}
        told |= {SIZE: size} if size is not None else {}
        yield Setting(recipe, told | dict(chosen), {**experiment.options, **dict(chosen)}, size, base)


def _splits(experiment: Experiment, subject: Subject) -> dict[Split, str]:
    """Return all splits of a subject with their digests."""
    asked = product(experiment.folds, experiment.seeds, experiment.sizes or (None,))
    found = [split for folds, seed, size in asked for split in subject.splits(folds, seed, size)]
    return {split: subject.split_digest(split) for split in found}


def _fit(
    experiment: Experiment, subject: Subject, number: int, splits: Mapping[Split, str], place: int, setting: Setting
) -> list[Fit]:
    found = []
    made: dict[tuple[int, str], tuple[Procedure, str]] = {}
    for split, sides in splits.items():
        if split.size != setting.size:
            continue
        asked = split.seed, split.folds
        if asked not in made:
            procedure = subject.procedure(setting.recipe, dict(setting.options), setting.base, split)
            made[asked] = procedure, digest([type(procedure).__name__, setting.recipe, to_plain(procedure)])
        procedure, told = made[asked]
        key = digest([FORM, __version__, subject.digest, sides, told, experiment.predictions])
        found.append(Fit(key, number, place, split, procedure))
    return found
