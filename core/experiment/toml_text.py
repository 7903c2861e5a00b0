"""Experiments as TOML: strict to read, each error one sentence, and written so that it reads back the same."""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from core.codec import digest
from core.errors import OptionError
from core.experiment.experiment import EVERY_BASE, RESERVED, Experiment, Scaling, Sweep, Value
from core.experiment.grid import known_options, parsed
from core.option import OptionSpec
from core.validate.folds import parse_folds

MOST_VALUES = 100_000
"""Of one swept option."""
_TEXTS = ("name", "about", "dataset", "response", "repeats", "host", "target", "host_dataset", "each", "measure")
_LISTS = ("metrics", "where")
_NUMBERS = ("sample", "sample_seed")
_TABLES = ("options", "vary", "simpler", "scaling")
_KEYS = (*_TEXTS, *_LISTS, *_NUMBERS, "recipe", "folds", "seeds", "sizes", "predictions", *_TABLES)
_NEEDED = ("dataset", "response", "recipe")
_RANGE = ("from", "to", "step", "count", "scale")


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
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise OptionError(f"The experiment is not TOML: {error}.") from None
    return experiment_of(found, title)


def experiment_of(found: dict[str, Any], title: str = "experiment") -> Experiment:
    """Return the experiment that tables and lists describe, as TOML gives them.

    Raises
    ------
    OptionError
        If a key is unknown, missing, or has a value that it must not have.
    """
    _known(found, _KEYS, "The experiment")
    for key in _NEEDED:
        if key not in found:
            raise OptionError(f"The experiment has no '{key}'. Add a line such as {key} = \"…\".")
    texts: dict[str, Any] = {key: _text(found[key], key) for key in _TEXTS if key in found}
    lists: dict[str, Any] = {key: _texts(found[key], key) for key in _LISTS if key in found}
    numbers: dict[str, Any] = {key: _number(found[key], key, int(key == "sample")) for key in _NUMBERS if key in found}
    recipes = _texts(found["recipe"], "recipe")
    scaling = _scaling(found["scaling"]) if "scaling" in found else None
    specs = [known_options(name, scaling is not None) for name in recipes]
    folds = _texts(found.get("folds", "kfold:10"), "folds")
    if scaling is None:
        folds = tuple(str(parse_folds(one)) for one in folds)
    return Experiment(
        **{"name": title, **texts, **lists, **numbers},
        recipes=recipes,
        folds=folds,
        seeds=_seeds(found.get("seeds", 1)),
        sizes=_whole(found["sizes"], "sizes", 1) if "sizes" in found else (),
        predictions=_kind(found.get("predictions", False), bool, "predictions", "true or false"),
        options={name: _option(value, name, specs) for name, value in _table(found, "options").items()},
        vary=tuple(_sweep(name, value, specs) for name, value in _table(found, "vary").items()),
        simpler={name: _text(value, f"simpler.{name}") for name, value in _table(found, "simpler").items()},
        scaling=scaling,
    )


def experiment_id(value: Experiment) -> str:
    """Return what an experiment is known by: the same for the same questions, whatever they are called."""
    return digest(experiment_toml(replace(value, name="", about="")))


def experiment_toml(value: Experiment) -> str:
    """Return an experiment as TOML; what is at its default is left out."""
    lines = [_line("name", value.name), *([_line("about", value.about)] if value.about else [])]
    lines += [_line("dataset", value.dataset), _line("response", value.response)]
    lines += [_line("recipe", _one_or_all(value.recipes)), _line("folds", _one_or_all(value.folds))]
    lines += [_line("seeds", list(value.seeds))]
    lines += [_line("sizes", list(value.sizes))] if value.sizes else []
    lines += [_line("metrics", list(value.metrics))] if value.metrics is not None else []
    lines += [_line("where", list(value.where))] if value.where else []
    lines += [_line(key, getattr(value, key)) for key in _NUMBERS if getattr(value, key)]
    for key, usual in (("repeats", "each"), ("host", ""), ("target", ""), ("host_dataset", ""), ("each", "")):
        lines += [_line(key, getattr(value, key))] if getattr(value, key) != usual else []
    lines += [_line("measure", value.measure)] if value.measure != "mape" else []
    lines += ["predictions = true"] if value.predictions else []
    lines += _section("options", {name: _plain(v) for name, v in value.options.items()})
    lines += _section("vary", {s.name: _swept(s) for s in value.vary})
    lines += _section("simpler", dict(value.simpler))
    if value.scaling is not None:
        of = {"bases": value.scaling.bases, "axes": value.scaling.axes, "counters": value.scaling.counters}
        every = {**of, "inputs": value.scaling.inputs}
        lines += ["", "[scaling]", *(_line(name, list(v)) for name, v in every.items() if v is not None)]
    return "\n".join(lines) + "\n"


