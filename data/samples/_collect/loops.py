"""Compilation of the C loop kernels and extraction of their innermost loops from the assembly."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .assembly import Instruction, memory_bytes, parse
from .dependencies import reads_memory, writes_memory

SOURCE = Path(__file__).resolve().parents[1] / "_kernels" / "loops.c"
COMMON = ("-S", "-o", "-", "-w", "-fno-math-errno", "-fno-asynchronous-unwind-tables")
LABEL = re.compile(r"(\.L\w+):")
TARGET = re.compile(r"j[a-z]+\s+(\.L\w+)")


@dataclass(frozen=True)
class Variant:
    """A way to compile the kernels: its name, the instruction set it needs and the flags."""

    name: str
    instruction_set: str
    flags: tuple[str, ...]


VARIANTS = (
    Variant("o1", "sse2", ("-O1",)),
    Variant(
        "o2_unroll4",
        "sse2",
        ("-O2", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-unroll-count=4"),
    ),
    Variant("o3_sse2", "sse2", ("-O3", "-fno-unroll-loops")),
    Variant("fast_sse2", "sse2", ("-Ofast", "-fno-unroll-loops")),
    Variant("o3_avx", "avx", ("-O3", "-fno-unroll-loops", "-mavx", "-mpopcnt")),
    Variant("fast_avx2", "avx2", ("-Ofast", "-march=x86-64-v3")),
    Variant(
        "fast_avx512",
        "avx512",
        ("-Ofast", "-march=skylake-avx512", "-mprefer-vector-width=512"),
    ),
)


@dataclass(frozen=True)
class Loop:
    """One innermost loop: the kernel it comes from, how it was compiled and its body."""

    kernel: str
    variant: Variant
    body: tuple[Instruction, ...]

    @property
    def name(self) -> str:
        """A name for the code region of the loop."""
        return f"{self.kernel}.{self.variant.name}"


def all_loops() -> list[Loop]:
    """The loops of every kernel and variant, without repeats of the same code in a kernel."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    found: list[Loop] = []
    for variant in VARIANTS:
        for kernel, body in _compile(variant).items():
            code = (kernel, tuple(re.sub(r"\.L\w+", ".L", i.text) for i in body))
            if code not in seen:
                seen.add(code)
                found.append(Loop(kernel, variant, tuple(body)))
    return found


def _compile(variant: Variant) -> dict[str, list[Instruction]]:
    command = ["clang", *COMMON, *variant.flags, str(SOURCE)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    loops = {name: _hot_loop(lines) for name, lines in _functions(text).items()}
    return {name: body for name, body in loops.items() if body}


def _functions(text: str) -> dict[str, list[str]]:
    """Split an assembly file into the lines of its functions."""
    functions: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if match := re.match(r"([a-z]\w+):", line):
            lines = functions.setdefault(match[1], [])
        elif LABEL.match(line) or re.match(r"\t[a-z]", line):
            lines.append(line.split("#")[0].strip())
    return functions


def _hot_loop(lines: list[str]) -> list[Instruction]:
    """The straight innermost loop that moves the most bytes (then the longest, then the first)."""
    candidates = _straight_loops(lines)
    return max(candidates, key=lambda body: (_traffic(body), len(body)), default=[])


def _straight_loops(lines: list[str]) -> list[list[Instruction]]:
    """Every block that ends in a jump back to its start and has no other inner jump target."""
    starts = {match[1]: at for at, line in enumerate(lines) if (match := LABEL.match(line))}
    found = []
    for end, line in enumerate(lines):
        start = starts.get(match[1], end) if (match := TARGET.match(line)) else end
        if start < end and _is_straight(lines[start:end], starts, start, end):
            found.append([parse(text) for text in lines[start : end + 1] if not LABEL.match(text)])
    return found


def _is_straight(block: list[str], starts: dict[str, int], start: int, end: int) -> bool:
    """Whether control falls through the block: no calls and jumps only to places outside it."""
    for line in block:
        if line.startswith(("call", "ret", "rep", "lock", "jmp")):
            return False
        match = TARGET.match(line)
        if match and start <= starts.get(match[1], -1) <= end:
            return False
    return True


def _traffic(body: list[Instruction]) -> int:
    return sum(memory_bytes(i) for i in body if reads_memory(i) or writes_memory(i))
