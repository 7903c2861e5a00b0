"""A command that a profiler ran: its program names what ran, its options and arguments were set before."""

from collections.abc import Mapping
from dataclasses import replace

from core.ingest.readers._builder import Builder
from core.ingest.readers._text import finite
from core.ingest.table.commands import command_of
from core.trial import Kind, Trials

COMMAND = "command"
"""The label that keeps the whole command."""


def told_by(command: str) -> tuple[str, dict[str, str]]:
    """Return the program of a command, and its options and numbered arguments; nothing of what is no command."""
    said = dict(command_of(f"$ {command}"))
    return said.pop("program", ""), said


def put_arguments(builder: Builder, trial: int, said: Mapping[str, str]) -> None:
    """Say the options and arguments of a trial's command, which are parameters, behind all that was counted."""
    for name, text in said.items():
        if (value := finite(text)) is None:
            builder.label(trial, name, text, parameter=True)
        else:
            builder.put(trial, name, value, kind=Kind.PARAMETER, qualifier="option")


def without_arguments(trials: Trials) -> Trials:
    """Return trials without the options and arguments of their commands, where what was set is told otherwise."""
    said = {name for command in trials.labels.get(COMMAND, ()) for name in told_by(command)[1]}
    said |= {f"{name} [{kind}]" for name in said for kind in ("option", "text")}
    kept = [m.kind is not Kind.PARAMETER or m.name not in said for m in trials.metrics]
    return replace(
        trials,
        metrics=tuple(m for m, keep in zip(trials.metrics, kept, strict=True) if keep),
        values=trials.values[:, kept],
        labels={n: texts for n, texts in trials.labels.items() if n not in said or n not in trials.parameters},
        parameters=tuple(name for name in trials.parameters if name not in said),
    )
