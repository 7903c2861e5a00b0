"""Where the user's database and the shipped samples are."""

import os
import tomllib
from contextlib import suppress
from pathlib import Path

_HERE = Path(__file__).resolve().parent
ROOT = _HERE / "_app" if (_HERE / "_app" / "app.py").exists() else _HERE.parent
"""The folder that holds `app.py`, `pages/` and `data/`: the checkout, or the installed copy."""

SAMPLES = ROOT / "data" / "samples"
SPACES = ROOT / "data" / "spaces"
EXPERIMENTS = ROOT / "data" / "experiments"
APP = ROOT / "app.py"


def login_configured() -> bool:
    """Return whether the dashboard's settings name who checks who comes (`[auth]` of Streamlit's secrets)."""
    folders = [ROOT]
    with suppress(RuntimeError):  # nobody's home
        folders.append(Path.home())
    for path in (folder / ".streamlit" / "secrets.toml" for folder in folders):
        with suppress(OSError, tomllib.TOMLDecodeError):
            if "auth" in tomllib.loads(path.read_text(encoding="utf-8")):
                return True
    return False


def database_path(named: str | None = None) -> Path:
    """Return the database to use: the one named, or that of `RIDGELINE_DB`, or one in a folder of its own.

    That is `data/workspace/ridgeline.duckdb` in a checkout and `ridgeline/ridgeline.duckdb` in the user's
    data folder otherwise; no other folder is made.
    """
    given = named or os.environ.get("RIDGELINE_DB")
    if given:
        return Path(given)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    folder = ROOT / "data" / "workspace" if ROOT == _HERE.parent else Path(home) / "ridgeline"
    with suppress(OSError):  # the store says what is wrong with a folder
        folder.mkdir(parents=True, exist_ok=True)
    return folder / "ridgeline.duckdb"
