"""Experiments as TOML: strict to read, each error one sentence, and written so that it reads back the same."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, ValidationError, convert

from core.codec import digest, toml_quoted
from core.errors import OptionError
from core.experiment.experiment import EVERY_BASE, RESERVED, Experiment, Scaling, Sweep, Value
from core.experiment.grid import known_options, parsed
from core.option import OptionSpec
from core.validate.folds import parse_folds

MOST_VALUES = 100_000
"""Of one swept option."""
_TEXTS = ("name", "about", "dataset", "response", "repeats", "host", "target", "host_dataset", "each", "measure")
_LISTS = ("recipe", "folds", "metrics", "where")
_TABLES = ("options", "vary", "simpler")
_KEYS = (*_TEXTS[:4], *_LISTS[:2], "seeds", "sizes", *_LISTS[2:], "sample", "sample_seed", *_TEXTS[4:], "predictions")
"""Those of no table, in the order in which they are written, which ids of experiments depend on."""
_NEEDED = ("dataset", "response", "recipe")
_WRITTEN = ("name", *_NEEDED, "folds", "seeds")
"""Written even where they are at their default."""
_RANGE = ("from", "to", "step", "count", "scale")
_SCALING = ("bases", "axes", "counters", "inputs")
_MOST = 2**31 - 1
_BARE = re.compile("[A-Za-z0-9_-]+")
"""Keys that need no quotes."""


def read_experiment(text: str, title: str = "experiment") -> Experiment:
    """Return the experiment that a TOML text describes.

    Parameters
    ----------
    title : its name where the text has none

    Raises
    ------
    OptionError
        If it is not TOML, or a key is unknown, missing, or has a value that it must not have.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"The experiment is not TOML: {error}.") from None
    except (RecursionError, ValueError):
        raise OptionError(
            "The experiment is not TOML: it is nested too deeply, or holds a number of thousands of digits."
        ) from None
    return experiment_of(found, title)


def experiment_of(found: dict[str, Any], title: str = "experiment") -> Experiment:
    """Return the experiment that tables and lists describe, as TOML gives them.

    Raises
    ------
    OptionError
        If a key is unknown, missing, or has a value that it must not have.
    """
    _known(found, (*_KEYS, *_TABLES, "scaling"), "The experiment")
    for key in _NEEDED:
        if key not in found:
            raise OptionError(f"The experiment has no '{key}'. Add a line such as {key} = \"…\".")
    read: dict[str, Any] = {"name": title, "folds": ("kfold:10",), "seeds": (0,)}
    read |= {key: _READ[key](value, key) for key, value in found.items()}
    recipes, scaling = read.pop("recipe"), read.get("scaling")
    specs = [known_options(name, scaling is not None) for name in recipes]
    if scaling is None:
        read["folds"] = tuple(str(parse_folds(one)) for one in read["folds"])
    read["options"] = {name: _option(value, name, specs) for name, value in read.get("options", {}).items()}
    read["vary"] = tuple(_sweep(name, value, specs) for name, value in read.get("vary", {}).items())
    _known(read.get("simpler", {}), list(dict.fromkeys(chain(RESERVED, *specs))), "[simpler]")
    read["simpler"] = {name: _text(value, f"simpler.{name}") for name, value in read.get("simpler", {}).items()}
    return Experiment(recipes=recipes, **read)


def experiment_id(value: Experiment) -> str:
    """Return what an experiment is known by: the same for the same questions, whatever they are called."""
    return digest(experiment_toml(replace(value, name="", about="")))


def experiment_toml(value: Experiment) -> str:
    """Return an experiment as TOML; what is at its default is left out."""
    usual = {f.name: f.default for f in fields(Experiment)}
    lines = []
    for key in _KEYS:
        own = value.recipes if key == "recipe" else getattr(value, key)
        if key in _WRITTEN or own != usual[key]:
            lines.append(_line(key, own[0] if key in ("recipe", "folds") and len(own) == 1 else own))
    lines += _section("options", {name: _plain(v) for name, v in value.options.items()})
    lines += _section("vary", {s.name: _swept(s) for s in value.vary})
    lines += _section("simpler", dict(value.simpler))
    if value.scaling is not None:
        every = {name: getattr(value.scaling, name) for name in _SCALING}
        lines += _section("scaling", {name: v for name, v in every.items() if v is not None})
    return "\n".join(lines) + "\n"


