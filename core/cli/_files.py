"""Files on the command line: models of bounded size, files of facts, files written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import IO, TYPE_CHECKING

from core.cli.base import Arguments, Parser, flag
from core.codec import MAX_BYTES
from core.errors import OptionError, ReadError, RidgelineError
from core.ingest.base import SourceFile
from core.ingest.files import read_bytes

if TYPE_CHECKING:
    from core.pipeline import FittedPipeline


def model_bytes(path: str | Path) -> bytes:
    """Return a model file's bytes, at most as many as a model file has, however large the file is."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None
    if len(raw) > MAX_BYTES:
        raise ReadError(f"{path} has more than the {MAX_BYTES // 2**20} MiB that a model file has at most.")
    return raw


def load_model(path: str) -> "FittedPipeline":
    """Return the model that a file holds."""
    from core.export import read_model

    return read_model(model_bytes(path))


def add_facts(parser: Parser) -> None:
    """Declare the files whose rows are joined to those of another."""
    flag(parser, "--machines FILE", "CSV of machine metrics, joined by machine")
    flag(parser, "--inputs FILE", "CSV of input metrics, joined by application, input")


def facts(a: Arguments) -> tuple[SourceFile | None, SourceFile | None]:
    """Return the files of machines and of inputs that are to be joined."""
    machines, inputs = (source(path) if path else None for path in (a.machines, a.inputs))
    return machines, inputs


def check_there(path: str) -> None:
    """Raise OptionError where there is no file, and what stands there may be the name of a dataset."""
    if not (os.path.exists(path) or Path(path).suffix or "://" in path):
        raise OptionError(f"There is no file '{path}'. Did you mean --dataset {quote(path)}?")


def source(path: str | Path) -> SourceFile:
    """Return a file as the readers take it."""
    return SourceFile(Path(path).name, read_bytes(path))


def text_of(path: str | Path) -> str:
    """Return what a file of text holds."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(f"{path} is no UTF-8 text. Save it as UTF-8.") from None


def add_page(parser: Parser) -> None:
    """Declare the HTML file to write."""
    flag(parser, "--out FILE.html", "the document", required=True)


def check_page(path: str) -> None:
    """Raise OptionError unless a file is called as HTML is, before minutes go into what it will hold."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise OptionError(f"--out takes a file ending in .html, got '{path}'. A browser prints it as PDF.")


def write_bytes(path: str | Path, raw: bytes) -> None:
    """Write a file under another name first, then move it into place."""
    with whole_file(path) as file:
        file.write(raw)


def written(out: str | None, raw: bytes) -> list[str]:
    """Write a file if one was asked for, and return the line that says so."""
    if not out:
        return []
    write_bytes(out, raw)
    return [f"written to {out}"]


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a file to write, which has another name until it is whole; nothing is left of one that fails.

    A link is followed; a device or a pipe is written as it stands.

    Raises
    ------
    RidgelineError
        If it cannot be written.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    in_place = os.path.exists(path) and not os.path.isfile(path)
    try:
        with Path(path if in_place else beside).open("wb") as file:
            yield file
        if not in_place:
            beside.replace(target)
    except OSError as error:
        raise RidgelineError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        beside.unlink(missing_ok=True)
