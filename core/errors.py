"""Errors that users read: each names the thing, the value, the rule and the remedy in one sentence."""

from collections.abc import Callable, Sequence


class RidgelineError(Exception):
    """Root of every error that a user can cause and can mend."""


class OptionError(RidgelineError):
    """An option has an unknown name or a value outside what it allows."""


class ReadError(RidgelineError):
    """A file cannot be read as trials without guessing."""


class StoreError(RidgelineError):
    """The database cannot be opened, read or written as asked."""


class FitError(RidgelineError):
    """A model cannot be fitted to these trials with these options."""


class NothingToLearnError(FitError):
    """What is to be predicted does not vary, or nothing that could predict it does."""


class PredictError(RidgelineError):
    """A model cannot predict from the metrics it was given."""


class LackingError(PredictError):
    """Rows lack metrics that a model needs."""


class ModelFileError(RidgelineError):
    """A model file is damaged, hostile, or of an unknown version."""


class ExecutionError(RidgelineError):
    """Tasks cannot be run where they were asked to run."""


class Cancelled(Exception):
    """The user stopped a long computation: nothing that could be mended, so that no fallback of an error takes it."""


LONGEST_SENTENCE = 400
"""Of an error about a file, which may quote it."""


def brief(sentence: str) -> str:
    """Return one line of a sentence that quotes a file, however long what it quotes is."""
    line = " ".join(sentence.split())
    return line if len(line) <= LONGEST_SENTENCE else f"{line[: LONGEST_SENTENCE - 42]} … {line[-38:]}"


def on_one_line(text: str) -> str:
    """Return a text with line breaks as people write them: names that files give may have some."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


def count(n: int, noun: str, plural: str = "") -> str:
    """Return such as "1 trial" or "1,056 trials"."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def first_few(texts: Sequence[str], most: int = 5) -> str:
    """Return texts one after the other, the first of many and how many more there are."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def hold(holds: bool, sentence: str) -> None:
    """Raise ModelFileError with a sentence unless what was read from a file holds together."""
    if not holds:
        raise ModelFileError(sentence)


def holder(noun: str) -> Callable[[bool, str], None]:
    """Return what raises ModelFileError saying what a model of that name has, unless it holds together."""
    return lambda holds, what: hold(holds, f"{noun} {what}.")
