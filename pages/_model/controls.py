"""The controls of the Model page: which recipe, with which options, tested on which folds."""

from bisect import bisect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.models import FAMILIES
from core.models.stepwise import POOLS, pool_names
from core.option import Options, specs
from core.recipes import RECIPES, Recipe, Treated, recipe_label
from core.recipes.base import TREATMENT
from core.report.shared.scorecard import INTERVALS
from core.trial import Frame
from core.validate.calibration import METHODS
from core.validate.folds import FoldPlan, default_folds, few_folds, parse_folds, possible_folds
from pages._ui.choices import asked_of, pick, set_choice
from pages._ui.database import kept
from pages._ui.drawn import folds_said, literal
from pages._ui.forms import more_options, options_form

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
    plan = _choose_folds(frame)
    with more_options("options", "All options"):
        interval = _choose_interval()
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
