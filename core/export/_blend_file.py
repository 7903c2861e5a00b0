"""A blend in the model file: its members are whole model files inside it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.blend import BlendModel
from core.codec import FloatArray, IntArray, from_plain, to_plain
from core.errors import ModelFileError
from core.pipeline import FittedPipeline

BLEND = "blend"


@dataclass(frozen=True)
class BlendState:
    """What a blend is made of.

    Attributes
    ----------
    members : model files, each as this file itself would be
    columns : per member, the numbers of its metrics among the blend's
    weights : per member
    how : "mean" is the weighted mean, of logarithms if `log`, "sum" the weighted sum
    bound : the most that a member counts as away from the weighted median, null for no bound
    log : whether the output is the logarithm of the response
    """

    names: tuple[str, ...]
    members: tuple[dict[str, Any], ...]
    columns: tuple[IntArray, ...]
    weights: FloatArray
    how: str
    bound: float | None
    log: bool


def blend_state(model: BlendModel, write: Callable[[FittedPipeline], dict[str, Any]]) -> dict[str, Any]:
    """Return the state of a blend, its members as `write` writes a model."""
    members = tuple(write(member) for member in model.members)
    state = BlendState(model.names, members, model.columns, model.weights, model.how, model.bound, model.log)
    return dict(to_plain(state))


def load_blend(plain: Any, read: Callable[[Any], FittedPipeline]) -> BlendModel:
    """Return the blend of a state, its members as `read` reads a model.

    Raises
    ------
    ModelFileError
        If the state is no blend's, or a member is a blend itself.
    """
    state = from_plain(BlendState, plain)
    members = tuple(read(member) for member in state.members)
    if any(isinstance(c.model, BlendModel) for member in members for c in member.clusters):
        raise ModelFileError("The model file has a blend in a blend, which no model is.")
    return BlendModel(state.names, members, state.columns, state.weights, state.how, state.bound, state.log)
