"""A model's card: what it was trained on, where it holds, how good it is, what matters to it, and how to use it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.errors import OptionError
from core.frozen import Frozen
from core.models.parts.story import Importance
from core.pipeline import CLAMP, FLAG, REFUSE, FittedPipeline
from core.report.model.formula import formula, notation
from core.report.model.summary import feature_terms, importance, text_of
from core.report.shared.naming import predictors, quantity
from core.report.shared.scorecard import ScoreCard, folds_in_words, honest_sentence, percent, score_card
from core.trial import Metric
from core.validate.record import Record, recorded

LONGEST_FORMULA = 6000
"""Letters of a formula that a card shows."""
MOST_BARS = 15
UNKNOWN = 1e299
"""Beyond this a range is none that was trained on: the original Eiger's files say nothing of it."""
OUTSIDE = {CLAMP: "held at the edge", FLAG: "extrapolated", REFUSE: "no prediction"}
"""What becomes of a metric, or of the prediction, outside the trained range; the first two are marked."""
_HELD = {
    CLAMP: "Outside the trained range each metric is held at its edge, and the prediction is marked as outside.",
    FLAG: "Outside the trained range the model goes on as it is, and the prediction is marked as outside.",
    REFUSE: "Outside the trained range there is no prediction.",
}


class Range(Frozen):
    """Where a metric was in training.

    Attributes
    ----------
    low, high : in the metric's unit; None where the file does not say
    """

    metric: Metric
    low: float | None
    high: float | None


def tested_with(folds: str) -> str:
    """Return what was held out in words, such as "one machine left out at a time"; "" if nothing was."""
    try:
        return folds_in_words(folds) if folds else ""
    except OptionError:
        return folds[:80]


def matters(model: FittedPipeline) -> Importance | None:
    """Return what matters to the model of the largest cluster; None if its family does not tell."""
    found = importance(model)
    if found is not None:
        left = max(len(found.names) - MOST_BARS, 0) + found.n_hidden
        return replace(found, names=found.names[:MOST_BARS], values=found.values[:MOST_BARS], n_hidden=left)
    steps = model.clusters[0].model.course(feature_terms(model))
    if not steps:
        return None
    before = (0.0, *(step.r2 for step in steps))
    gains = [100 * (step.r2 - was) for step, was in zip(steps, before, strict=False)]
    order = sorted(range(len(steps)), key=lambda i: -gains[i])[:MOST_BARS]
    return Importance(
        "share of the variance explained",
        "%",
        "How much of the variance over the training trials, on the model's scale, each term explained beyond the terms "
        "chosen before it.",
        tuple(steps[i].term for i in order),
        np.array([gains[i] for i in order]),
        n_hidden=len(steps) - len(order),
    )


def interval_words(model: FittedPipeline) -> str:
    """Return how wide the interval is, where it comes from, and how often it held the truth; "" without one."""
    if model.interval is None:
        return ""
    said = f"Each prediction has an interval made to hold {100 * model.interval.nominal:.0f} % of new measurements"
    if model.interval.folds:
        said += f", from {model.interval.n_residuals:,} predictions of trials that were held out"
    scores = recorded(model.validation).scores
    if scores is not None and scores.coverage_90 is not None:
        said += f"; on them it held {scores.coverage_90:.0f} %"
    value, low, high = _middle(model)
    if np.isfinite([value, low, high]).all():
        said += f". In the middle of the trained ranges it is {quantity(low, model.response)} to "
        said += f"{quantity(high, model.response)} around {quantity(value, model.response)}"
        if model.scale.log and value > 0:
            said += f" ({100 * (low / value - 1):+.0f} % to {100 * (high / value - 1):+.0f} %)".replace("-", "−")
    return f"{said}."


def interval_briefly(model: FittedPipeline) -> str:
    """Return how wide the interval is in the middle of the trained ranges, and how often it held; "" without one."""
    if model.interval is None:
        return ""
    scores = recorded(model.validation).scores
    held = f", held {scores.coverage_90:.0f} %" if scores is not None and scores.coverage_90 is not None else ""
    value, low, high = _middle(model)
    if not np.isfinite([value, low, high]).all():
        return f"made to hold {100 * model.interval.nominal:.0f} %{held}"
    return f"{quantity(low, model.response)} to {quantity(high, model.response)} mid-range{held}"


def _middle(model: FittedPipeline) -> tuple[float, float, float]:
    """Return prediction and ends of its interval in the middle of the trained ranges."""
    said = model.predict((model.domain.low[None, :] + model.domain.high[None, :]) / 2)
    return float(said.value[0]), float(said.low[0]), float(said.high[0])


def honest(kept: Record) -> str:
    """Return how good a model is where it matters, in a sentence; "" if it was never tested."""
    if kept.scores is None or not kept.folds:
        return ""
    try:
        said = honest_sentence(kept.folds, kept.scores, kept.training)
    except OptionError:  # folds that this version does not know
        return ""
    if kept.constant is None or kept.constant.mape is None:
        return said
    constant = percent(kept.constant.mape)
    return f"{said} A constant, the median of the other trials, would be off by {constant} in the mean."


