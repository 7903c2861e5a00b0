"""An import as one table again: every metric per trial, wherever it is kept."""

from core.codec import FloatArray
from core.ingest.joining.merge import spread, spread_texts
from core.trial import Import, Metric


def per_trial(imported: Import) -> dict[str, tuple[Metric, FloatArray]]:
    """Return each metric with its values, arrays of shape (n_trials,), NaN where there is none.

    A trial's own measurement comes first, then what is known of its input, then of its machine.
    """
    found: dict[str, tuple[Metric, FloatArray]] = {}
    for facts in (imported.machines, imported.inputs):
        if facts is not None:
            values = spread(facts, imported.trials)
            found |= {m.name: (m, values[:, j]) for j, m in enumerate(facts.metrics)}
    own = imported.trials
    return found | {m.name: (m, own.values[:, j]) for j, m in enumerate(own.metrics)}


def labels_per_trial(imported: Import) -> dict[str, tuple[str, ...]]:
    """Return each label with its texts per trial, "" where there is none; a trial's own come first."""
    found: dict[str, tuple[str, ...]] = {}
    for facts in (imported.machines, imported.inputs):
        if facts is not None:
            found |= {name: spread_texts(facts, imported.trials, name) for name in facts.labels}
    return found | {name: tuple(texts) for name, texts in imported.trials.labels.items()}
