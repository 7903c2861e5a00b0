"""What can be asked of trials that were read, each in a few words with what leads there."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from core.errors import RidgelineError
from core.frozen import Frozen
from core.ingest import Recognition
from core.report.shared.naming import predictors
from core.report.space.design_points import trial_holes
from core.trial import Frame, Import, Kind, Metric, make_frame

_MOST_SPACE_CELLS = 2_000_000


class Askable(Frozen):
    """A question that trials can answer.

    Attributes
    ----------
    kind : "counters", "design_space", "scaling" or "host_target"
    title : such as "Design space of 7 parameters (11,130 of 22,272 allowed)"
    choices : what the page that answers it needs to be told, by the name of the choice
    """

    kind: str
    title: str
    choices: dict[str, str] = field(default_factory=dict)


def askable(found: Recognition, imports: Sequence[Import]) -> tuple[Askable, ...]:
    """Return what can be asked of imports, as the recognition has it, the likeliest first."""
    imported = max(imports, key=lambda i: len(i.trials), default=None)
    if imported is None:
        return ()
    response = next((m for m in imported.trials.metrics if m.kind is Kind.RESPONSE), None)
    if response is None:
        return ()
    told = {"response": response.name}
    found_by_kind = {
        "counters": lambda: Askable("counters", _model(imported, response), told),
        "design_space": lambda: Askable("design_space", _space(imported), told),
        "scaling": lambda: Askable("scaling", f"Scaling over {_axes(imported)}"),
        "host_target": lambda: _machines(imported),
    }
    kinds = [kind for kind in found.answers if kind != "design_space" or _parameters(imported)]
    return tuple(found_by_kind[kind]() for kind in kinds)


def _model(imported: Import, response: Metric) -> str:
    names = {m.name for m in imported.metrics if not m.kind.outcome}
    texts = (f"{name}=" for name in imported.trials.parameters if name not in names)
    return f"Model of {response.name} by {predictors([*names, *texts])}"


def _space(imported: Import) -> str:
    names = _parameters(imported)
    title = f"Design space of {len(names)} {'parameter' if len(names) == 1 else 'parameters'}"
    if len(imported.trials) * max(len(names), 1) > _MOST_SPACE_CELLS:
        return title
    try:
        holes = trial_holes(_frame(imported))
    except RidgelineError:
        return title
    n = holes.space.n_combinations
    allowed = holes.constrained().n_points
    return f"{title} ({allowed:,} of {n:,} allowed)" if allowed < n else f"{title} ({n:,} combinations)"


def _frame(imported: Import) -> Frame:
    """Return the trials with a response and all parameters, as the page of design spaces looks at them."""
    trials = imported.trials
    places = [i for i, m in enumerate(trials.metrics) if m.kind is Kind.PARAMETER]
    response = next(i for i, m in enumerate(trials.metrics) if m.kind is Kind.RESPONSE)
    rows = np.flatnonzero(np.isfinite(trials.values[:, [response, *places]]).all(axis=1))
    labels = {name: [trials.labels[name][r] for r in rows.tolist()] for name in trials.parameters}
    levels = [(name, level) for name, texts in labels.items() for level in sorted(set(texts))]
    flags = np.array([[float(labels[name][k] == level) for name, level in levels] for k in range(len(rows))])
    metrics = [trials.metrics[i] for i in places] + [Metric(f"{n}={level}", Kind.PARAMETER) for n, level in levels]
    X = np.column_stack([trials.values[rows][:, places], flags.reshape(len(rows), len(levels))])
    return make_frame(X, trials.values[rows, response], metrics, trials.metrics[response], labels=labels)


def _parameters(imported: Import) -> list[str]:
    trials = imported.trials
    numbers = [
        m.name
        for j, m in enumerate(trials.metrics)
        if m.kind is Kind.PARAMETER and len(np.unique(trials.values[np.isfinite(trials.values[:, j]), j])) > 1
    ]
    return [*numbers, *(name for name in trials.parameters if len(set(trials.labels[name])) > 1)]


def _axes(imported: Import) -> str:
    texts = set(imported.trials.parameters)
    return " × ".join([n for n in _parameters(imported) if n not in texts][:3]) or "its parameters"


def _machines(imported: Import) -> Askable:
    """Return the two machines with most trials as host and target."""
    first, *others = [name for name, _ in sorted(Counter(imported.trials.machine).items(), key=lambda m: (-m[1], m[0]))]
    target = others[0] if others else first
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return Askable("host_target", f"Across machines: {first} → {target}{more}", {"host": first, "target": target})
