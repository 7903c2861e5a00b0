"""What if: sliders for every parameter that move the prediction, its interval and every curve at once."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from core.report.figures.scaling_panel import profile
from core.report.shared.naming import change, difference, interval, quantity
from core.report.space.design_points import MeasuredDesigns
from core.report.space.whatif import WhatIf, matters, surface, what_if
from core.space.design_space import DesignSpace
from core.space.sums import Surrogate
from core.space.wishes import HIGH, LOW, at_problem
from pages._design_space import sliders
from pages._design_space.model import Asked
from pages._design_space.shown import Shown, best_of, measured_of, problems_of, space_key, surrogate_of
from pages._design_space.views.best import draw_interactions, known_shares, shares
from pages._ui.choices import act, pick, toggle
from pages._ui.drawn import choose_kind, count, csv_button, draw_sketch, draw_surface, ground, listed, literal
from pages._ui.page import fragment, guard, instrument

TITLE, PLACE = "What if", 3

_MOST_CURVES = 30
_INTERVAL = "Nine in ten unseen trials lay inside such an interval; a dash until that is tested."
_INSIDE = ":green[:material/check_circle: Inside the trained range.]"


def draw(shown: Shown) -> None:
    """Draw sliders, prediction, curves and surface."""
    if (asked := shown.asked()) is None:
        return
    of = surrogate_of(asked, asked.space)
    if not of.moving:
        st.info("The model looks at no parameter of this design space that has more than one level.")
        return
    bench, below = st.container(), st.container()
    with below, guard():  # first, so that sliders come in the order of what is known by then
        _interactions(asked, of.space)
    with bench:
        _bench(asked, of, measured_of(asked, of.space))


def _interactions(asked: Asked, space: DesignSpace) -> None:
    """Find out which parameters act together, which the map's axes follow, and draw it where it is looked at."""
    found = shares(asked, space)
    view = st.expander("Which parameters act together", key="interactions_open", on_change="rerun")
    if found is not None and view.open:
        with view:
            draw_interactions(found)


@fragment()
def _bench(asked: Asked, of: Surrogate, measured: MeasuredDesigns | None) -> None:
    """Draw what a slider changes; it alone runs again when one moves."""
    start = sliders.prepare(of.space)
    point, pinned = sliders.current(of.space, start), sliders.pinned(of.space)
    value = what_if(of, point, pinned)
    by_effect, strongest = matters(of, known_shares(asked, of.space))
    order = sliders.hold_order(f"{asked.key} {space_key(of.space)}", by_effect)
    head, said, controls, picture = instrument(played=True)
    with head:
        _headline(value, measured)
    with said:
        _said(value)
    with controls:
        _sliders(of, order, start)
        if order != by_effect:
            act("Order by effect", "by_effect", "sort", sliders.let_go_of_order)
        own = _buttons(asked, of, value)
    with picture, st.grid(2, min_column_width=480, gap="medium"):
        with st.container(gap="small"):
            _curves(value, order, own)
        if len(of.moving) > 1:
            with st.container(gap="small"):
                _surface(of, value, strongest)


def _sliders(of: Surrogate, order: Sequence[str], start: Mapping[str, str]) -> None:
    """Draw a slider per parameter in this order; those without effect are folded."""
    parameters = {p.name: p for p in of.space.parameters}
    for name in order:
        sliders.slider(parameters[name], start[name])
    idle = [p.name for i, p in enumerate(of.space.parameters) if i in of.moving and p.name not in order]
    if idle:
        with st.expander(f"{len(idle)} without effect", key="idle_sliders"):
            st.caption(literal(f"The model has no term with {listed(idle, 12)}, so moving that changes nothing."))
            for name in idle:
                sliders.slider(parameters[name], start[name])


def _curves(value: WhatIf, order: Sequence[str], own: bool) -> None:
    curves = {curve.parameter.name: curve for curve in value.curves}
    with st.grid(3, min_column_width=200):
        for name in order[:_MOST_CURVES]:
            draw_sketch(profile(value, curves[name], ground(), own))
    csv_button("Curves as CSV", value.table, "curves")


