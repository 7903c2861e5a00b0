"""`ridgeline app`: the dashboard, on this machine alone."""

import argparse
import os
import sys

from core.cli.base import Arguments, Report, Verb
from core.workspace import APP, database_path


class AppVerb(Verb):
    """Start the dashboard."""

    help = "start the dashboard on this machine"
    json = False

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        parser.add_argument("--port", type=int, default=8501, metavar="N")
        parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")

    def run(self, a: Arguments) -> Report:
        """Become the server, so that what stops this process stops it."""
        database = database_path(a.db)
        environment = {**os.environ, "RIDGELINE_DB": str(database.resolve())}
        command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.port", str(a.port)]
        if a.no_browser:
            command += ["--server.headless", "true"]
        os.chdir(APP.parent)
        os.execve(sys.executable, command, environment)
