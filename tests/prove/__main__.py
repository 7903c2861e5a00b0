"""Prove the contract: one table, figure by figure, with the counts tried. `make prove COUNT=200`."""

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.prove import hostile, kills, surroundings
from tests.prove.table import Line, timed


def main(count: int, seconds: float) -> int:
    """Run every proof and print its line; return the exit code.

    Parameters
    ----------
    count : kills a kind; tables and models fifty times as many
    seconds : for which writers deliver
    """
    with tempfile.TemporaryDirectory(prefix="prove-") as name:
        folder = Path(name)
        os.environ["RIDGELINE_DB"] = str(folder / "pages.duckdb")
        few = max(1, count // 20)
        proofs = [
            *kills.proofs(count, folder),
            partial(surroundings.writers, 16, seconds, folder),
            partial(hostile.tables, 50 * count),
            partial(hostile.models, 50 * count),
            partial(hostile.addresses, 2 * count, folder),
            partial(hostile.flipped, 5 * count, folder),
            partial(surroundings.disk_full, few, folder),
            partial(surroundings.clock_back, few, folder),
            partial(surroundings.deleted, few, folder),
            partial(surroundings.no_home, few, folder),
            partial(surroundings.two_at_once, few, folder),
        ]
        lines: list[Line] = []
        for proof in proofs:
            lines.append(timed(proof))
            print(lines[-1].text(), flush=True)
    broken = [line for line in lines if not line.holds]
    print(f"{len(lines) - len(broken)} of {len(lines)} hold")
    return int(bool(broken))


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]] or [20]
    sys.exit(main(given[0], given[1] if len(given) > 1 else 5))
