"""What the Model page asks and computes: recipe, options, folds; kept by the digest of frame and recipe."""

import time
from bisect import bisect
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.codec import Frozen, to_plain
from core.export import EXPORTERS
from core.models import FAMILIES
from core.models.stepwise import POOLS, pool_names
from core.option import Options, specs
from core.pipeline import FittedPipeline
from core.progress import Progress
from core.recipes import RECIPES, Recipe, Treated, recipe_label, validate
from core.recipes.auto import Auto
from core.recipes.base import TREATMENT
from core.report.model.effects import Effects, Surface, effects, surface
from core.report.shared.outcome import Outcome, held_out_outcome, training_outcome
from core.report.shared.scorecard import INTERVALS, fold_label
from core.report.trials.components import warm_up
from core.trial import Frame
from core.untold import untold
from core.validate.calibration import AUTO, METHODS
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan, default_folds, few_folds, parse_folds, possible_folds
from pages._ui import jobs
from pages._ui.choices import asked_of, pick, set_choice
from pages._ui.database import Shelf, fitted, held, kept, prepare, recipe_key
from pages._ui.drawn import count, folds_said, literal, number
from pages._ui.forms import more_options, options_form
from pages._ui.jobs import Work, ahead, computed, key_of, stop_former

FIRST = (
    "components",
    "clusters",
    "variant",
    "theta",
    "phi",
    "knots",
    "interactions",
    "trees",
    "max_features",
    "min_leaf",
    "pool",
    "max_terms",
)
"""Options that are always in view, the first two of them that a recipe has; the others are behind a button."""
USUAL = "eiger"
PLAYED = ("components", "clusters")
"""Options of the usual recipe that are in view beside every other, too; touching one shows it."""
THRESHOLDS = (0.0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1)
_SEEN = "_seen_eiger"
OFFERS = {"pool": pool_names(), "race": tuple(name for name in POOLS if name != "eiger1")}


def choose(frame: Frame) -> tuple[Recipe, FoldPlan, str, DeltaGenerator]:
    """Let the user choose a recipe, its options, what it is tested with, and how intervals are made.

    With these comes where to draw what the number of terms is chosen by.
    """
    names = [USUAL, *(name for name in [*RECIPES, *FAMILIES] if name != USUAL)]
    known = {**RECIPES, **FAMILIES}
    own = known.get(asked_of("recipe", USUAL), known[USUAL])
    help = f"{own.label}: {_in_words(own)} The first {len(RECIPES)} are procedures, the others one family alone."
    name = pick("Recipe", names, "recipe", literal(help), words=recipe_label)
    cls = known[name]
    values, rest, curve = _options(cls, name)
    judged = issubclass(cls, Auto)  # on the folds that its choices were made in, with the interval that these found
    plan = few_folds(frame) if judged else _choose_folds(frame)
    with more_options("options", "All options"):
        interval = AUTO if judged else _choose_interval()
        values |= options_form(cls, name, rest, offers=OFFERS, apart=False)
        scales = {} if name in RECIPES else options_form(Treated, name, TREATMENT, apart=False)
    recipe = RECIPES[name](**values) if name in RECIPES else Treated(family=FAMILIES[name](**values), **scales)
    return recipe, plan, interval, curve


def along_threshold(recipe: Any) -> list[Recipe]:
    """Return a recipe with every threshold of the slider, the nearest to its own first; none where it has no such."""
    if getattr(recipe, "threshold", None) is None:
        return []
    place = bisect(THRESHOLDS, recipe.threshold)
    nearest = sorted(THRESHOLDS, key=lambda threshold: abs(bisect(THRESHOLDS, threshold) - place))
    return [replace(recipe, threshold=threshold) for threshold in nearest]


def _options(cls: type[Options], name: str) -> tuple[dict[str, Any], list[str], DeltaGenerator]:
    """Draw a recipe's first options, and those of the usual one that are always in view; return what is left, too."""
    known, plain = [spec.name for spec in specs(cls)], [spec.name for spec in specs(cls) if not spec.expert]
    values = _threshold(cls, name) if "threshold" in known else {}
    curve = st.container()
    values |= options_form(cls, name, [n for n in FIRST if n in plain][:2], offers=OFFERS)
    _play(name, values)
    return values, [n for n in known if n not in values], curve


def _play(name: str, values: Mapping[str, Any]) -> None:
    """Keep the usual recipe's components, clusters and threshold in view; it is shown where one is touched."""
    usual = RECIPES[USUAL]
    if name == USUAL:
        now = {option: values[option] for option in (*PLAYED, "threshold")}
    else:
        st.caption(f"{usual.label}: touch one of these to select terms step by step.")
        threshold = {} if "threshold" in values else _threshold(usual, USUAL)
        now = {**threshold, **options_form(usual, USUAL, PLAYED)}
    former = st.session_state.get(_SEEN, now)
    st.session_state[_SEEN] = {**former, **now}
    if name != USUAL and any(former.get(option, value) != value for option, value in now.items()):
        set_choice("recipe", USUAL)
        st.rerun()


