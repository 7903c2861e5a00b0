"""The program of GPU kernels: built for the GPU at hand and run."""

import csv
import gzip
import io
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from _collect.files import Row, require

SOURCE = Path(__file__).resolve().parents[1] / "_kernels" / "gpu.cu"
LAUNCH = ("kernel", "size", "block")
_FOLDER = tempfile.TemporaryDirectory()


@cache
def program() -> Path:
    """Build the program; its results are compared with the processor's before anything is measured."""
    require("nvcc", "nvidia-smi")
    built = Path(_FOLDER.name) / "gpu"
    _run("nvcc", "-O3", "-std=c++17", "-arch=native", "-o", str(built), str(SOURCE), "-lcuda")
    _run(str(built), "check")
    return built


def card() -> str:
    """Return the GPU's model as a file is called by it: "h100" of "NVIDIA H100 80GB HBM3"."""
    name = _run("nvidia-smi", "--query-gpu=name", "--format=csv,noheader", "--id=0").strip()
    found = re.search(r"[A-Za-z]*\d+\w*", name)
    return (found[0] if found else name.split()[-1]).lower()


def output(*arguments: str) -> str:
    """Return what the program prints."""
    return _run(str(program()), *arguments)


def profile(metrics: list[str], to: Path) -> None:
    """Write Nsight Compute's raw page of every launch, compressed; the clocks are left as they are."""
    require("ncu")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.csv"
        flags = ["--csv", "--page", "raw", "--clock-control", "none", "--profile-from-start", "off"]
        _run("ncu", *flags, "--metrics", ",".join(metrics), "--log-file", str(page), str(program()), "shapes")
        to.write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))


def launches(page: Path) -> list[Row]:
    """Return what Nsight Compute counted of each launch, in the order of `gpu list`."""
    with gzip.open(page, "rt", newline="") as file:
        names, _, *rows = csv.reader(line for line in file if not line.startswith("=="))
    return [dict(zip(names, row, strict=True)) for row in rows]


def listed() -> list[Row]:
    """Return kernel, size and block of each launch."""
    return list(csv.DictReader(io.StringIO(output("list"))))


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"This sample cannot be collected: {command[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
