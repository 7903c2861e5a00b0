"""`ridgeline app`: the dashboard, on this machine alone."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from core.cli.base import Arguments, Report, Verb
from core.errors import RidgelineError
from core.workspace import APP


class AppVerb(Verb):
    """Start the dashboard."""

    help = "start the dashboard on this machine"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        parser.add_argument("--port", type=int, default=8501, metavar="N")
        parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")

    def run(self, a: Arguments) -> Report:
        """Run the server until it is stopped."""
        environment = dict(os.environ)
        if a.db:
            environment["RIDGELINE_DB"] = str(Path(a.db).resolve())
        command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.port", str(a.port)]
        if a.no_browser:
            command += ["--server.headless", "true"]
        try:
            code = subprocess.call(command, env=environment, cwd=APP.parent)
        except KeyboardInterrupt:
            code = 0
        if code:
            raise RidgelineError(f"The dashboard ended with code {code}. Is port {a.port} in use? Try --port.")
        return Report()