def _sweep(name: str, value: Any, specs: Sequence[Mapping[str, OptionSpec]]) -> Sweep:
    if name in RESERVED:
        raise OptionError(f"'{name}' is varied outside of [vary]: by recipe = […], sizes = […] or scaling.bases = […].")
    kinds = {one[name].kind for one in specs if name in one}
    log = isinstance(value, dict) and value.get("scale", "") == "log"
    each = _range(value, f"vary.{name}", kinds == {int}) if isinstance(value, dict) else value
    if not isinstance(each, list) or not each:
        raise OptionError(f"vary.{name} takes a list of values, or a range such as {{ from = 1, to = 10 }}.")
    values = tuple(dict.fromkeys(_option(one, name, specs) for one in each))
    return Sweep(name, values, log)


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
    low, high = (float(_kind(value[end], (int, float), f"{key}.{end}", "a number")) for end in ("from", "to"))
    if not (np.isfinite([low, high]).all() and low <= high):
        raise OptionError(f"{key} goes from {low:g} to {high:g}; the first must not be the larger one.")
    if value.get("scale", "linear") not in ("linear", "log"):
        raise OptionError(f"{key}.scale is '{value['scale']}', and must be linear or log.")
    if value.get("scale") == "log":
        return _logarithmic(value, key, low, high, whole)
    if "count" in value:
        return _rounded(np.linspace(low, high, _count(value, key)), whole)
    step = float(_kind(value.get("step", 1), (int, float), f"{key}.step", "a number"))
    if not step > 0 or (high - low) / step > MOST_VALUES:
        raise OptionError(f"{key}.step is {step:g}, and must be above 0 and make at most {MOST_VALUES:,} values.")
    return _rounded(low + step * np.arange(int((high - low) / step + 1e-9) + 1), whole)


def _logarithmic(value: dict[str, Any], key: str, low: float, high: float, whole: bool) -> list[float] | list[int]:
    if not low > 0:
        raise OptionError(f"{key} is logarithmic and starts at {low:g}; it must start above 0.")
    return _rounded(np.geomspace(low, high, _count(value, key)), whole)


def _rounded(values: Any, whole: bool) -> list[float] | list[int]:
    """Return values without the last digits, which are but rounding, so that a range reads as it was meant."""
    return [round(float(v)) for v in values] if whole else [float(f"{v:.10g}") for v in values]


def _count(value: dict[str, Any], key: str) -> int:
    count = _kind(value.get("count"), int, f"{key}.count", "a whole number; a logarithmic range needs it")
    if not 1 <= count <= MOST_VALUES:
        raise OptionError(f"{key}.count is {count}, and must be from 1 to {MOST_VALUES:,}.")
    return int(count)


def _scaling(value: Any) -> Scaling:
    if not isinstance(value, dict):
        raise OptionError("[scaling] is a table with bases, axes, counters and inputs.")
    _known(value, ("bases", "axes", "counters", "inputs"), "[scaling]")
    lists = {key: _texts(value[key], f"scaling.{key}") for key in ("axes", "counters", "inputs") if key in value}
    bases = _texts(value.get("bases", "highest"), "scaling.bases")
    if EVERY_BASE in bases and len(bases) > 1:
        raise OptionError("scaling.bases is all, or a list of configurations, not both.")
    return Scaling(bases, **lists)


def _seeds(value: Any) -> tuple[int, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MOST_VALUES:
            raise OptionError(f"seeds is {value}: how many seeds from 0 on, so from 1 to {MOST_VALUES:,}.")
        return tuple(range(value))
    return _whole(value, "seeds", 0)


def _whole(value: Any, key: str, least: int) -> tuple[int, ...]:
    each = _range(value, key, True) if isinstance(value, dict) else value
    if not isinstance(each, list) or not each:
        raise OptionError(f"{key} takes a list of whole numbers, or a range such as {{ from = 1, to = 9, step = 2 }}.")
    found = tuple(int(_kind(one, int, key, "a list of whole numbers")) for one in each)
    if min(found) < least or max(found) > 2**31 - 1:
        raise OptionError(f"{key} holds {min(found)}, and must hold whole numbers from {least} to 2147483647.")
    return tuple(dict.fromkeys(found))


def _number(value: Any, key: str, least: int) -> int:
    found = int(_kind(value, int, key, "a whole number"))
    if not least <= found < 2**31:
        raise OptionError(f"{key} is {found}, and must be a whole number from {least} to 2147483647.")
    return found


def _table(found: dict[str, Any], key: str) -> dict[str, Any]:
    value = found.get(key, {})
    return value if isinstance(value, dict) else _wrong(key, "a table", value)


def _text(value: Any, key: str) -> str:
    return str(_kind(value, str, key, "a text"))


def _texts(value: Any, key: str) -> tuple[str, ...]:
    each = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(_text(one, key) for one in each)) if each else _wrong(key, "at least one text", value)


def _kind(value: Any, kind: Any, key: str, wanted: str) -> Any:
    boolean = isinstance(value, bool) and kind is not bool
    return value if isinstance(value, kind) and not boolean else _wrong(key, wanted, value)


def _wrong(key: str, wanted: str, value: Any) -> NoReturn:
    raise OptionError(f"{key} must be {wanted}, got {value!r}.")


def _known(found: dict[str, Any], keys: Sequence[str], where: str) -> None:
    for key in found:
        if key not in keys:
            raise OptionError(f"{where} has an unknown key '{key}'; there are: {', '.join(keys)}.")


def _one_or_all(values: tuple[str, ...]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


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
    return f"{name} = {_written(value)}"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(_line(name, inner) for name, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(inner) for inner in value) + "]"
    return _BY_KIND[type(value)](value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_BY_KIND: Mapping[type, Callable[[Any], str]] = {bool: lambda v: str(v).lower(), int: str, float: repr, str: _quoted}
