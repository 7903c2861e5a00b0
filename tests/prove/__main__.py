"""Prove the contract: one table, figure by figure, with the counts tried. `make prove COUNT=200`."""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.prove import beside, hostile, kills, lab, measured, served, surroundings
from tests.prove.table import Line, Proof, timed


def main(given: list[str]) -> int:
    """Run every proof and print its line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.prove")
    parser.add_argument(
        "count", type=int, nargs="?", default=20, help="kills a kind; tables and models fifty times as many"
    )
    parser.add_argument("--seconds", type=float, default=5, help="for which writers deliver")
    parser.add_argument("--sessions", type=int, default=6, help="people in the lab")
    parser.add_argument("--lab-seconds", type=float, default=20, help="for which they use its server")
    parser.add_argument("--only", default="", help="a part of the names of the proofs to run")
    a = parser.parse_args(given)
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="prove-") as name:
        for what, proof in proofs(a.count, a.seconds, a.sessions, a.lab_seconds, Path(name)).items():
            if a.only in what:
                lines.append(timed(proof))
                print(lines[-1].text(), flush=True)
    broken = [line for line in lines if not line.holds]
    print(f"{len(lines) - len(broken)} of {len(lines)} hold")
    return int(bool(broken))


def proofs(count: int, seconds: float, sessions: int, lab_seconds: float, folder: Path) -> dict[str, Proof]:
    """Return the proofs by their names."""
    few, rounds = max(1, count // 20), 1 if lab_seconds < 300 else 5
    return {
        **kills.proofs(count, folder),
        "kill: measure": partial(measured.kills, count, folder),
        **served.proofs(max(1, count // 4), folder),
        "writers": partial(surroundings.writers, 16, seconds, folder),
        "tables": partial(hostile.tables, 50 * count),
        "models": partial(hostile.models, 50 * count),
        "addresses": partial(hostile.addresses, 10 * count, folder),
        "flipped": partial(hostile.flipped, 5 * count, folder),
        "disk full": partial(surroundings.disk_full, few, folder),
        "clock back": partial(surroundings.clock_back, few, folder),
        "deleted": partial(surroundings.deleted, few, folder),
        "no home": partial(surroundings.no_home, few, folder),
        "two at once": partial(surroundings.two_at_once, few, folder),
        "lab": partial(lab.mixed, sessions, lab_seconds, folder),
        "lab: fairness": partial(beside.fairness, rounds, folder),
        "lab: left": partial(beside.left, rounds, folder),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
