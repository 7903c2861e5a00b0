"""The controls of the Model page: which recipe, with which options, tested on which folds."""

import streamlit as st

from core.models import FAMILIES
from core.models.stepwise import POOLS, pool_names
from core.option import Options, specs
from core.recipes import RECIPES, FamilyRecipe, Recipe
from core.trial import Frame
from core.validate.folds import FoldPlan, default_folds, parse_folds, possible_folds
from pages._ui.choices import drop_unknown
from pages._ui.forms import options_form
from pages._ui.text import literal, number

FIRST = ("pool", "components", "clusters")
THRESHOLDS = (0.0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1)
_RACED = tuple(name for name in POOLS if name != "eiger1")


def choose(frame: Frame) -> tuple[Recipe, FoldPlan]:
    """Let the user choose a recipe, its options, and what it is tested with; what matters most comes first."""
    names = [*RECIPES, *(name for name in FAMILIES if name not in RECIPES)]
    drop_unknown("recipe", names)
    columns = st.columns([3, 4, 4, 4, 3], vertical_alignment="bottom")
    with columns[0]:
        name = st.selectbox(
            "Recipe", names, key="recipe", bind="query-params",
            help="A published procedure (" + ", ".join(RECIPES) + "), or one model family alone on the scaled metrics.",
        )  # fmt: skip
    name = name or names[0]
    cls = RECIPES[name] if name in RECIPES else FAMILIES[name]
    known = [spec.name for spec in specs(cls)]
    values = {}
    with columns[1]:
        plan = _choose_folds(frame)
    for column, option in zip(columns[2:], [n for n in FIRST if n in known], strict=False):
        with column:
            values |= options_form(cls, name, [option], offers={"pool": pool_names()})
    if "threshold" in known:
        values |= _threshold(cls, name)
    rest = [n for n in known if n not in values]
    if rest:
        with st.expander("All options", key=f"{name}_all"):
            values |= options_form(cls, name, rest, offers={"race": _RACED})
    recipe = RECIPES[name](**values) if name in RECIPES else FamilyRecipe(family=FAMILIES[name](**values))
    return recipe, plan


def _choose_folds(frame: Frame) -> FoldPlan:
    """Let the user choose what is held out; the hardest question comes first."""
    first = default_folds(frame)
    texts = list(dict.fromkeys([str(first), *(str(plan) for plan in possible_folds(frame))]))
    chosen = st.selectbox(
        "Folds", texts, key="folds", bind="query-params", accept_new_options=True,
        help="What the model is tested on: each in turn is left out of the fit and then predicted. Choose "
        "what you will really predict, such as a new application or a new machine. "
        "You may also type `kfold:7`, `holdout:200`, `loo` or `by:COLUMN`.",
    )  # fmt: skip
    return parse_folds(chosen) if chosen else first


def _threshold(cls: type[Options], prefix: str) -> dict[str, object]:
    values = options_form(cls, prefix, ["threshold"], steps={"threshold": THRESHOLDS})
    least = values["threshold"]
    st.caption(
        literal(
            f"A further term must raise adjusted R² by more than {number(least)}. Lower it for more terms that follow "
            "these trials more closely; raise it for a shorter formula that leans less on them."
        )
    )
    return values