def _in_words(cls: type[Options]) -> str:
    """Return the first sentence of what a recipe or family says of itself."""
    return " ".join((cls.__doc__ or "").partition("\n\n")[0].split())


def _choose_folds(frame: Frame) -> FoldPlan:
    """Let the user choose what is held out; the hardest question comes first."""
    help = (
        "What the model is tested on: each in turn is left out of the fit and then predicted. Choose "
        "what you will really predict, such as a new application or a new machine. "
        "You may also type `kfold:7`, `holdout:200`, `loo` or `by:COLUMN`."
    )
    return parse_folds(pick("Tested on", _fold_plans(frame), "folds", help, words=folds_said, gone=lambda text: False))


@kept(lambda frame: frame.digest(), 64)
def _fold_plans(frame: Frame) -> list[str]:
    plans = (few_folds(frame), default_folds(frame), *possible_folds(frame))
    return list(dict.fromkeys(str(plan) for plan in plans))


def _choose_interval() -> str:
    """Let the user choose what 90 % intervals are wide by."""
    how = "; ".join(f"`{name}`: {said}" for name, said in INTERVALS.items())
    help = f"How wide a prediction's 90 % interval is, learnt from the folds: {how}."
    return pick("Intervals", METHODS, "interval", help)


def _threshold(cls: type[Options], prefix: str) -> dict[str, object]:
    return options_form(cls, prefix, ["threshold"], steps={"threshold": THRESHOLDS})


MOST_S, _PATIENCE_S = 1.5, 1.0
FITS, VALIDATIONS = Shelf("fits", 6), Shelf("validations", 32)
DEAR_TRIALS = 300
Fit = tuple[FittedPipeline, float]


def timed_fit(frame: Frame, recipe: Recipe) -> tuple[FittedPipeline, float]:
    """Return the recipe fitted to a frame, and how many seconds a fit from scratch takes.

    A fit for another threshold starts from what an earlier one has learnt, as no fold can; so
    the longest fit counts among those that differ in nothing but the selection.
    """
    model, seconds = _timed_fit(frame, recipe)
    longest = held("", "longest fits")
    key = f"{frame.digest()} {_without_selection(to_plain(recipe))}"
    longest[key] = max(seconds, longest.get(key, 0.0))
    return model, longest[key]


def fit_key(frame: Frame, recipe: Recipe) -> str:
    """Return a short text that is the same for the same fit."""
    return f"fit-{key_of(frame.digest(), recipe_key(recipe))}"


def fit_work(frame: Frame, recipe: Recipe) -> Work:
    """Return a fit as work for a job, which gives the model and the seconds it took."""

    def work(progress: Progress) -> Fit:
        started = time.perf_counter()
        return recipe.fit(frame, progress), time.perf_counter() - started

    return work


def fit_or_wait(frame: Frame, recipe: Recipe) -> Fit | None:
    """Return the fitted model and the seconds a fit takes; None while a job fits it, whose progress is drawn."""
    if recipe.is_quick(few=len(frame) <= DEAR_TRIALS):  # a person waits for it without a word
        return timed_fit(frame, recipe)
    title = f"Fitting {recipe.name} to {len(frame):,} trials"
    return computed("fit", title, fit_key(frame, recipe), fit_work(frame, recipe), _PATIENCE_S, FITS)


def _by_fit(frame: Frame, recipe: Recipe, model: FittedPipeline | None = None) -> Hashable:
    return (frame.digest(), recipe_key(recipe))


@kept(_by_fit, 8)
def outcome_of(frame: Frame, recipe: Recipe, model: FittedPipeline) -> Outcome:
    """Return what the fitted recipe says of the trials it learnt from."""
    return training_outcome(model, frame)


@kept(lambda model, frame, others, key: (key, others), 16, "Moving each metric …")
def effects_of(model: FittedPipeline, frame: Frame, others: str, key: str) -> Effects:
    """Return the curves of a model that is known by `key`."""
    return effects(model, model.rows(frame), others)


@kept(lambda model, frame, pair, others, key: (key, pair, others), 32, "Moving both metrics …")
def surface_of(model: FittedPipeline, frame: Frame, pair: tuple[str, str], others: str, key: str) -> Surface:
    """Return the surface of two metrics of a model that is known by `key`."""
    return surface(model, model.rows(frame), pair, others)


untold_of = kept(lambda frame: frame.digest(), 16)(untold)
"""Which names the metrics of a frame do not tell apart, by the digest of the frame."""


@kept(lambda model, key: key, 64)
def why_not_kept(model: FittedPipeline, key: str) -> str:
    """Return why a model cannot be written to a file; "" if it can."""
    return EXPORTERS["json"]().can_express(model) or ""


