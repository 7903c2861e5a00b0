"""Runs of llvm-mca on many code regions at once and reading of its reports."""

import json
import re
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any

from .loops import Loop

# The processors that llvm-mca 14 has a model of their own for, with the newest instruction set
# (of the ones the loops are compiled for) that each can run. The model of skylake differs from
# that of skylake-avx512 in one loop of a hundred and is left out.
PROCESSORS = {
    "atom": "sse2",
    "slm": "sse4.2",
    "sandybridge": "avx",
    "btver2": "avx",
    "bdver2": "avx",
    "haswell": "avx2",
    "broadwell": "avx2",
    "znver1": "avx2",
    "znver2": "avx2",
    "znver3": "avx2",
    "skylake-avx512": "avx512",
    "icelake-server": "avx512",
}
INSTRUCTION_SETS = ("sse2", "sse4.2", "avx", "avx2", "avx512")


def can_run(processor: str, instruction_set: str) -> bool:
    """Whether a processor has an instruction set."""
    order = INSTRUCTION_SETS.index
    return order(instruction_set) <= order(PROCESSORS[processor])


def region(name: str, lines: Iterable[str]) -> str:
    """One marked code region; jump targets are dropped since llvm-mca does not follow them."""
    code = "\n".join(re.sub(r"\.L\w+$", ".Lloop", line) for line in lines)
    return f"# LLVM-MCA-BEGIN {name}\n{code}\n# LLVM-MCA-END\n"


def loop_regions(loops: Sequence[Loop]) -> str:
    """The marked code regions of some loops."""
    return "".join(region(loop.name, (i.text for i in loop.body)) for loop in loops)


def report(processor: str, code: str, *flags: str) -> dict[str, dict[str, Any]]:
    """The JSON report of llvm-mca for each region, by the name of the region."""
    text = _run(processor, code, "-json", "-all-stats", "-instruction-info=0", *flags)
    document = json.loads(text)
    return {entry["Name"]: entry for entry in document["CodeRegions"]}


def brief_report(processor: str, code: str, *flags: str) -> dict[str, dict[str, Any]]:
    """The JSON report without the pressure on each resource, which is most of it."""
    return report(processor, code, "-resource-pressure=0", *flags)


def statistics(processor: str, code: str, *flags: str) -> dict[str, str]:
    """The text report of llvm-mca for each region, for what the JSON report leaves out."""
    hidden = ("-resource-pressure=0", "-instruction-info=0")
    text = _run(processor, code, "-all-stats", "-bottleneck-analysis", *hidden, *flags)
    parts = re.split(r"\[\d+\] Code Region - (\S+)\n", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def cycles(entry: dict[str, Any]) -> int:
    """The simulated cycles of a region."""
    return int(entry["SummaryView"]["TotalCycles"])


def find(pattern: str, text: str, default: float = 0.0) -> float:
    """The number that a pattern captures in a text report."""
    match = re.search(pattern, text)
    return float(match[1]) if match else default


def _run(processor: str, code: str, *flags: str) -> str:
    command = ["llvm-mca", "-mtriple=x86_64-unknown-linux-gnu", f"-mcpu={processor}", *flags]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr[:2000]}")
    return done.stdout