def _sweep(name: str, value: Any, specs: Sequence[Mapping[str, OptionSpec]]) -> Sweep:
    if name in RESERVED:
        raise OptionError(f"'{name}' is varied outside of [vary]: by recipe = […], sizes = […] or scaling.bases = […].")
    kinds = {one[name].kind for one in specs if name in one}
    log = isinstance(value, dict) and value.get("scale", "") == "log"
    each = _range(value, f"vary.{name}", kinds == {int}) if isinstance(value, dict) else value
    if not isinstance(each, list) or not each:
        raise OptionError(f"vary.{name} takes a list of values, or a range such as {{ from = 1, to = 10 }}.")
    return Sweep(name, tuple(dict.fromkeys(_option(one, name, specs) for one in each)), log)


def _option(value: Any, name: str, specs: Sequence[Mapping[str, OptionSpec]]) -> Value:
    """Return the value of an option that every recipe has and allows."""
    found: Value = None
    for one in specs:
        if name not in one:
            raise OptionError(f"There is no option '{name}'; the options are: {', '.join(one)}.")
        found = parsed(one[name], _as_text(value, name))
    return found


def _as_text(value: Any, name: str) -> str:
    if isinstance(value, list):
        return ",".join(_text(part, name) for part in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise OptionError(f"Option {name} takes a number, a text, true or false, or a list of texts; got {value!r}.")


def _range(value: dict[str, Any], key: str, whole: bool) -> list[float] | list[int]:
    """Return the values of such as { from = 1, to = 20, step = 1 } or { from = 1e-5, to = 0.1, count = 9, … }."""
    _known(value, _RANGE, key)
    if "from" not in value or "to" not in value:
        raise OptionError(f"{key} needs both ends, such as {{ from = 1, to = 10 }}.")
    low, high = (_kind(value[end], f"{key}.{end}", float, "a number") for end in ("from", "to"))
    if not (np.isfinite([low, high, high - low]).all() and low <= high):
        raise OptionError(f"{key} goes from {low:g} to {high:g}; the first must not be larger, nor too far off.")
    if value.get("scale", "linear") not in ("linear", "log"):
        raise OptionError(f"{key}.scale is '{value['scale']}', and must be linear or log.")
    log = value.get("scale") == "log"
    if log and not low > 0:
        raise OptionError(f"{key} is logarithmic and starts at {low:g}; it must start above 0.")
    if log or "count" in value:
        return _rounded((np.geomspace if log else np.linspace)(low, high, _count(value, key)), whole)
    step = _kind(value.get("step", 1), f"{key}.step", float, "a number")
    if not step > 0 or (high - low) / step > MOST_VALUES:
        raise OptionError(f"{key}.step is {step:g}, and must be above 0 and make at most {MOST_VALUES:,} values.")
    return _rounded(low + step * np.arange(int((high - low) / step + 1e-9) + 1), whole)


def _rounded(values: Any, whole: bool) -> list[float] | list[int]:
    """Return values without the last digits, which are but rounding, so that a range reads as it was meant."""
    return [round(float(v)) for v in values] if whole else [float(f"{v:.10g}") for v in values]


def _count(value: dict[str, Any], key: str) -> int:
    wanted = f"a whole number from 1 to {MOST_VALUES:,}; a logarithmic range needs it"
    return int(_kind(value.get("count"), f"{key}.count", Annotated[int, Meta(ge=1, le=MOST_VALUES)], wanted))


def _scaling(value: Any, key: str) -> Scaling:
    if not isinstance(value, dict):
        raise OptionError("[scaling] is a table with bases, axes, counters and inputs.")
    _known(value, _SCALING, "[scaling]")
    found = Scaling(**{name: _texts(one, f"scaling.{name}") for name, one in value.items()})
    if EVERY_BASE in found.bases and len(found.bases) > 1:
        raise OptionError("scaling.bases is all, or a list of configurations, not both.")
    return found


def _seeds(value: Any, key: str) -> tuple[int, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MOST_VALUES:
            raise OptionError(f"seeds is {value}: how many seeds from 0 on, so from 1 to {MOST_VALUES:,}.")
        return tuple(range(value))
    return _whole(value, key, 0)


def _whole(value: Any, key: str, least: int = 1) -> tuple[int, ...]:
    each = _range(value, key, True) if isinstance(value, dict) else value
    if not isinstance(each, list) or not each:
        raise OptionError(f"{key} takes a list of whole numbers, or a range such as {{ from = 1, to = 9, step = 2 }}.")
    found = _kind(each, key, tuple[int, ...], "a list of whole numbers")
    if min(found) < least or max(found) > _MOST:
        raise OptionError(f"{key} holds {min(found)}, and must hold whole numbers from {least} to {_MOST}.")
    return tuple(dict.fromkeys(found))


def _number(value: Any, key: str) -> int:
    least = int(key == "sample")
    return int(_kind(value, key, Annotated[int, Meta(ge=least, le=_MOST)], f"a whole number from {least} to {_MOST}"))


def _text(value: Any, key: str) -> str:
    return str(_kind(value, key, str, "a text"))


def _texts(value: Any, key: str) -> tuple[str, ...]:
    each = value if isinstance(value, list) else [value]
    found = _kind(each, key, Annotated[tuple[str, ...], Meta(min_length=1)], "a text, or a list of at least one text")
    return tuple(dict.fromkeys(found))


def _kind(value: Any, key: str, kind: Any, wanted: str) -> Any:
    """Return a value of a kind as msgspec has it: true and false are no numbers, whole numbers are numbers."""
    try:
        return convert(value, kind)
    except ValidationError:
        raise OptionError(f"{key} must be {wanted}, got {value!r}.") from None


def _known(found: dict[str, Any], keys: Sequence[str], where: str) -> None:
    for key in found:
        if key not in keys:
            raise OptionError(f"{where} has an unknown key '{key}'; there are: {', '.join(keys)}.")


_READ: Mapping[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(_TEXTS, _text),
    **dict.fromkeys(_LISTS, _texts),
    **dict.fromkeys(("sample", "sample_seed"), _number),
    **dict.fromkeys(_TABLES, partial(_kind, kind=dict[str, Any], wanted="a table")),
    "seeds": _seeds,
    "sizes": _whole,
    "predictions": partial(_kind, kind=bool, wanted="true or false"),
    "scaling": _scaling,
}
"""What reads the value of each key."""


def _swept(sweep: Sweep) -> Any:
    values = [_plain(v) for v in sweep.values]
    if not sweep.log:
        return values
    again = {"from": values[0], "to": values[-1], "count": len(values), "scale": "log"}
    whole = all(isinstance(v, int) for v in values)
    try:
        same = _range(again, sweep.name, whole) == values
    except OptionError:
        same = False
    return again if same else values


def _plain(value: Value) -> Any:
    return "none" if value is None else list(value) if isinstance(value, tuple) else value


def _section(title: str, values: Mapping[str, Any]) -> list[str]:
    return ["", f"[{title}]", *(_line(name, value) for name, value in values.items())] if values else []


def _line(name: str, value: Any) -> str:
    return f"{name if _BARE.fullmatch(name) else toml_quoted(name)} = {_written(value)}"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(_line(name, inner) for name, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(inner) for inner in value) + "]"
    return _BY_KIND[type(value)](value)


_BY_KIND: Mapping[type, Callable[[Any], str]] = {
    bool: lambda v: str(v).lower(),
    int: str,
    float: repr,
    str: toml_quoted,
}
