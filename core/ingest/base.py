"""The contract of a reader: it recognises a file by its content and gives trials, or says why not."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from core.ingest._mapping import Mapping
from core.trial import Import


@dataclass(frozen=True)
class SourceFile:
    """A file as it came: its own name (for messages, never opened by it) and its bytes."""

    name: str
    content: bytes


class Reader(ABC):
    """Reads one format.

    Attributes
    ----------
    label : the format, as people call it
    family : readers of one family give parts of the same executions (passes, counters and trace),
        which are joined where they are imported together; "" if every file stands alone
    summary : whether the format sums up executions; in a folder that has the executions themselves, such
        a file is left out, as it would say the same again
    describes : of descriptions of machines, the formats whose runs these are; empty for any
    sums_up : of a summary, how the formats are called that have its executions, or how their names begin
    signs : what the head of such a file has, each of them, unless the format needs a rule of its own
    tells : words in lower case, one of which the head of such a file holds in whatever case; empty if none has to be
        there. They are looked for before the head is sniffed, as that takes a hundred times as long
    """

    label: ClassVar[str]
    family: ClassVar[str] = ""
    summary: ClassVar[bool] = False
    sums_up: ClassVar[str] = ""
    describes: ClassVar[tuple[str, ...]] = ()
    signs: ClassVar[tuple[re.Pattern[bytes], ...]] = ()
    tells: ClassVar[tuple[bytes, ...]] = ()

    def knows(self, head: bytes, lower: bytes) -> bool:
        """Whether a head, which is given in lower case too, looks like this format."""
        return (not self.tells or any(word in lower for word in self.tells)) and self.sniff(head)

    def sniff(self, head: bytes) -> bool:
        """Whether the first MiB (already unzipped, in UTF-8) look like this format."""
        return bool(self.signs) and all(sign.search(head) for sign in self.signs)

    @abstractmethod
    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file.

        Raises
        ------
        ReadError
            With file, line, column and value, if anything would have to be guessed.
        """
