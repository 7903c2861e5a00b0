"""The Kernels view: measured curves and surfaces of one kernel, others beside it, and what each is bound by."""

from typing import Any

import pandas as pd
import streamlit as st

from core.report.scaling.kernels import behaviour_counts, behaviour_table, kernel_map, kernel_panels
from core.report.scaling.slices import moving
from pages._scaling.drawing import choose_kind, choose_pair, draw_legend, draw_panels, draw_surface
from pages._scaling.study import Asked
from pages._ui.charts import table
from pages._ui.choices import pick, pick_several
from pages._ui.columns import short_numbers, short_texts
from pages._ui.page import guard
from pages._ui.text import count, literal, short_distinct

_MOST_BESIDE = 5
_WHY = (
    "Elasticities: 1 means performance grows as the axis does, 0 that it does not react. Compute-bound: at least 60 % "
    "of the gain comes from an axis of compute; bandwidth-bound: from one of memory; not scaling: next to no gain."
)


def draw(asked: Asked) -> None:
    """Draw kernels' curves, one kernel's surface, and a table of all."""
    _bench(asked)
    found = asked.relative
    st.subheader("What each kernel is bound by", anchor=False)
    counts = behaviour_counts(found)
    st.markdown(literal(", ".join(f"{n} {name}" for name, n in counts.items()) + "."))
    rows = behaviour_table(found)
    alt = "Each kernel's behaviour and elasticities"
    table(short_texts(rows), "behaviours", alt=alt, values=rows, column_config=_columns(rows))
    st.caption(_WHY)


def _columns(rows: pd.DataFrame) -> dict[str, Any]:
    """Return how the columns are shown; of an elasticity two decimals count."""
    two = st.column_config.NumberColumn(format="%.2f")
    return short_numbers(rows, 3) | {str(c): two for c in rows.columns if str(c).startswith("reacts to ")}


@st.fragment
def _bench(asked: Asked) -> None:
    """Draw what the choice of a kernel changes; it alone runs again."""
    with guard():
        found = asked.relative
        names = list(found.names)
        said = short_distinct(names, 60)
        with st.grid(3, min_column_width=220, vertical_alignment="bottom"):
            help_text = "What was measured of it, relative to the base configuration."
            name = pick("Kernel", names, "scaling_kernel", help_text, words=lambda n: said.get(n, n))
            others = pick_several(
                "Beside it",
                names,
                "scaling_others",
                placeholder="Up to five others",
                max_selections=_MOST_BESIDE,
                words=lambda n: said.get(n, n),
            )
            help = "Along each axis, the others stay as in this configuration."
            through = pick("Curves through", asked.texts, "scaling_through", help, usual=asked.texts[asked.base])
        at = asked.texts.index(through)
        label = found.behaviours[found.of(name)].label
        st.markdown(f"**{literal(name)}** is **{label}**.")
        shown = tuple(dict.fromkeys([name, *others]))
        draw_legend(shown)
        draw_panels(kernel_panels(found, shown, at), "kernel_curves")
        axes = moving(asked.study.grid)
        if len(axes) > 1:
            _surface(asked, name, at)
        missing = int((~found.surfaces.known[found.of(name)]).sum())
        if missing:
            st.caption(f"{count(missing, 'configuration')} of this kernel were not measured and are left out.")


def _surface(asked: Asked, name: str, at: int) -> None:
    st.subheader("Two axes at once", anchor=False)
    left, right = st.columns([2, 5])
    with left:
        axes = [a.name for a in asked.study.axes]
        first, second = choose_pair(axes, moving(asked.study.grid), "scaling_map")
        kind = choose_kind("scaling_map")
    with right:
        draw_surface(kernel_map(asked.relative, name, at, first, second), kind, "kernel_surface")
