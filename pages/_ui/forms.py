"""Forms made from declared options, a widget each, bound to the URL; ways to pages that take such choices along."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import OptionError
from core.models import FAMILIES
from core.option import Options, OptionSpec, specs
from core.recipes import RECIPES, Treated
from pages._ui.choices import SHARED, shared_url

Steps = Mapping[str, Sequence[Any]]
Look = dict[str, Any]


def options_form(
    cls: type[Options],
    prefix: str,
    names: Sequence[str] | None = None,
    steps: Steps | None = None,
    offers: Mapping[str, Sequence[str]] | None = None,
    *,
    apart: bool = True,
) -> dict[str, Any]:
    """Draw a widget per option and return the chosen values by the options' names.

    Expert options come below the others, behind a button (see `more_options`). `cls(**values)` checks them.

    Parameters
    ----------
    prefix : the widget of option `threshold` has the key, and URL parameter, `<prefix>_threshold`
    names : which options, in which order; all if None
    steps : options to show as a slider over these values instead
    offers : texts to offer for options that are lists of free texts
    apart : whether expert options stand behind a button; not for a form that does already
    """
    known = {spec.name: spec for spec in specs(cls)}
    chosen = [known[name] for name in (known if names is None else names)]
    plain = [spec for spec in chosen if not spec.expert]
    expert = [spec for spec in chosen if spec.expert]
    values = {spec.name: _widget(spec, prefix, steps or {}, offers or {}) for spec in plain}
    if expert:
        with more_options(f"{prefix}_more") if apart else nullcontext():
            values |= {spec.name: _widget(spec, prefix, steps or {}, offers or {}) for spec in expert}
    return values


def more_options(key: str, label: str = "More options") -> DeltaGenerator:
    """Return a place for what is rarely chosen, which is not drawn before its button is pressed."""
    return st.popover(label, key=key, icon=":material/tune:")


def option_key(prefix: str, name: str) -> str:
    """Return the key, and URL parameter, of an option's widget."""
    return f"{prefix}_{name}"


