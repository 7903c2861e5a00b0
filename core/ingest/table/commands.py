"""Command lines in logs: the program, its numbered arguments, its options and the variables set for it."""

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import PurePosixPath

from core.ingest.table.dialect import is_number

_PROMPT = re.compile(
    r"(?:\([\w.-]+\) ?)?(?:[\w.-]+@[\w.-]+[: ]?[\w./~-]*[$%#]|\$) +|\++ +|Command being timed: \"|"
    r"Benchmark #?\d+: (?=[^\s\d])|[A-Z]:\\[^<>|]*>(?=\w)|> (?=\.{0,2}/|mpirun |mpiexec |srun )"
)
"""Before a command: `$ `, `user@host:~$ `, a shell's `+ `, what GNU's `time` says, hyperfine, Windows, and a script."""
_STARTS = re.compile(r"(?:\w+=\S+ +)*(?:(?:/usr/bin/)?time +(?:-\w+ +)*)?(?:\.{0,2}/\S|mpirun |mpiexec |srun )")
"""How a command begins that no prompt shows."""
_SET = re.compile(r"(-{0,2}[A-Za-z][\w-]*)=(\S+)")
_SHORT = re.compile(r"-([A-Za-z]|X[a-z]{2})(\d\S*)")
"""An option with its number, as `-n4` and Java's `-Xmx512m`."""
_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_ENDS = re.compile(r"[|<>&;]|\d?>.*")
_RUN_BY = re.compile(
    r"time|sudo|nohup|env|exec|mpirun|mpiexec|srun|numactl|taskset|nice|likwid-pin|python[\d.]*|sh|bash|Rscript|perl|ruby|"
    "julia|node"
)
"""What runs another program; its options are the run's as well."""

_OF_SHELL = re.compile(r"[\"'`$|&;<>(){}\n]| -\d")
"""What makes more of a command than words, or is an option and no number below 0, as that of `gzip -9` is."""


def command_of(line: str) -> list[tuple[str, str]]:
    """Return what a command line says as (name, value), the program first; nothing of any other line."""
    prompt = _PROMPT.match(line)
    bare = line[prompt.end() if prompt else 0 :].rstrip('"' if prompt and prompt[0].endswith('"') else None)
    words = [*takewhile(lambda word: not _ENDS.match(word), bare.replace("; ", " ; ").split())]
    if not words or not (prompt or _STARTS.match(bare)):
        return []
    program, said, n = "", list[tuple[str, str]](), 0
    while words:
        word = words.pop(0)
        if pair := _SET.fullmatch(word):
            said.append((pair[1].lstrip("-"), pair[2]))
        elif short := _SHORT.fullmatch(word):
            said.append((short[1], short[2]))
        elif _OPTION.fullmatch(word):
            valued = words and not words[0].startswith("-") and (program or word[-4:] == "file" or "/" not in words[0])
            said.append((word.lstrip("-"), words.pop(0) if valued else "yes"))
        elif not program and not _RUN_BY.fullmatch(PurePosixPath(word).name):
            program = PurePosixPath(word).name
        elif program:
            n += 1
            said.append((f"argument {n}", word))
    return [("program", program), *said] if any(map(str.isalnum, program)) else []


def settings_of(commands: Sequence[str]) -> dict[str, list[str]]:
    """Return the program of each of several commands and what else differs, of which some are numbers, by name.

    There is nothing where that tells not all of them apart, so that nothing is lost.
    """
    said = [{} if _OF_SHELL.search(own) else dict(command_of(f"$ {own}")) for own in commands]
    common = [name for name in said[0] if all(name in own for own in said)] if said else []
    told = {name: [own[name] for own in said] for name in common}
    varied = {name: texts for name, texts in told.items() if name == "program" or len({*texts}) > 1}
    numbers = any(all(map(is_number, texts)) for texts in varied.values())
    return varied if numbers and len({*zip(*varied.values(), strict=True)}) == len({*commands}) else {}
