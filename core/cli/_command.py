"""A command per design point: placeholders filled in, quoted, and split into words without a shell."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import OptionError

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


@dataclass(frozen=True)
class Template:
    """A text with places such as {simd}; {{ and }} mean braces."""

    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names in places, each once."""
        return tuple(dict.fromkeys(m[1] for m in _PLACE.finditer(self.text) if m[1] is not None))

    def check(self, known: Sequence[str], option: str) -> None:
        """Raise OptionError if a place has an unknown name."""
        for name in self.names:
            if name not in known:
                raise OptionError(
                    f"{option} has {{{name}}}, which is nothing of the plan; there are: {', '.join(known)}."
                )

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
        If a quotation mark is not closed, or there is no word.
    """
    text = template.filled(values, quoted=True)
    if shell:
        return ("/bin/sh", "-c", text)
    try:
        found = tuple(shlex.split(text))
    except ValueError as error:
        raise OptionError(f"--command cannot be split into words: {error}. It reads: {text}") from None
    if not found:
        raise OptionError("--command is empty. Write such as --command 'simulate --width {simd}'.")
    return found
