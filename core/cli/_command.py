"""A command that measures a design: how it is started, and what it says."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import OptionError, ReadError
from core.ingest import without_arguments
from core.space.design_space import Level
from core.space.plan import RUN, shown
from core.trial import Import, Kind, Metric, Trials

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


class Template(Frozen):
    """A text with places such as {simd}; {{ and }} mean braces."""

    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names in places, each once."""
        return tuple(dict.fromkeys(m[1] for m in _PLACE.finditer(self.text) if m[1] is not None))

    def check(self, known: Sequence[str], option: str) -> None:
        """Raise OptionError if a place has an unknown name."""
        there = ", ".join(known)
        for name in self.names:
            if name not in known:
                raise OptionError(f"{option} has {{{name}}}, which is nothing of the plan; there are: {there}.")

    def filled(self, values: Mapping[str, str], *, quoted: bool) -> str:
        """Return the text with values in their places.

        Parameters
        ----------
        quoted : whether values are quoted, so that a shell would take each as one word
        """

        def put(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0][0]
            return shlex.quote(values[match[1]]) if quoted else values[match[1]]

        return _PLACE.sub(put, self.text)


def words(template: Template, values: Mapping[str, str], *, shell: bool = False) -> tuple[str, ...]:
    """Return the words of a command for one point; no shell sees them unless asked for.

    Without a shell there are no pipes, redirections, variables or wildcards: the program gets the
    words as they stand.

    Raises
    ------
    OptionError
        If a quotation mark is not closed, there is no word, or a shell would not see a value in quotation marks as it
        stands.
    """
    text, names = template.text, template.names
    if shell:
        _refuse_quoted(text, values)
        return ("/bin/sh", "-c", template.filled(values, quoted=True))
    numbered = _PLACE.sub(lambda m: m[0] if m[1] is None else f"{{{names.index(m[1])}}}", text)
    known = {str(k): values[name] for k, name in enumerate(names)}
    try:
        found = tuple(Template(word).filled(known, quoted=False) for word in shlex.split(numbered))
    except ValueError as error:
        raise OptionError(f"--command cannot be split into words: {error}. It reads: {text}") from None
    if not found:
        raise OptionError("--command is empty. Write such as --command 'simulate --width {simd}'.")
    return found


def _refuse_quoted(text: str, values: Mapping[str, str]) -> None:
    for place in _PLACE.finditer(text):
        value = values[place[1]] if place[1] is not None else ""
        try:
            shlex.split(text[: place.start()] if shlex.quote(value) != value else "")
        except ValueError:
            said = f"--command has {place[0]} in quotation marks, in which a shell would change the value '{value}'"
            raise OptionError(f"{said}. Each value is quoted already: take the marks away.") from None


def with_point(
    imported: Import, named: Mapping[str, str], point: Mapping[str, Level], units: Mapping[str, str], series: str = ""
) -> Import:
    """Return what was read of a run's output with its design point added, in place of its command's arguments.

    Numbers of the point become metrics of the kind parameter, texts parameter labels. The same output of another run
    or series counts as another file.

    Parameters
    ----------
    named : labels of all trials: the run, and what trials of the same plan have in common
    units : of parameters, where they are known
    series : what tells it from others; "" if nothing does

    Raises
    ------
    ReadError
        If nothing was measured, or the output says another value of a parameter.
    """
    trials = without_arguments(imported.trials)
    n = len(trials)
    if not n:
        raise ReadError(f"{imported.source} holds no measurement.")
    said = "\n".join([imported.sha256, named[RUN], *(f"{name}={shown(level)}" for name, level in point.items())])
    said += f"\n{series}" * bool(series)
    numbers = {name: float(v) for name, v in point.items() if not isinstance(v, str)}
    texts = {name: v for name, v in point.items() if isinstance(v, str)}
    trials = _with_numbers(trials, numbers, units, imported.source)
    labels = {
        **trials.labels,
        **{name: (text,) * n for name, text in {**named, **texts}.items() if name not in numbers},
    }
    trials = replace(trials, labels=labels, parameters=tuple(dict.fromkeys([*trials.parameters, *texts])))
    return replace(imported, sha256=sha256(said.encode()).hexdigest(), trials=trials)


def _with_numbers(trials: Trials, numbers: Mapping[str, float], units: Mapping[str, str], source: str) -> Trials:
    """Return trials with parameters as metrics; one that the output has too must agree."""
    columns = {m.name: (m, column) for m, column in zip(trials.metrics, trials.values.T, strict=True)}
    for name, value in numbers.items():
        metric = Metric(name, Kind.PARAMETER, units.get(name, ""))
        if name in columns:
            metric, column = columns[name]
            _agree(column, value, name, source)
        columns[name] = replace(metric, kind=Kind.PARAMETER), np.full(len(trials), value)
    metrics, values = zip(*columns.values(), strict=True)
    return replace(trials, metrics=metrics, values=np.column_stack(values))


def _agree(column: FloatArray, value: float, name: str, source: str) -> None:
    other = column[np.isfinite(column) & ~np.isclose(column, value, rtol=1e-9, atol=0.0)]
    if len(other):
        raise ReadError(
            f"{source}: '{name}' is {other[0]:.6g}, but the plan says {value:.6g}. "
            "Correct the command, or call the parameter otherwise."
        )
