"""What gem5 was told: the config.ini that it writes beside the statistics of a run."""

import re
from pathlib import PurePosixPath

from core.ingest.base import shows
from core.ingest.readers._builder import Builder
from core.ingest.readers._text import LogReader, finite, lines_of

PROGRAM = "name"
"""What the program is called that ran, as the names of files would say it."""
_OTHERS = re.compile(r".*[/: ]|.*\w\.\w|system$|$")
"""Paths, ranges, lists, and names of other parts of the system."""


class Gem5ConfigReader(LogReader):
    """Settings of one run, by section and key, and the program that ran; such a file holds no trials."""

    label = "gem5 configuration (config.ini)"
    signs = (re.compile(rb"^\[root\]\r?\ntype=Root\r?$", re.MULTILINE),)
    tells = (b"type=root",)
    describes = ("gem5",)
    of_run = True

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down each setting that is a number or a word."""
        if not shows(raw, self.signs):
            raise builder.refused("is no configuration of gem5's: it has no section [root]. Give its config.ini.")
        section = ""
        for _, line in lines_of(raw):
            name, _, text = line.partition("=")
            if line.startswith("["):
                section = line.strip("[]")
            elif name == "cmd" and (words := text.split()):
                builder.machine_label("", PROGRAM, PurePosixPath(words[0]).name)
                builder.machine_label("", "arguments", " ".join(words[1:]))
            elif (value := finite(text)) is not None:
                builder.of_machine("", f"{section}.{name}", value)
            elif name != "children" and not _OTHERS.match(text):
                builder.machine_label("", f"{section}.{name}", text)
