"""What a model is of, in words and in symbols: the response, its logarithm, or its ratio to a reference."""

from core.pipeline import FittedPipeline


def symbol_on_scale(model: FittedPipeline) -> str:
    """Return the left side of the model's formula, such as `ln(time / time on K40)`."""
    name = _ratio(model, " / ")
    scale = model.scale
    if scale.factor != 1 or scale.power != 1:
        own = f"({model.response.name} / {scale.factor:.4g})^{1 / scale.power:.4g}"
        name = name.replace(model.response.name, own, 1)
    return f"ln({name})" if model.scale.log else name


def words_on_scale(model: FittedPipeline) -> str:
    """Return what the model is of in words, such as `the logarithm of time`."""
    name = _ratio(model, " as a ratio to ")
    return f"the logarithm of {name}" if model.scale.log else name


def _ratio(model: FittedPipeline, between: str) -> str:
    name = model.response.name
    if not model.scale.relative or model.reference is None:
        return name
    return f"{name}{between}{model.names[model.reference]}"
