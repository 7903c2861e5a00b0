"""`ridgeline completion`: what a shell completes, made from the verbs as their own parsers declare them."""

import argparse
from collections.abc import Iterator, Mapping
from importlib import resources
from string import Template

from core.cli import VERBS, declared
from core.cli._frame import RecipeVerb
from core.cli.base import Arguments, Parser, Report, Verb, add_common, flag
from core.frozen import Frozen
from core.models import FAMILIES
from core.recipes import RECIPES


class Word(Frozen):
    """A verb as a shell sees it.

    Attributes
    ----------
    flags : the help of each option
    parts : of a verb such as `scale`
    """

    name: str
    verb: Verb
    flags: Mapping[str, str]
    parts: tuple[str, ...]


def words_of_verbs() -> tuple[Word, ...]:
    """Return every verb, in alphabetical order."""
    return tuple(_word(name) for name in VERBS)


def _word(name: str) -> Word:
    parser = argparse.ArgumentParser(prog=f"ridgeline {name}")
    verb = declared(parser, VERBS[name])
    add_common(parser)
    parts = [part for action in _parts(parser) for part in action.choices]
    parsers = (parser, *(p for action in _parts(parser) for p in action.choices.values()))
    flags = dict(flag for one in parsers for flag in _flags(one))
    return Word(name, verb, flags, tuple(parts))


def _parts(parser: argparse.ArgumentParser) -> list["argparse._SubParsersAction[argparse.ArgumentParser]"]:
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def _flags(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        shown = (action.help or "") % {"default": action.default} if "%" in (action.help or "") else action.help or ""
        yield from ((flag, shown) for flag in action.option_strings)


class _Script(Template):
    """A script of a shell, in which dollars are its own."""

    delimiter = "%"


class CompletionVerb(Verb):
    """Print what lets bash, zsh or fish complete verbs, options and recipes."""

    group = "keep and serve"
    examples = ("ridgeline completion bash", "ridgeline completion fish")
    json = False

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "shell", "which shell", choices=("bash", "zsh", "fish"))

    def run(self, a: Arguments) -> Report:
        """Write the script."""
        verbs = words_of_verbs()
        if a.shell == "fish":
            return Report(_fish(verbs))
        head = ["autoload -U +X bashcompinit && bashcompinit"] if a.shell == "zsh" else []
        return Report([*head, *_bash(verbs).splitlines()])


def _bash(verbs: tuple[Word, ...]) -> str:
    cases = (f'        {v.name}) local names="{_names(v)}"; flags="{" ".join(v.flags)}";;' for v in verbs)
    names = [v.name for v in verbs]
    script = _Script(resources.files("core.cli").joinpath("completion.bash").read_text(encoding="utf-8"))
    every = " ".join([*names, "--help", "--version"])
    return script.substitute(verbs="|".join(names), all=every, cases="\n".join(cases))


def _names(word: Word) -> str:
    """Return what a verb takes by name: its parts, or a recipe or family."""
    return " ".join((*word.parts, *((*RECIPES, *FAMILIES) if isinstance(word.verb, RecipeVerb) else ())))


def _fish(verbs: tuple[Word, ...]) -> list[str]:
    lines = [f"complete -c ridgeline -n __fish_use_subcommand -f -a {v.name} -d {_quoted(v.verb.help)}" for v in verbs]
    for v in verbs:
        within = f"complete -c ridgeline -n '__fish_seen_subcommand_from {v.name}'"
        lines += [f"{within} -l {flag[2:]} -d {_quoted(help)}" for flag, help in v.flags.items() if flag[:2] == "--"]
        lines += [f"{within} -a {_quoted(names)}" for names in [_names(v)] if names]
    return lines


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
