"""Options of families, passes and recipes: declared once, they give checks, forms, flags and docs."""

import types
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, Field, field, fields
from functools import cache
from typing import Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from core.errors import OptionError
from core.frozen import Frozen
from core.registry import nearest

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class OptionSpec(Frozen):
    """What one option is called, means and allows.

    Attributes
    ----------
    name : the field's name, as in JSON, in `--set NAME=VALUE` and in the URL
    kind : bool, int, float, str or tuple (of str)
    optional : whether None is allowed
    absent : how None, or a tuple of nothing, is written
    zero : what a form shows where the number is 0, which stands for no number; "" where it does
    low, high : inclusive bounds of a number
    choices : allowed texts; for a tuple, allowed elements
    """

    name: str
    kind: type
    optional: bool
    default: Any
    help: str
    label: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    expert: bool = False
    absent: str = "none"
    zero: str = ""

    def parse(self, text: str) -> Any:
        """Return the value that a command line or a URL means by `text`."""
        stripped = text.strip()
        if self.optional and stripped.lower() in (self.absent, "none", ""):
            return None
        if self.kind is bool:
            return self._parse_bool(stripped)
        if self.kind is tuple:
            parts = () if stripped.lower() == self.absent else stripped.split(",")
            return tuple(part.strip() for part in parts if part.strip())
        try:
            return self.kind(stripped)
        except ValueError:
            wanted = {int: "a whole number", float: "a number"}[self.kind]
            raise OptionError(f"Option {self.name} must be {wanted}, got '{text}'.") from None

    def text(self, value: Any) -> str:
        """Return a value as a text that `parse` understands."""
        if isinstance(value, list | tuple):
            return ", ".join(map(str, value)) or self.absent
        return self.absent if value is None else str(value)

    def check(self, value: Any) -> None:
        """Raise OptionError unless `value` is of the right kind and inside the bounds."""
        if value is None and self.optional:
            return
        if not self._is_kind(value):
            raise OptionError(f"Option {self.name} must be a {self.kind.__name__}, got {value!r}.")
        if self.kind in (int, float):
            self._check_bounds(value)
        if self.choices:
            self._check_choices(value if self.kind is tuple else (value,))

    def _is_kind(self, value: Any) -> bool:
        if isinstance(value, bool):
            return self.kind is bool
        return isinstance(value, (int, float) if self.kind is float else self.kind)

    def _parse_bool(self, text: str) -> bool:
        if text.lower() in _TRUE:
            return True
        if text.lower() in _FALSE:
            return False
        raise OptionError(f"Option {self.name} must be true or false, got '{text}'.")

    def _check_bounds(self, value: float) -> None:
        if value != value:
            raise OptionError(f"Option {self.name} must be a number, got nan.")
        if self.low is not None and value < self.low:
            raise OptionError(f"Option {self.name} must be at least {self.low:g}, got {_short(value)}.")
        if self.high is not None and value > self.high:
            raise OptionError(f"Option {self.name} must be at most {self.high:g}, got {_short(value)}.")

    def _check_choices(self, values: tuple[Any, ...]) -> None:
        for value in values:
            if value not in self.choices:
                allowed = ", ".join(self.choices)
                raise OptionError(
                    f"Option {self.name} must be one of {allowed}; got '{value}'.{nearest(str(value), self.choices)}"
                )


def _short(value: float) -> str:
    """Return a number in few digits, also a whole one that is beyond every float."""
    try:
        return f"{value:g}"
    except OverflowError:
        return "more than 1e+308" if value > 0 else "less than -1e+308"


class _Declared:
    """An option before its class is made, which makes a dataclass field of it."""

    def __init__(self, default: Any, facts: dict[str, Any]) -> None:
        self._default, self._facts = default, facts

    def says(self, help: str) -> Any:
        """Return the option with its sentence for users."""
        return _Declared(self._default, {**self._facts, "help": help})

    def __set_name__(self, owner: type, name: str) -> None:
        if not self._facts["help"]:
            raise TypeError(f"Option {name} of {owner.__name__} does not say what it does: give help, or `says`")
        setattr(owner, name, field(default=self._default, metadata={"option": self._facts}))


def option(
    default: Any,
    *,
    help: str = "",
    label: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    expert: bool = False,
    absent: str = "none",
    zero: str = "",
) -> Any:
    """Declare an option as a dataclass field: `option(3, help="…")`, or `option(3, low=1).says("…")` where it is long.

    Parameters
    ----------
    default : the value when nobody chooses
    help : one sentence for users: what it does and what more or less of it means
    label : short name for forms; the field's name in words if empty
    low, high : inclusive bounds of a number
    choices : allowed texts
    expert : whether forms hide it behind "more options"
    absent : how None, or a tuple of nothing, is written, where that says more than `none`
    zero : what a form shows where the number is 0, if that stands for no number
    """
    facts = {"label": label, "low": low, "high": high, "choices": choices, "expert": expert, "absent": absent}
    return _Declared(default, {"help": help, **facts, "zero": zero})


def like(cls: type, name: str, default: Any = MISSING, **changed: Any) -> Any:
    """Declare an option as another class has it, with another default, help, label or bounds where these are given."""
    own = next(f for f in fields(cls) if f.name == name)
    kept = own.default if default is MISSING else default
    return _Declared(kept, {**own.metadata["option"], **changed})


class Options(Frozen):
    """Base of values whose fields are options; checks them when made."""

    label: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for spec in specs(type(self)):
            spec.check(getattr(self, spec.name))

    @classmethod
    def parse(cls, texts: Mapping[str, str]) -> Self:
        """Make the options from texts, as they come from `--set NAME=VALUE` or a URL."""
        known = {spec.name: spec for spec in specs(cls)}
        values = {}
        for name, text in texts.items():
            if name not in known:
                allowed = ", ".join(known) or "none"
                raise OptionError(f"There is no option '{name}'; the options are: {allowed}.{nearest(name, known)}")
            values[name] = known[name].parse(text)
        return cls(**values)


def specs(cls: type) -> tuple[OptionSpec, ...]:
    """Return the options of a class in the order they were declared."""
    return _specs(cls)


@cache
def _specs(cls: Hashable) -> tuple[OptionSpec, ...]:
    assert isinstance(cls, type)
    hints = get_type_hints(cls)
    return tuple(_spec(f, hints[f.name]) for f in fields(cls) if "option" in f.metadata)


def _spec(f: Field[Any], hint: Any) -> OptionSpec:
    kind, optional = _kind(hint)
    declared = dict(f.metadata["option"])
    declared["label"] = declared["label"] or f.name.replace("_", " ").capitalize()
    default = None if f.default is MISSING else f.default
    return OptionSpec(name=f.name, kind=kind, optional=optional, default=default, **declared)


def _kind(hint: Any) -> tuple[type, bool]:
    if get_origin(hint) in (Union, types.UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        return _kind(inner[0])[0], True
    return (tuple, False) if get_origin(hint) is tuple else (hint, False)