def _headline(value: WhatIf, measured: MeasuredDesigns | None) -> None:
    answer, response = value.answer, value.response
    with st.grid(3, min_column_width=104, gap="small"):
        help = "Of the design that the sliders show; below it the change against the pinned baseline."
        shown: dict[str, Any] = {"delta": _delta(value), "delta_color": "off", "delta_arrow": _arrow(value)}
        st.metric(f"Predicted {literal(response.name)}", quantity(answer.value, response), help=help, **shown)
        label = f"90 % interval ({literal(response.unit)})" if response.unit else "90 % interval"
        st.metric(label, interval(answer.low, answer.high), help=_INTERVAL)
        _nearest(value, measured)


def _said(value: WhatIf) -> None:
    """Say whether the model extrapolates, what a constraint forbids, and what differs from the baseline."""
    answer, response = value.answer, value.response
    far = "The model extrapolates" if answer.value == answer.value else "No prediction"
    warnings = [f"{far}: {answer.why}."] if answer.why else []
    warnings += [f"The constraint {c} does not hold here." for c in answer.forbidden]
    st.markdown("  \n".join(f":orange[:material/warning: {literal(text)}]" for text in warnings) or _INSIDE)
    if value.difference is not None and value.pinned is not None:
        d, base = value.difference, value.pinned
        changed = f"with {listed(d.changed, 12)}" if d.changed else "which is the same design"
        said = f"Baseline {quantity(base.value, response)}; {difference(d.absolute, response)} {changed}."
        st.caption(literal(said))


def _nearest(value: WhatIf, measured: MeasuredDesigns | None) -> None:
    found = None if measured is None else measured.nearest(value.answer.point)
    if found is None:
        st.metric("Measured", "–", help="No trials with these parameters are at hand.")
        return
    help = literal(f"The nearest measured design has {listed(found.differs, 12)}.")
    if found.same:
        help = f"Mean of {count(found.n_trials, 'trial')} of this very design."
    st.metric("Measured" if found.same else "Measured nearby", quantity(found.value, value.response), help=help)


def _buttons(asked: Asked, of: Surrogate, value: WhatIf) -> bool:
    """Draw what can be done with the design; return whether each curve has an axis of its own."""
    space, point = of.space, value.answer.point
    with st.container(horizontal=True, vertical_alignment="center"):
        help = "Differences are told against it from then on; it stands in the address of this page."
        act("Pin as baseline", "pin", "push_pin", sliders.pin, space, point, help=help)
        if value.pinned is not None:
            act("Back to it", "to_pinned", "undo", sliders.go_to, space, value.pinned.point)
            act("Unpin", "unpin", "close", sliders.unpin)
        here = {p.name: p.levels[code] for p, code in zip(space.parameters, point, strict=True)}
        problem = {name: here[name] for name in next(iter(problems_of(asked)), ())}
        for sense, icon in ((LOW, "south"), (HIGH, "north")):
            best = best_of(asked, at_problem(space, problem), sense)
            if best is not None:
                help = f"The design with the {sense}est prediction of all"
                help += f" with this {', '.join(problem)}" if problem else ""
                act(f"Go to the {sense}est", f"to_{sense}", icon, _go_to_design, of, best.point, help=help)
        return toggle(
            "Own scale per curve", "own_scale", "Else all curves have the same scale, so that steep ones stand out."
        )


def _go_to_design(of: Surrogate, levels: tuple[float | str, ...]) -> None:
    sliders.go_to(of.space, tuple(of.space.encode([levels])[0].tolist()))


def _surface(of: Surrogate, value: WhatIf, strongest: tuple[str, str]) -> None:
    """Draw the prediction over two parameters, at first those that interact most."""
    names = [of.space.names[i] for i in of.moving]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        first = pick("Horizontal axis", names, "surface_x", usual=strongest[0], width=150)
        second = pick("Vertical axis", [n for n in names if n != first], "surface_y", usual=strongest[1], width=150)
        kind = choose_kind("surface")
    pair = [of.space.names.index(n) for n in (first, second)]
    pin = None if value.pinned is None else value.pinned.point
    draw_surface(surface(of, value.answer.point, pair[0], pair[1], pin), kind, "surface")


def _delta(value: WhatIf) -> str | None:
    if value.difference is None:
        return None
    relative = change(value.difference.percent)
    return difference(value.difference.absolute, value.response) + (f" ({relative})" if relative else "")


def _arrow(value: WhatIf) -> Literal["off", "up", "down"]:
    if value.difference is None or not value.difference.absolute:
        return "off"
    return "up" if value.difference.absolute > 0 else "down"
