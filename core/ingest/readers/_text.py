"""What readers of texts share: a text that fills a builder, and its lines that hold a word."""

import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.opening import OpenedText, open_text
from core.ingest.readers._builder import Builder
from core.trial import Import


class TextReader(Reader):
    """Reads a text through a builder; `simulated` says that equal times are to be expected."""

    simulated: ClassVar[bool] = False

    def open(self, file: SourceFile) -> OpenedText:
        """Return the text of a file."""
        return open_text(file)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file; the mapping is applied by the caller."""
        text = self.open(file)
        builder = Builder(text.name, text.sha256, type(self).__module__.rpartition(".")[2], self.simulated)
        self.fill(builder, text)
        return builder.build(text.warnings)

    @abstractmethod
    def fill(self, builder: Builder, text: OpenedText) -> None:
        """Put down what a text says; raise ReadError if it says nothing."""


def lines_with(raw: bytes, hint: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    """Yield (place, line) of the lines that hold a hint, without their ends."""
    end = -1
    for found in hint.finditer(raw):
        if found.start() > end:
            start = max(raw.rfind(b"\n", 0, found.start()), raw.rfind(b"\r", 0, found.start())) + 1
            end = min((at for at in (raw.find(b"\n", start), raw.find(b"\r", start)) if at >= 0), default=len(raw))
            yield start, raw[start:end].decode("utf-8", "replace")
