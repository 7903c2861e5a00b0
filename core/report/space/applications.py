"""Applications compared by their models: a model for each, all asked for the same designs (Stargazer, section 8.2)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.errors import OptionError
from core.models.splines import SplinesModel
from core.pipeline import FittedPipeline
from core.progress import Progress, part, silent
from core.recipes import Recipe
from core.report.model.contributions import Contributions, contributions
from core.report.space.diversity import Diversity, Reactions, diversity, reactions
from core.trial import Frame


@dataclass(frozen=True)
class Applications:
    """A model per application, and what comparing them says.

    Attributes
    ----------
    models : by application
    designs : the trials of all, whose designs the models were asked for
    apart : how unlike the applications react
    added : what each factor adds to the R² of each; None if the models do not tell
    """

    models: Mapping[str, FittedPipeline]
    designs: Frame
    apart: Diversity
    added: Contributions | None

    def over(self, parameter: str) -> Reactions:
        """Return how each reacts to one parameter, the others fixed."""
        return reactions(self.models, self.designs, parameter)


def frames_by(frame: Frame, by: str) -> dict[str, Frame]:
    """Return a frame per value of a label, by its text.

    Raises
    ------
    OptionError
        If there is no such label.
    """
    if by not in frame.labels:
        raise OptionError(f"There is no label '{by}' for --by; there are: {', '.join(frame.labels)}.")
    texts = np.array(frame.labels[by], dtype=object)
    return {str(v) or "(none)": frame.take(np.flatnonzero(texts == v)) for v in sorted(set(texts))}


def compare(recipe: Recipe, frame: Frame, by: str = "application", progress: Progress = silent) -> Applications:
    """Fit a model to the trials of each application, and compare them.

    Parameters
    ----------
    by : the label that tells applications apart

    Raises
    ------
    OptionError
        If there are fewer than two, or no such label.
    FitError
        If an application has too few trials.
    """
    frames = frames_by(frame, by)
    if len(frames) < 2:
        raise OptionError(f"Comparing needs at least 2 different values of {by}, got {len(frames)}.")
    models = {}
    for i, (name, own) in enumerate(frames.items()):
        progress(i / len(frames), f"{name}: {len(own)} trials")
        models[name] = recipe.fit(own, part(progress, i / len(frames), (i + 1) / len(frames)))
    told = all(_tells(model) for model in models.values())
    return Applications(models, frame, diversity(models, frame), contributions(models) if told else None)


def _tells(model: FittedPipeline) -> bool:
    """Whether a model has the story of stepwise splines."""
    return len(model.clusters) == 1 and isinstance(model.clusters[0].model, SplinesModel)
