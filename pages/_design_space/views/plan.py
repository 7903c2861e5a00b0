"""The Plan view: which designs to measure, as a table, a CSV, and the command that measures them.

`draw_plan` draws the plans of the view *Next experiments*, too.
"""

import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd
import streamlit as st

from core.errors import OptionError
from core.report.shared.naming import file_name
from core.space.design_space import DesignSpace
from core.space.plan import Plan, make_plan, shown, write_plan
from core.space.plans import METHODS, Evidence, PlanMethod, count
from core.space.table import write_space
from core.trial import Frame
from pages._design_space.model import Chosen
from pages._design_space.shown import Shown
from pages._ui.choices import pick, toggle, whole
from pages._ui.drawn import count as counted
from pages._ui.drawn import download, literal, table
from pages._ui.forms import options_form
from pages._ui.jobs import computed, key_of

TITLE, PLACE = "Plan", 2

NEXT = "next"
NUMBER, FRACTION, DIMENSION = SIZES = ("number", "fraction of the space", "fraction of each dimension")
_MOST_ROWS = 1000
_NONE: Mapping[str, str] = MappingProxyType({})
_MOST_POINTS = 200_000


def draw(shown: Shown) -> None:
    """Let the user choose method, size and seed, and draw the plan."""
    if (space := shown.space()) is None:
        return
    columns = st.columns([3, 4, 2], vertical_alignment="top")
    with columns[0]:
        method = _method()
    with columns[1]:
        n = _size(space)
    seed = whole("Seed", 0, 2**31 - 1, 0, "plan_seed", "Of every draw", on=columns[2])
    frame = _measured(space, shown.chosen)
    if n > _MOST_POINTS:
        raise OptionError(f"A plan of {n:,} points is too long for this page; at most {_MOST_POINTS:,}. Ask for fewer.")
    key = key_of(write_space(space), type(method).__name__, method, n, seed, frame.digest() if frame else "")
    evidence = Evidence(frame=frame)
    codes = computed(
        "plan", f"Choosing {counted(n, 'design')}", key, lambda p: method.draw(space, n, int(seed), evidence, p)
    )
    if codes is not None:
        draw_plan(make_plan(space, codes), space, "plan")


def draw_plan(
    made: Plan,
    space: DesignSpace,
    key: str,
    beside: pd.DataFrame | None = None,
    meanings: Mapping[str, str] = _NONE,
    into: Sequence[str] = (),
) -> None:
    """Draw a plan, with further columns `beside` it and what they mean, its CSV and the command that measures it.

    Parameters
    ----------
    into : words of that command that say where results go, if not into a dataset called as the space
    """
    points = {str(p): [shown(v[i]) for v in made.points] for i, p in enumerate(space.parameters)}
    runs, designs = pd.DataFrame({"run": made.runs}), pd.DataFrame(points)
    preview = pd.concat([runs, designs] if beside is None else [runs, beside, designs], axis=1)
    st.markdown(f"**{counted(len(made), 'design')}**" + (" (the first 1,000)" if len(made) > _MOST_ROWS else ""))
    helps = {name: st.column_config.NumberColumn(help=said, format="%.4g") for name, said in meanings.items()}
    alt = "The designs to measure, in order"
    table(preview.head(_MOST_ROWS), f"{key}_table", alt=alt, download=False, column_config=helps)
    name = f"{space.name or 'design_space'} {key}.csv"
    download("Plan as CSV", lambda: write_plan(made).encode(), name, f"{key}_download", type="primary")
    st.markdown("Measure them with a program of yours, whose results are imported as they come:")
    st.code(_command(made, space, key, into), language="sh", wrap_lines=True)


def _method() -> PlanMethod:
    names = [name for name in METHODS if name != NEXT]
    names.sort(key=lambda name: name != "uniform")
    help = "Uniform random is the paper's; a Latin hypercube and Sobol' points spread more evenly."
    name = pick("Method", names, "plan_method", help, words=lambda n: METHODS[n].label or n)
    return METHODS[name](**options_form(METHODS[name], f"plan_{name}"))


def _size(space: DesignSpace) -> int:
    columns = st.columns([4, 2], vertical_alignment="bottom")
    help = "A fraction f of each of d dimensions is the fraction f to the power of d of the space."
    by = pick("Size by", SIZES, "plan_size", help, on=columns[0])
    with columns[1]:
        if by == NUMBER:
            number = st.number_input("Designs", 1, 10_000_000, 300, key="plan_number", bind="query-params")
            return min(int(number), space.n_points)
        usual, key = 0.01 if by == FRACTION else 0.5, f"plan_share_{SIZES.index(by)}"
        share = st.number_input("Fraction", 1e-9, 1.0, usual, key=key, format="%g", bind="query-params")
    return count(space, fraction=share) if by == FRACTION else count(space, per_dimension=share)


def _measured(space: DesignSpace, chosen: Chosen | None) -> Frame | None:
    """Let the user leave out designs that are measured already, where there are such trials."""
    if chosen is None or not set(space.names) <= set(chosen.names):
        return None
    said = literal(f"Designs that trials of {chosen.dataset} already tell of are not planned again.")
    return chosen.frame(space.names) if toggle("Leave out what is measured", "plan_leave", said) else None


def _command(made: Plan, space: DesignSpace, key: str, into: Sequence[str]) -> str:
    """Return the command line that measures a plan."""
    options = " ".join(f"--{name.replace(' ', '-')} {{{name}}}" for name in made.names)
    plan_file = file_name(f"{space.name or 'design_space'} {key}", ".csv")
    return (
        f"ridgeline measure {shlex.quote(plan_file)} --command {shlex.quote(f'./simulate {options}')} "
        f"{shlex.join(into or ('--dataset', space.name or 'measured'))} --jobs 2"
    )
