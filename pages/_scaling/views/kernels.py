"""The Kernels view: measured curves and surfaces of one kernel, others beside it, and what each is bound by."""

from typing import Any

import pandas as pd
import streamlit as st

from core.report.scaling.kernels import behaviour_counts, behaviour_table, kernel_map, kernel_panels, moving
from core.space.plan import shown as said_number
from pages._scaling.study import Asked, choose_pair, draw_legend, draw_pictures
from pages._ui.choices import pick, pick_several
from pages._ui.drawn import choose_kind, count, draw_surface, literal, short_texts, shortened, table
from pages._ui.page import fragment, instrument

TITLE, PLACE = "Kernels", 1

_MOST_BESIDE = 5
_ELASTICITY = "Elasticities: 1 means {} grows as the axis does, 0 that it does not react."
_BOUND = (
    " Compute-bound: at least 60 % of the gain comes from an axis of compute; bandwidth-bound: from one of memory; "
    "not scaling: next to no gain."
)


def draw(asked: Asked) -> None:
    """Draw kernels' curves, one kernel's surface, and a table of all."""
    _bench(asked)
    found = asked.relative
    quantity = literal(found.quantity)
    st.header("What each kernel is bound by" if found.bound else f"How {quantity} reacts", anchor=False)
    if found.bound:
        st.markdown(literal(", ".join(f"{n} {name}" for name, n in behaviour_counts(found).items()) + "."))
    rows = behaviour_table(found)
    alt = "Each kernel's behaviour and elasticities"
    table(short_texts(rows), "behaviours", alt=alt, values=rows, digits=3, column_config=_columns(rows))
    st.caption(f"{_ELASTICITY.format(quantity)}{_BOUND if found.bound else ''}")


def _columns(rows: pd.DataFrame) -> dict[str, Any]:
    """Return how the columns are shown; of an elasticity two decimals count."""
    two = st.column_config.NumberColumn(format="%.2f")
    return {str(c): two for c in rows.columns if str(c).startswith("reacts to ")}


@fragment()
def _bench(asked: Asked) -> None:
    """Draw what the choice of a kernel changes; it alone runs again."""
    found, axes = asked.relative, moving(asked.study.grid)
    head, _, controls, picture = instrument()
    with controls:
        name, others, through = _choose(asked)
        pair = choose_pair([a.name for a in asked.study.axes], axes, "scaling_map") if len(axes) > 1 else None
        kind = choose_kind("scaling_map") if pair else ""
    at = asked.texts.index(through)
    with head:
        _headline(asked, name)
    shown = tuple(dict.fromkeys([name, *others]))
    with picture:
        draw_legend(shown)
        draw_map = (lambda: draw_surface(kernel_map(found, name, at, *pair), kind, "kernel_surface")) if pair else None
        draw_pictures([kernel_panels(found, shown, at)], "kernel_curves", draw_map)
        missing = int((~found.surfaces.known[found.of(name)]).sum())
        if missing:
            st.caption(f"{count(missing, 'configuration')} of this kernel were not measured and are left out.")


def _choose(asked: Asked) -> tuple[str, tuple[str, ...], str]:
    """Let the user choose a kernel, others beside it, and the configuration that curves run through."""
    names = list(asked.relative.names)
    said = shortened(names)
    help = "What was measured of it, relative to the base configuration."
    name = pick("Kernel", names, "scaling_kernel", help, words=said)
    most: dict[str, Any] = {"placeholder": "Up to five others", "max_selections": _MOST_BESIDE}
    others = pick_several("Beside it", names, "scaling_others", words=said, **most)
    study, usual = asked.study, asked.texts[asked.base]
    names_of_axes = literal(", ".join(axis.name for axis in study.axes))
    help = f"Along each axis, the others stay as in this configuration: its values of {names_of_axes}."
    values = [" · ".join(map(said_number, row)) for row in study.grid.tolist()]
    words = dict(zip(asked.texts, values if len(study.axes) > 1 else asked.texts, strict=True)).__getitem__
    return name, others, pick("Curves through", asked.texts, "scaling_through", help, usual=usual, words=words)


def _headline(asked: Asked, name: str) -> None:
    """Say what a kernel is bound by, and how strongly it reacts to each axis."""
    found = asked.relative
    behaviour, quantity = found.behaviours[found.of(name)], literal(found.quantity)
    low, high = found.reach(found.of(name))
    reaches = f"has {low:.3g} to {high:.3g} times the {quantity} of the base"
    st.markdown(f"**{literal(name)}** {f'is **{behaviour.label}**' if found.bound else reaches}.")
    with st.grid(3, min_column_width=120, gap="small"):
        for i in moving(asked.study.grid):
            reacts = f"Reacts to {literal(asked.study.axes[i].name)}"
            st.metric(reacts, f"{behaviour.elasticity[i]:z.2f}", help=f"1: {quantity} grows as the axis does; 0: not.")
