"""Static metrics of loop bodies: what the code holds, whatever processor runs it."""

import re
import subprocess
from collections.abc import Sequence

from .assembly import CLASSES, memory_bytes, vector_bytes
from .dependencies import carried_chain, path, reads, reads_memory, writes, writes_memory
from .files import Row, without_constants
from .loops import Loop
from .mca import loop_regions

KINDS = tuple(dict.fromkeys([*(name for name, _ in CLASSES), "integer_operations"]))


def loop_rows(loops: Sequence[Loop]) -> list[Row]:
    """One row of static metrics per loop, less the metrics that are the same for all."""
    sizes = _code_sizes(loops)
    rows: list[Row] = [
        {"kernel": loop.kernel, "variant": loop.variant.name}
        | {"instructions (instructions)": len(loop.body)}
        | {"code_size (bytes)": sizes[loop.name]}
        | _counts(loop)
        | _traffic(loop)
        | _registers(loop)
        | _chains(loop)
        for loop in loops
    ]
    return without_constants(rows)


def _counts(loop: Loop) -> Row:
    kinds = [instruction.kind for instruction in loop.body]
    counts: Row = {f"{kind} (instructions)": kinds.count(kind) for kind in sorted(KINDS)}
    counts["vector_instructions (instructions)"] = sum(i.is_vector for i in loop.body)
    return counts


def _traffic(loop: Loop) -> Row:
    loads = [memory_bytes(i) for i in loop.body if reads_memory(i)]
    stores = [memory_bytes(i) for i in loop.body if writes_memory(i)]
    return {
        "loads (instructions)": len(loads),
        "stores (instructions)": len(stores),
        "loaded (bytes)": sum(loads),
        "stored (bytes)": sum(stores),
        "vector_width (bits)": 8 * max(vector_bytes(i) for i in loop.body),
    }


def _registers(loop: Loop) -> Row:
    used = set[str]().union(*(reads(i) | writes(i) for i in loop.body))
    vectors = {name for name in used if re.fullmatch(r"v\d+", name)}
    integers = {name for name in used if re.fullmatch(r"r\w+", name)}
    return {
        "integer_registers (registers)": len(integers),
        "vector_registers (registers)": len(vectors),
    }


def _chains(loop: Loop) -> Row:
    body = list(loop.body)
    return {
        "path (instructions)": path(body, 1, weighted=False),
        "path_latency (cycles)": path(body, 1, weighted=True),
        "carried_chain (instructions)": carried_chain(body, weighted=False),
        "carried_latency (cycles)": carried_chain(body, weighted=True),
    }


def _code_sizes(loops: Sequence[Loop]) -> dict[str, int]:
    """The encoded size of each loop, from the assembler."""
    command = ["llvm-mc", "-triple=x86_64-unknown-linux-gnu", "-mcpu=icelake-server"]
    done = subprocess.run(
        [*command, "-show-encoding", "-preserve-comments"],
        input=loop_regions(loops),
        capture_output=True,
        text=True,
        check=True,
    )
    sizes: dict[str, int] = {}
    for line in done.stdout.splitlines():
        if match := re.search(r"# LLVM-MCA-BEGIN (\S+)", line):
            name = match[1]
            sizes[name] = 0
        if match := re.search(r"# encoding: \[(.*)\]", line):
            sizes[name] += match[1].count(",") + 1
    return sizes