def url_options(cls: type[Options], prefix: str, values: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """Return the URL parameters that make `options_form` show `values`; defaults are left out."""
    found: dict[str, str | list[str]] = {}
    for spec in specs(cls):
        value = values.get(spec.name, spec.default)
        value = tuple(value) if spec.kind is tuple and value is not None else value
        if value == spec.default:
            continue
        if value is None:
            found[_given_key(prefix, spec)] = "false"
        else:
            found[option_key(prefix, spec.name)] = _url_text(value)
    return found


def widget_values(cls: type[Options], prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `st.session_state` must hold for `options_form` to show `values`."""
    found: dict[str, Any] = {}
    for spec in specs(cls):
        value = values.get(spec.name, spec.default)
        if spec.optional and spec.kind in (int, float):
            found[_given_key(prefix, spec)] = value is not None
        if value is not None:
            key = option_key(prefix, spec.name)
            none = spec.zero and not value
            found[key] = list(value) if spec.kind is tuple else None if none else spec.kind(value)
    return found


def _url_text(value: Any) -> str | list[str]:
    if isinstance(value, tuple):
        return [str(part) for part in value] or ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _given_key(prefix: str, spec: OptionSpec) -> str:
    return option_key(prefix, f"{spec.name}_given")


def _widget(spec: OptionSpec, prefix: str, steps: Steps, offers: Mapping[str, Sequence[str]]) -> Any:
    """Draw one option; above one that may be None stands whether it is given, in place of its label."""
    if spec.optional and spec.kind in (int, float):
        label = f"Use {spec.label[:1].lower()}{spec.label[1:].partition(' (')[0]}"
        usual = spec.default is not None or option_key(prefix, spec.name) in st.query_params
        given = st.checkbox(label, usual, key=_given_key(prefix, spec), help=spec.help, bind="query-params")
        return _valued(spec, prefix, steps, offers, label_visibility="collapsed") if given else None
    return _valued(spec, prefix, steps, offers)


def _valued(spec: OptionSpec, prefix: str, steps: Steps, offers: Mapping[str, Sequence[str]], **look: Any) -> Any:
    """Draw the value of an option."""
    look |= {"key": option_key(prefix, spec.name), "help": spec.help, "bind": "query-params"}
    if spec.name in steps:
        return _slider(spec, steps[spec.name], look)
    return _BY_KIND[spec.kind](spec, offers.get(spec.name, ()), look)


def _slider(spec: OptionSpec, values: Sequence[Any], look: Look) -> Any:
    """Draw a slider over some values and the one that is chosen already, which is kept exactly."""
    own = [spec.default] if spec.default is not None else []
    offered = sorted({*values, *own, *_chosen_before(spec, look["key"])})
    value = spec.default if own else values[len(values) // 2]
    return st.select_slider(spec.label, offered, value=value, **look)


def _chosen_before(spec: OptionSpec, key: str) -> Sequence[Any]:
    """Return the value that the URL, or this session, has for an option; none where it is not allowed."""
    found = [st.session_state[key]] if key in st.session_state else []
    with suppress(OptionError):
        for text in st.query_params.get_all(key):
            value = spec.parse(text)
            spec.check(value)
            found.append(value)
    return [value for value in found if value is not None]


def _int(spec: OptionSpec, offered: Sequence[str], look: Look) -> int:
    low, high = (None if bound is None else int(bound) for bound in (spec.low, spec.high))
    if spec.zero:
        return st.number_input(spec.label, 1, high, value=None, step=1, placeholder=spec.zero, **look) or 0
    value = low if spec.default is None else spec.default
    return st.number_input(spec.label, low, high, value=value or 0, step=1, **look)


def _float(spec: OptionSpec, offered: Sequence[str], look: Look) -> float:
    low, high = (None if bound is None else float(bound) for bound in (spec.low, spec.high))
    value = float(spec.default if spec.default is not None else low or 0.0)
    return st.number_input(spec.label, low, high, value=value, step=_float_step(spec), format="%g", **look)


def _float_step(spec: OptionSpec) -> float:
    """Return a step of the default's own size, so that the buttons do something sensible."""
    default = abs(float(spec.default or 0.1))
    return float(f"1e{int(f'{default:e}'.partition('e')[2])}")


def _str(spec: OptionSpec, offered: Sequence[str], look: Look) -> str:
    if not spec.choices:
        return st.text_input(spec.label, spec.default, **look)
    chosen = st.selectbox(spec.label, spec.choices, index=spec.choices.index(spec.default), **look)
    return str(spec.default) if chosen is None else chosen


def _tuple(spec: OptionSpec, offered: Sequence[str], look: Look) -> tuple[str, ...]:
    texts, own = spec.choices or list(dict.fromkeys((*spec.default, *offered))), not spec.choices
    return tuple(st.multiselect(spec.label, texts, default=list(spec.default), accept_new_options=own, **look))


_BY_KIND: dict[type, Callable[[OptionSpec, Sequence[str], Look], Any]] = {
    bool: lambda spec, _, look: st.toggle(spec.label, value=spec.default, **look),
    int: _int,
    float: _float,
    str: _str,
    tuple: _tuple,
}


RACE_AT_ONCE = "race_at_once"
"""Of the session: whether the race that the Compare page shows next starts without being asked."""
REOPENED = "reopened_model"
"""Of the session: the digest of trials that a saved model was opened on though it learnt from others, and a warning."""


def page_link(path: str, label: str, icon: str) -> None:
    """Draw a link to another page, such as "pages/model.py", that keeps dataset, response and filters."""
    st.page_link(path, label=label, icon=icon, query_params=shared_url())


def open_model_page(
    trials: Mapping[str, str | list[str]], recipe: str, options: Mapping[str, Any], folds: str = ""
) -> None:
    """Go to the Model page with a recipe and its options as they were.

    Parameters
    ----------
    trials : the shared choices
    recipe : of RECIPES, or a family that is a recipe of its own; then what is done to its metrics is among the options

    Raises
    ------
    OptionError
        If it is neither.
    """
    if recipe not in RECIPES and recipe not in FAMILIES:
        raise OptionError(f"A '{recipe}' is made of several models, by the race on the Compare page: open it there.")
    kinds = [RECIPES[recipe]] if recipe in RECIPES else [FAMILIES[recipe], Treated]
    widgets: dict[str, Any] = {"recipe": recipe}
    url: dict[str, str | list[str]] = {**trials, "recipe": recipe}
    for cls in kinds:
        widgets |= widget_values(cls, recipe, options)
        url |= url_options(cls, recipe, options)
    if folds:
        widgets["folds"] = url["folds"] = folds
    open_page("pages/model.py", widgets, url)


def open_page(path: str, widgets: Mapping[str, Any], url: Mapping[str, str | list[str]]) -> None:
    """Go to another page with its widgets set, and the same choices in its URL.

    Parameters
    ----------
    path : such as "pages/model.py"
    widgets : value by widget key, of the type that the widget returns
    url : the same as URL parameters, the shared choices of `choices.py` too; widgets at their
        default are left out
    """
    for key, value in widgets.items():
        if key not in SHARED:
            st.session_state[key] = value
    st.switch_page(path, query_params={**shared_url(), **url})
