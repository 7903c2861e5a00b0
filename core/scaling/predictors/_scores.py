"""What regressions of surfaces share: the surface's principal components are the targets."""

from abc import abstractmethod
from dataclasses import dataclass

from core.codec import FloatArray
from core.option import option
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor, hold
from core.scaling.surfaces import Components, components


@dataclass(frozen=True)
class ScoresLearnt(Learnt):
    """Components of log surfaces, and something that predicts their scores from features."""

    basis: Components

    @abstractmethod
    def scores(self, features: FloatArray) -> FloatArray:
        """Return the components' scores, array of shape (n, n_components)."""

    def surfaces(self, asked: Asked) -> FloatArray:
        """Rebuild the surfaces from their predicted components."""
        return self.basis.rebuilt(self.scores(asked.features))

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the components."""
        axes = self.basis.axes
        hold(self.basis.mean.shape == (n_configurations,), "its components do not fit its grid")
        hold(axes.ndim == 2 and axes.shape[1] == n_configurations, "its components do not fit its grid")


@dataclass(frozen=True)
class Scores(Predictor):
    """Options of regressions of surfaces."""

    components: int = option(6, low=1, high=100, help="How many principal components of the log surfaces are predicted")

    def basis(self, lesson: Lesson) -> tuple[Components, FloatArray]:
        """Return the components of the training surfaces, and their scores."""
        found = components(lesson.log, self.components)
        return found, found.scores(lesson.log)