@kept(lambda frame, found, key, log: (key, found.folds), 8)
def held_out_of(frame: Frame, found: Validation, key: str, log: bool) -> Outcome:
    """Return what a validation, known by `key`, says of the trials that it held out."""
    return held_out_outcome(found, frame, log)


def validation_key(frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO) -> str:
    """Return a short text that is the same for the same validation."""
    return f"validate-{key_of(frame.digest(), recipe_key(recipe), plan, seed, interval)}"


class TooLong(Exception):
    """A validation that was to be done at once takes longer than was thought."""


def validate_now(frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO) -> Validation:
    """Return the validation of a recipe.

    Raises
    ------
    TooLong
        After one and a half seconds.
    """
    end = time.perf_counter() + MOST_S

    def watch(fraction: float, message: str) -> None:
        if time.perf_counter() > end:
            raise TooLong

    return validate(recipe, frame, plan, seed, watch, interval, 1, prepare)


def validation_work(
    frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO, beside: bool = False
) -> Work:
    """Return the same as work for a job; with `beside`, in this process, from what is kept of other validations."""
    how: dict[str, Any] = {"workers": 1, "prepare": prepare} if beside else {}
    return lambda progress: validate(recipe, frame, plan, seed, progress, interval, **how)


def _without_selection(options: dict[str, Any]) -> dict[str, Any]:
    """Return options without those that matter to the selection of terms alone."""
    inner = {k: _without_selection(v) if isinstance(v, dict) else v for k, v in options.items()}
    return {k: v for k, v in inner.items() if k not in ("pool", "race", "threshold", "max_terms")}


@kept(_by_fit, 64)
def _timed_fit(frame: Frame, recipe: Recipe) -> Fit:
    if getattr(recipe, "clusters", 1) > 1:
        warm_up()
    started = time.perf_counter()
    return fitted(frame, recipe), time.perf_counter() - started


AT_ONCE_S, _SOON_S = 1.5, 6.0
UNASKED_S = 120.0
_KIND = "test of the Model page"
"""Apart from other pages' validations, which this page's options have no say in."""


class Tested(Frozen):
    """What is known of how well the model predicts the unseen.

    Attributes
    ----------
    plan : chosen by the user
    key : what the validation is known by
    chosen : the validation, if it is there
    expected_s : how long one was thought to take
    """

    plan: FoldPlan
    key: str
    seed: int = 0
    chosen: Validation | None = None
    expected_s: float = 0.0


@kept(lambda frame, plan, seed: (frame.digest(), str(plan), seed), 64)
def _n_folds(frame: Frame, plan: FoldPlan, seed: int) -> int:
    return len(plan.split(frame, seed))


def hold_out(frame: Frame, recipe: Recipe, plan: FoldPlan, fit_s: float, seed: int = 0, interval: str = AUTO) -> Tested:
    """Validate a recipe, and draw what there is to wait for.

    Under an estimated 1.5 seconds it is done at once; under two minutes it starts by itself as a job,
    which the next one stops; above, when the user asks for it.
    """
    key = validation_key(frame, recipe, plan, seed, interval)
    kind, expected_s = f"{_KIND} {plan.how}", fit_s * _n_folds(frame, plan, seed)
    name = f"{kind}-{key}"
    found = VALIDATIONS.get(name)
    if found is None and jobs.find(name) is None:
        stop_former(kind, name)
        if expected_s < AT_ONCE_S:
            with suppress(TooLong):
                found = VALIDATIONS.put(name, validate_now(frame, recipe, plan, seed, interval))
        elif expected_s > UNASKED_S and not _asked(plan, expected_s, key):
            return Tested(plan, key, seed)
    if found is None:
        work, wait_s = validation_work(frame, recipe, plan, seed, interval), AT_ONCE_S if expected_s < _SOON_S else 0.0
        found = computed(kind, f"Leaving out {fold_label(str(plan))}", key, work, wait_s, VALIDATIONS)
    return Tested(plan, key, seed, found, expected_s)


def hold_out_along(frame: Frame, recipe: Recipe, tested: Tested, interval: str = AUTO) -> None:
    """Test the other thresholds of the slider behind the page, the nearest first, so that moving it waits for nothing.

    What is waited for ends this, so it is asked last.
    """
    plan, others = tested.plan, along_threshold(recipe)
    if tested.chosen is None or not others or tested.expected_s * len(others) >= UNASKED_S:
        return
    works = {
        f"{_KIND} {plan.how}-{validation_key(frame, other, plan, tested.seed, interval)}": validation_work(
            frame, other, plan, tested.seed, interval, beside=True
        )
        for other in others
    }
    ahead(f"thresholds {plan.how}", "Testing every threshold", works, VALIDATIONS)


def _asked(plan: FoldPlan, expected_s: float, key: str) -> bool:
    st.info(f"Leaving out {fold_label(str(plan))} takes about {count(max(round(expected_s / 60), 1), 'minute')}.")
    return st.button("Test it", key=f"{key}_start", icon=":material/play_arrow:", help=f"{number(expected_s, 2)} s")
