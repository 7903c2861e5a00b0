"""What TVM's tuners (AutoTVM, Ansor) note line by line: a task, a configuration and the times that it took."""

import re
from collections.abc import Iterator
from typing import Any

from core.errors import ReadError
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import TextReader, finite, lines_of, load_json, plain
from core.trial import Kind

_MODEL = re.compile(r"-model=(\S+)")
_LONGEST = 1 << 20
"""Bytes of a record; Ansor's are long where a program has many steps."""


class Tvm(TextReader):
    """Reads a tuning log: each measured time of a configuration is a trial, choices of the configuration parameters."""

    label = "TVM tuning log (AutoTVM, Ansor)"
    signs = (
        re.compile(rb'\A\s*\{"i(?:nput)?": ?\['),
        re.compile(rb'"r(?:esult)?": ?\[\[[^\]]*\], ?\d+, ?[\d.e+-]+, ?[\d.e+-]+\]'),
    )
    tells = (b'"result"', b'"r"')

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down the trials of all lines; configurations that failed are told with TVM's number of the error."""
        for at, line in lines_of(raw, _LONGEST):
            try:
                said = load_json(builder.source, line.encode())
                (target, task, *arguments), choices = _asked(said)
                target, task = str(target), str(task)
                times, error = said.get("result", said.get("r"))[:2]
                known = [t for t in map(finite, times) if t is not None]
            except (ReadError, AttributeError, LookupError, TypeError, ValueError):
                builder.leave_out(at, "no whole record of TVM")
                continue
            if error or not known:
                builder.leave_out(at, f"failed, as TVM's error {plain(error)} says")
                continue
            sizes = dict(_numbers("argument", arguments))
            model = _MODEL.search(target)
            input = ", ".join(f"{value:g}" for value in sizes.values())
            for time in known:
                trial = builder.trial(task, input=input, machine=model[1] if model else target, where=f"line {at}")
                builder.put(trial, TIME, time, "s", Kind.RESPONSE)
                for name, value in choices:
                    for part, number in _numbers(name, value):
                        builder.put(trial, part, number, kind=Kind.PARAMETER)
                    if isinstance(value, str):
                        builder.label(trial, name, value, parameter=True)
            for name, size in sizes.items():
                builder.of_input(task, input, name, size)


def _asked(said: Any) -> tuple[list[Any], list[tuple[str, Any]]]:
    """Return (target, task and its arguments) and (name, value) of choices, steps where they have no names."""
    own = said.get("input") or said["i"]
    if len(own) > 2:
        entity = said["config"]["entity"] if "config" in said else own[-1]["e"]
        return [*own[:2], *own[2]], [(str(name), value) for name, _, value in entity]
    (key, target, *_), (_, steps) = own
    choices = [(f"step {k} {step[0]}", step[1:]) for k, step in enumerate(steps, 1)]
    return [target, *load_json("a task", key.encode())], choices


def _numbers(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a value with its name, those of lists with their places."""
    if isinstance(value, list):
        for i, own in enumerate(value, 1):
            yield from _numbers(f"{name} {i}", own)
    elif not isinstance(value, str) and (number := finite(value)) is not None:
        yield name, number
