"""The controls of the Model page: which recipe, with which options, tested on which folds."""

import streamlit as st

from core.models import FAMILIES
from core.models.base import Family
from core.models.stepwise import POOLS, pool_names
from core.option import Options, specs
from core.recipes import RECIPES, Recipe
from core.recipes._treated import TREATMENT, Treated
from core.report.scorecard import INTERVALS
from core.trial import Frame, Kind
from core.validate.calibration import AUTO, METHODS
from core.validate.folds import FoldPlan, default_folds, parse_folds, possible_folds
from pages._ui.choices import drop_unknown
from pages._ui.forms import options_form
from pages._ui.text import literal, number

FIRST = (
    "pool", "components", "clusters", "variant", "theta", "phi", "knots", "interactions", "trees", "max_features",
    "min_leaf",
)  # fmt: skip
"""Options that stand beside the recipe, the first three of them that it has; the others are in an expander."""
USUAL, DESIGN_SPACE = "eiger", "stargazer"
THRESHOLDS = (0.0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1)
_DEFAULT = "_default_of"
_RACED = tuple(name for name in POOLS if name != "eiger1")


def choose(frame: Frame) -> tuple[Recipe, FoldPlan, str]:
    """Let the user choose a recipe, its options, what it is tested with, and how intervals are made."""
    names = _recipes(frame)
    form = st.grid(3, min_column_width=160, gap="small")
    with form:
        name = st.selectbox(
            "Recipe", names, key="recipe", bind="query-params",
            help="A published procedure (" + ", ".join(RECIPES) + "), or one model family alone on the scaled metrics.",
        )  # fmt: skip
    name = name or names[0]
    cls = RECIPES[name] if name in RECIPES else FAMILIES[name]
    known = [spec.name for spec in specs(cls)]
    values = {}
    with form:
        plan = _choose_folds(frame)
        interval = _choose_interval()
    plain = [spec.name for spec in specs(cls) if not spec.expert]
    for option in [n for n in FIRST if n in plain][:3]:
        with form, st.container():
            values |= options_form(cls, name, [option], offers={"pool": pool_names()})
    st.caption(literal(f"{cls.label}: {_in_words(cls)}"))
    if "threshold" in known:
        values |= _threshold(cls, name)
    rest = [n for n in known if n not in values]
    if rest:
        with st.expander("All options", key=f"{name}_all"):
            values |= options_form(cls, name, rest, offers={"race": _RACED}, apart=False)
    if name in RECIPES:
        return RECIPES[name](**values), plan, interval
    return _family(FAMILIES[name](**values), name), plan, interval


def _family(family: Family, name: str) -> Recipe:
    """Let the user choose the scales of a family; as they are by default it is what `fit` takes."""
    with st.expander("Scales", key=f"{name}_scales"):
        chosen = options_form(Treated, name, TREATMENT, apart=False)
    return Treated(family=family, **chosen)


def _recipes(frame: Frame) -> list[str]:
    """Return the names to choose from, the readable one first, and put it in place of one that nobody chose.

    Where there is nothing but parameters to predict from, the recipe for design spaces comes first.
    """
    first = DESIGN_SPACE if all(m.kind == Kind.PARAMETER for m in frame.metrics) else USUAL
    names = [first, *(name for name in [*RECIPES, *FAMILIES] if name != first)]
    _follow("recipe", names[0])
    drop_unknown("recipe", names)
    return names


def _follow(key: str, default: str) -> None:
    """Let a choice that nobody made follow its default when other trials have another one."""
    kept = f"{_DEFAULT}_{key}"
    former = st.session_state.get(kept, default)
    if former != default and st.session_state.get(key) == former and key not in st.query_params:
        st.session_state[key] = default
    st.session_state[kept] = default


def _in_words(cls: type[Options]) -> str:
    """Return the first sentence of what a recipe or family says of itself."""
    return " ".join((cls.__doc__ or "").partition("\n\n")[0].split())


def _choose_folds(frame: Frame) -> FoldPlan:
    """Let the user choose what is held out; the hardest question comes first."""
    first = default_folds(frame)
    texts = list(dict.fromkeys([str(first), *(str(plan) for plan in possible_folds(frame))]))
    _follow("folds", texts[0])
    chosen = st.selectbox(
        "Folds", texts, key="folds", bind="query-params", accept_new_options=True,
        help="What the model is tested on: each in turn is left out of the fit and then predicted. Choose "
        "what you will really predict, such as a new application or a new machine. "
        "You may also type `kfold:7`, `holdout:200`, `loo` or `by:COLUMN`.",
    )  # fmt: skip
    return parse_folds(chosen) if chosen else first


def _choose_interval() -> str:
    """Let the user choose what 90 % intervals are wide by."""
    drop_unknown("interval", list(METHODS))
    chosen = st.selectbox(
        "Intervals", METHODS, key="interval", bind="query-params",
        help="How wide a prediction's 90 % interval is, learnt from the folds: "
        + "; ".join(f"`{name}`: {said}" for name, said in INTERVALS.items()) + ".",
    )  # fmt: skip
    return str(chosen or AUTO)


def _threshold(cls: type[Options], prefix: str) -> dict[str, object]:
    values = options_form(cls, prefix, ["threshold"], steps={"threshold": THRESHOLDS})
    least = values["threshold"]
    if least is None:
        st.caption("As many terms as predict groups held out best, judged along the one path of the selection.")
        return values
    st.caption(
        literal(
            f"A further term must raise adjusted R² by more than {number(least)}. Lower it for more terms that follow "
            "these trials more closely; raise it for a shorter formula that leans less on them."
        )
    )
    return values
