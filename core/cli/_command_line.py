"""The verbs as their own parsers declare them: what completion and the manual page are made from."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.cli import VERBS, declared
from core.cli._frame import RecipeVerb
from core.cli.base import add_common
from core.models import FAMILIES
from core.recipes import RECIPES


@dataclass(frozen=True)
class Word:
    """A verb as a shell sees it.

    Attributes
    ----------
    flags : the help of each option
    parts : of a verb such as `scale`
    of_recipe : whether it takes the name of a recipe
    """

    name: str
    help: str
    group: str
    examples: tuple[str, ...]
    flags: Mapping[str, str]
    parts: tuple[str, ...]
    of_recipe: bool


def words_of_verbs() -> tuple[Word, ...]:
    """Return every verb, in alphabetical order."""
    return tuple(_word(name) for name in VERBS)


def recipe_names() -> tuple[str, ...]:
    """Return the names of recipes and families."""
    return (*RECIPES, *FAMILIES)


def _word(name: str) -> Word:
    parser = argparse.ArgumentParser(prog=f"ridgeline {name}")
    verb = declared(parser, VERBS[name])
    add_common(parser)
    parts = [part for action in _parts(parser) for part in action.choices]
    flags = dict(
        flag for one in (parser, *(p for a in _parts(parser) for p in a.choices.values())) for flag in _flags(one)
    )
    return Word(name, verb.help, verb.group, verb.examples, flags, tuple(parts), isinstance(verb, RecipeVerb))


def _parts(parser: argparse.ArgumentParser) -> list["argparse._SubParsersAction[argparse.ArgumentParser]"]:
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def _flags(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        shown = (action.help or "") % {"default": action.default} if "%" in (action.help or "") else action.help or ""
        yield from ((flag, shown) for flag in action.option_strings)
