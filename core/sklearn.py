"""Every recipe and family as an estimator of scikit-learn: one class each, with its options as parameters.

The rules that scikit-learn's contract needs beside those of recipes:

- What a recipe refuses is a `ValueError` in the recipe's own words; so is a refused option, when `fit` is called.
- Where there is nothing to learn (a constant response, constant features, a response below 0 that no model without
  negative coefficients follows) the mean of the response stands in, with a `NothingToLearnWarning`.
- A prediction that the model refuses is NaN; `predictions` says why.
"""

import inspect
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from core.codec import FloatArray
from core.errors import NothingToLearnError, OptionError, RidgelineError
from core.models import FAMILIES
from core.option import OptionSpec, specs
from core.pipeline import FittedPipeline, Predictions
from core.recipes import RECIPES, Recipe, Treated, mean_model, train
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.folds import parse_folds

INTERVAL_FOLDS = "interval_folds"
LEAST_SAMPLES = 2
"""One sample cannot say what anything depends on; a recipe may need more, and then says how many."""


class InputError(RidgelineError, ValueError):
    """What an estimator was given cannot be learnt from or predicted; scikit-learn expects a `ValueError`."""


class NothingToLearnWarning(UserWarning):
    """The mean of the response stands in for a model."""


class Regressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the estimators share; `regressor` makes one.

    Parameters
    ----------
    interval_folds : as `ridgeline validate --folds` takes them, such as "kfold:10"; fitting then measures the model
        on them, and `predict_interval` has intervals. None fits once and has none

    Attributes
    ----------
    model_ : the trained model, for `core.export.write_model` and every exporter
    n_features_in_, feature_names_in_ : as in scikit-learn; names are those of a table's columns
    """

    recipe_name: ClassVar[str] = ""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples.

        Parameters
        ----------
        X : array or table of shape (n_samples, n_features)
        y : array of shape (n_samples,), the response

        Raises
        ------
        ValueError
            If there are too few samples, a number is not finite, or the recipe cannot learn from them.
        """
        name = str(getattr(y, "name", None) or "y")
        columns, response = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=LEAST_SAMPLES
        )
        try:
            self.model_ = self._learnt(self._frame(columns, np.asarray(response, dtype=np.float64), name))
        except RidgelineError as error:
            raise InputError(str(error)) from None
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return predictions of shape (n_samples,); NaN where the model refuses one, see `predictions`."""
        return self.predictions(X).value

    def predict_interval(self, X: Any) -> FloatArray:
        """Return the ends of the validated intervals, array of shape (n_samples, 2).

        Raises
        ------
        ValueError
            If the estimator was fitted without `interval_folds`.
        """
        found = self.predictions(X)
        if self.model_.interval is None:
            if self.interval_folds is not None:
                raise InputError("There was nothing to learn: the mean of the responses stands in, without intervals.")
            raise InputError(
                f"This {type(self).__name__} has no intervals, as its errors were not measured. "
                "Set interval_folds, such as interval_folds='kfold:10', and fit again."
            )
        return np.column_stack([found.low, found.high])

    def predictions(self, X: Any) -> Predictions:
        """Return all that the model says of samples: values, intervals, whether they are in the domain, and why not."""
        check_is_fitted(self)
        columns = validate_data(self, X, reset=False, dtype=np.float64)
        names = self._names()
        return self.model_.predict(columns[:, [names.index(name) for name in self.model_.names]])

    def recipe(self) -> Recipe:
        """Return the recipe that the parameters describe.

        Raises
        ------
        ValueError
            If a parameter is not allowed.
        """
        try:
            options = {spec.name: _plain(getattr(self, spec.name)) for spec in _options(self.recipe_name)}
            return _recipe(self.recipe_name, options)
        except RidgelineError as error:
            raise InputError(str(error)) from None

    def _learnt(self, frame: Frame) -> FittedPipeline:
        recipe = self.recipe()
        try:
            if self.interval_folds is None:
                return recipe.fit(frame)
            return train(recipe, frame, parse_folds(self.interval_folds)).model
        except NothingToLearnError as error:
            warnings.warn(f"The mean of the response stands in: {error}", NothingToLearnWarning, stacklevel=3)
            return mean_model(frame, recipe.provenance(frame), str(error))

    def _frame(self, X: npt.NDArray[np.float64], y: FloatArray, response: str) -> Frame:
        return make_frame(X, y, [Metric(name) for name in self._names()], Metric(response, Kind.RESPONSE))

    def _names(self) -> list[str]:
        given = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if given is None else [str(name) for name in given]


def regressor(name: str, **parameters: Any) -> Regressor:
    """Return the estimator of a recipe or family.

    Parameters
    ----------
    name : as on the command line, such as "eiger" or "forest"
    parameters : its options, and `interval_folds`

    Raises
    ------
    OptionError
        If there is no such recipe or family.
    """
    if name not in REGRESSORS:
        raise OptionError(f"There is no recipe or family '{name}'; there are: {', '.join(REGRESSORS)}.")
    return REGRESSORS[name](**parameters)


def _plain(value: Any) -> Any:
    """Return a parameter as options have it: searches of scikit-learn give NumPy's numbers, people lists."""
    value = value.item() if isinstance(value, np.generic) else value
    return tuple(value) if isinstance(value, list) else value


def _recipe(name: str, values: dict[str, Any]) -> Recipe:
    return RECIPES[name](**values) if name in RECIPES else Treated(family=FAMILIES[name](**values))


def _options(name: str) -> tuple[OptionSpec, ...]:
    return specs(RECIPES[name] if name in RECIPES else FAMILIES[name])


def _made(name: str) -> type[Regressor]:
    """Return the estimator class of a recipe or family, which is found in this module by its name."""
    words = "".join(word.capitalize() for word in name.split("_"))
    options = _options(name)
    listed = "\n".join(f"    {spec.name} : {spec.help}" for spec in options)
    body = {
        "__module__": __name__,
        "__init__": _initialiser(options),
        "__doc__": f"`{name}` as an estimator of scikit-learn.\n\n    Parameters\n    ----------\n{listed}\n",
        "recipe_name": name,
    }
    return type(f"{words}Regressor", (Regressor,), body)


def _initialiser(options: tuple[OptionSpec, ...]) -> Callable[..., None]:
    """Return an `__init__` with the options and `interval_folds` as keywords, which keeps them as they are given."""
    named = {**{spec.name: spec.default for spec in options}, INTERVAL_FOLDS: None}

    def __init__(self: Regressor, **parameters: Any) -> None:
        given = signature.bind(self, **parameters)
        given.apply_defaults()
        for name in named:
            setattr(self, name, given.arguments[name])

    kinds = inspect.Parameter
    own = kinds("self", kinds.POSITIONAL_OR_KEYWORD)
    keywords = [kinds(name, kinds.KEYWORD_ONLY, default=default) for name, default in named.items()]
    signature = inspect.Signature([own, *keywords])
    vars(__init__)["__signature__"] = signature
    return __init__


REGRESSORS: dict[str, type[Regressor]] = {name: _made(name) for name in (*RECIPES, *FAMILIES)}
"""By the name of the recipe or family."""

globals().update({cls.__name__: cls for cls in REGRESSORS.values()})  # so that they can be copied to other processes
