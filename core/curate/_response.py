"""Which response a rule looks at, where nobody said."""

from collections.abc import Sequence

from core.errors import OptionError
from core.trial import Kind, Metric


def choose_response(metrics: Sequence[Metric], wanted: str, dataset: str) -> str:
    """Return the response asked for, or the only one there is.

    Raises
    ------
    OptionError
        If there is no such metric; or none was asked for, and there is not just one response.
    """
    names = [m.name for m in metrics]
    responses = [m.name for m in metrics if m.kind == Kind.RESPONSE]
    if wanted in names:
        return wanted
    if wanted:
        raise OptionError(
            f"There is no metric '{wanted}' in dataset '{dataset}'; responses: {', '.join(responses) or 'none'}."
        )
    if len(responses) == 1:
        return responses[0]
    if responses:
        raise OptionError(
            f"Dataset '{dataset}' has {len(responses)} responses: {', '.join(responses)}. Name one with --response."
        )
    raise OptionError(f"Dataset '{dataset}' has no response. Name the metric to judge by with --response.")
