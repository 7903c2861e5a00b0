"""`ridgeline man`: the manual page, from the verbs themselves."""

from core import __version__
from core.cli import GROUPS
from core.cli.base import EXIT_CODES, Arguments, Report, Verb
from core.cli.completion import Word, words_of_verbs


class ManVerb(Verb):
    """Print the manual page, as man -l reads it."""

    group = "keep and serve"
    examples = ("ridgeline man",)
    json = False

    def run(self, a: Arguments) -> Report:
        """Write the page."""
        words = words_of_verbs()
        lines = [f'.TH RIDGELINE 1 "" "ridgeline {__version__}"', ".SH NAME"]
        lines += ["ridgeline \\- from performance measurements to models that people can trust", ".SH SYNOPSIS"]
        lines += [".B ridgeline", "[\\-\\-db FILE] [\\-q|\\-v] VERB ..."]
        for group in GROUPS:
            lines.append(f".SH {_roff(group).upper()}")
            lines += [line for word in words if word.verb.group == group for line in _word(word)]
        lines.append(".SH EXIT STATUS")
        lines += [line for code, said in EXIT_CODES.items() for line in (".TP", f".B {code}", _roff(said))]
        return Report(lines)


def _word(word: Word) -> list[str]:
    flags = [line for flag, help in word.flags.items() for line in (".TP", f".B {_roff(flag)}", _roff(help or flag))]
    shown = [line for text in word.verb.examples for line in (".nf", _roff(text), ".fi")]
    return [f".SS {word.name}", _roff(word.verb.help), *flags, ".PP", *shown]


def _roff(text: str) -> str:
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
