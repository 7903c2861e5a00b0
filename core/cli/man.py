"""`ridgeline man`: the manual page, from the verbs themselves."""

from core import __version__
from core.cli import GROUPS
from core.cli.base import EXIT_CODES, Arguments, Report, Verb
from core.cli.completion import Word, words_of_verbs


class ManVerb(Verb):
    """Print the manual page."""

    help = "print the manual page, as man -l reads it"
    group = "keep and serve"
    examples = ("ridgeline man",)
    json = False

    def run(self, a: Arguments) -> Report:
        """Write the page."""
        verbs = words_of_verbs()
        lines = [f'.TH RIDGELINE 1 "" "ridgeline {__version__}"', ".SH NAME"]
        lines += ["ridgeline \\- from performance measurements to models that people can trust", ".SH SYNOPSIS"]
        lines += [".B ridgeline", "[\\-\\-db FILE] [\\-q|\\-v] VERB ..."]
        for group in GROUPS:
            lines.append(f".SH {_roff(group).upper()}")
            lines += [line for verb in verbs if verb.group == group for line in _verb(verb)]
        lines.append(".SH EXIT STATUS")
        lines += [line for code, said in EXIT_CODES.items() for line in (".TP", f".B {code}", _roff(said))]
        return Report(lines)


def _verb(verb: Word) -> list[str]:
    flags = [line for flag, help in verb.flags.items() for line in (".TP", f".B {_roff(flag)}", _roff(help or flag))]
    shown = [line for text in verb.examples for line in (".nf", _roff(text), ".fi")]
    return [f".SS {verb.name}", _roff(verb.help), *flags, ".PP", *shown]


def _roff(text: str) -> str:
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
