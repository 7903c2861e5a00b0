"""A design space from trials: numbers that were varied, and texts that were set before the run as categories."""

from core.errors import OptionError
from core.space.design_space import DesignSpace, Parameter, make_space
from core.space.holes import Holes, holes_of
from core.space.measured import observed_space
from core.trial import Frame


def trial_space(frame: Frame, title: str = "") -> DesignSpace:
    """Return the space of what was varied; columns `layout=row`, `layout=column` are one category, layout.

    Parameters are in the order of the frame's columns.

    Raises
    ------
    OptionError
        If nothing varies.
    """
    owner = {name: category_of(name, frame) for name in frame.names}
    numeric = [name for name, label in owner.items() if not label]
    try:
        found = {p.name: p for p in observed_space(frame, numeric).parameters}
    except OptionError:
        if not any(owner.values()):
            raise
        found = {}
    for label in owner.values():
        levels = tuple(sorted(set(frame.labels[label]))) if label else ()
        if len(levels) > 1:
            found[label] = Parameter(label, levels)
    order = list(dict.fromkeys(label or name for name, label in owner.items()))
    parameters = [found[name] for name in order if name in found]
    return make_space(parameters, name=title) if parameters else observed_space(frame, numeric)


def trial_holes(frame: Frame, title: str = "") -> Holes:
    """Return the space of what was varied, with the constraints that the trials suggest.

    Raises
    ------
    OptionError
        If nothing varies.
    """
    return holes_of(trial_space(frame, title), frame)


def holes_sentence(holes: Holes) -> str:
    """Return in a sentence what was measured of a space and what its inferred constraints leave."""
    n, allowed = holes.space.n_combinations, holes.constrained().n_points
    constraints = "1 constraint" if len(holes.found) == 1 else f"{len(holes.found)} constraints"
    start = f"The trials have {holes.n_measured:,} of {n:,} combinations. From those that never occur"
    if allowed == holes.n_measured:
        return f"{start} {constraints} were inferred; they explain all of them."
    return f"{start} {constraints} were inferred, which leave {allowed:,}."


def category_of(name: str, frame: Frame) -> str:
    """Return the text of which a metric `text=value` tells the value; "" if it is a metric of its own."""
    label, found, value = name.partition("=")
    while found:
        if label in frame.labels and value in frame.labels[label]:
            return label
        more, found, value = value.partition("=")
        label = f"{label}={more}"
    return ""
