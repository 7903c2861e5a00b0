"""Where the user's database and the shipped samples are."""

import os
from pathlib import Path

_HERE = Path(__file__).resolve().parent
ROOT = _HERE / "_app" if (_HERE / "_app" / "app.py").exists() else _HERE.parent
"""The folder that holds `app.py`, `pages/` and `data/`: the checkout, or the installed copy."""

SAMPLES = ROOT / "data" / "samples"
SPACES = ROOT / "data" / "spaces"
EXPERIMENTS = ROOT / "data" / "experiments"
APP = ROOT / "app.py"


def default_database() -> Path:
    """Return the database to use when nobody names one.

    `RIDGELINE_DB` if it is set; in a checkout `data/workspace/ridgeline.duckdb`; installed,
    `ridgeline/ridgeline.duckdb` in the user's data folder.
    """
    named = os.environ.get("RIDGELINE_DB")
    if named:
        return Path(named)
    if ROOT == _HERE.parent:
        return ROOT / "data" / "workspace" / "ridgeline.duckdb"
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "ridgeline" / "ridgeline.duckdb"