def facts(model: FittedPipeline, kept: Record, saved: str = "", sha256: str = "") -> list[tuple[str, str]]:
    """Return what a model was trained on, how, and when, each by its name.

    Parameters
    ----------
    saved, sha256 : when it was saved, and of its file, where that is known
    """
    made = model.provenance
    families = sorted({type(m.model).__name__.removesuffix("Model") for m in model.clusters})
    found = [
        ("Predicts", str(model.response)),
        ("From", predictors(model.names)),
        ("Recipe", f"{made.recipe} ({', '.join(families)})"),
        ("Dataset", made.dataset),
        ("Trials", f"{made.n_trials:,}" if made.n_trials else ""),
        *((f"{role.capitalize()}s", _listed(own.names, own.n)) for role, own in kept.trained_on.items()),
        ("Clusters", str(len(model.clusters)) if len(model.clusters) > 1 else ""),
        ("Options", _options(made.options)),
        ("Seed", str(made.seed)),
        ("Saved", saved),
        ("Trials' SHA-256", made.trials_sha256),
        ("Model file's SHA-256", sha256),
        ("Made by", f"Ridgeline {made.version}"),
    ]
    return [(name, value) for name, value in found if value]


def _listed(names: Sequence[str], n: int, limit: int = 12) -> str:
    shown = [name or "(none)" for name in names[:limit]]
    more = f" and {n - len(shown):,} more" if n > len(shown) else ""
    return f"{n:,}: {', '.join(shown)}{more}"


def _options(options: Mapping[str, Any]) -> str:
    own = options.get("family", options)
    pairs = own.items() if isinstance(own, Mapping) else options.items()
    said = [(name, value) for name, value in sorted(pairs) if value not in (None, "", (), [], {})]
    return "; ".join(f"{name} = {text_of(value)}" for name, value in said)


def ranges(model: FittedPipeline) -> tuple[Range, ...]:
    """Return where each metric was in training."""
    ends = zip(model.metrics, model.domain.low.tolist(), model.domain.high.tolist(), strict=True)
    return tuple(Range(m, lo if lo > -UNKNOWN else None, hi if hi < UNKNOWN else None) for m, lo, hi in ends)


def together(model: FittedPipeline) -> str:
    """Return how far from the training trials a row is marked as outside in all metrics together; "" if unknown."""
    domain = model.domain
    if not domain.knows_leverage:
        return ""
    return (
        "Metrics have to go together as they did in training, too: a row further from the training trials' centre than "
        f"every one of them (squared Mahalanobis distance above {domain.furthest:.4g} over {len(domain.directions)} "
        "components) is marked as outside, even where each metric is in its range."
    )


def scores(kept: Record, response: Metric) -> ScoreCard | None:
    """Return scores held out beside training; None if it was never tested."""
    columns = {"unseen trials": kept.scores, "a constant, on these": kept.constant, "training trials": kept.training}
    there = {name: scores for name, scores in columns.items() if scores is not None}
    return score_card(there, response) if there else None


def short_formula(model: FittedPipeline) -> str:
    """Return the formula as far as a card shows it."""
    text = formula(model).text(limit=6)
    if len(text) <= LONGEST_FORMULA:
        return text
    return f"{text[:LONGEST_FORMULA]}\n… and {len(text) - LONGEST_FORMULA:,} more letters; the model file has all"


def how_to_read(model: FittedPipeline) -> tuple[str, ...]:
    """Return what a reader of the formula has to know, less what speaks of the dashboard's views."""
    kept = [". ".join(s for s in said.split(". ") if "Effects view" not in s) for said in notation(model)]
    return tuple(said if said.endswith(".") else f"{said}." for said in kept if said)


def limits(model: FittedPipeline, kept: Record) -> list[str]:
    """Return what a model is not, a sentence each."""
    said = [_HELD[model.extrapolation]]
    if kept.folds:
        said.append(
            f"Scores and interval say how it does on what was held out ({tested_with(kept.folds)}), not on anything "
            "else that is new."
        )
    else:
        said.append("It was never tested on trials that it had not seen: nobody knows how good it is.")
    if model.scale.log:
        said.append("It was learnt in logarithms: it predicts the median, never below 0, and its errors are factors.")
    if any(bound is None for r in ranges(model) for bound in (r.low, r.high)):
        said.append("Its file does not say in which range it was trained.")
    said += [f"Cluster {i}: {m.note}." for i, m in enumerate(model.clusters, 1) if m.note]
    return [*said, *(f"{note[:1].upper()}{note[1:]}." for note in model.notes)]


def use(model: FittedPipeline) -> tuple[tuple[str, str], ...]:
    """Return how to use a model, titles and code."""
    names = list(model.names[:4])
    header = ",".join([*names, "…"] if len(model.names) > 4 else names)
    numbers = ", ".join(f"{float(v):.4g}" for v in middle_row(model)[:4])
    row = f"{numbers}, …" if len(model.names) > 4 else numbers
    return (
        (
            "Rows of a CSV, on the command line",
            f"# rows.csv: {header}\nridgeline predict model.json rows.csv --out predictions.csv",
        ),
        (
            "Python, with Ridgeline installed",
            "import numpy as np\nfrom core.export import read_model\n\n"
            'model = read_model(open("model.json", "rb").read())\n'
            f"rows = np.array([[{row}]])  # {header}\n"
            "said = model.predict(rows)\nprint(said.value, said.low, said.high, said.in_domain, said.why)",
        ),
    )


def middle_row(model: FittedPipeline) -> list[float]:
    """Return the middle of each metric's trained range, 1 where a file does not say it."""
    return [1.0 if own.low is None or own.high is None else (own.low + own.high) / 2 for own in ranges(model)]
