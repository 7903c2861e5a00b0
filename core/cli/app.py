"""`ridgeline app`: the dashboard, on this machine alone unless told otherwise."""

import os
import subprocess
import sys

from core.cli.base import Arguments, Parser, Report, Verb, flag, whole_from
from core.errors import OptionError
from core.workspace import APP, ROOT, database_path, login_configured


class AppVerb(Verb):
    """Start the dashboard on this machine."""

    group = "keep and serve"
    examples = ("ridgeline app",)
    json = False

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "--port N", "port to listen on", default=8501, type=whole_from(0, 65_535))
        flag(parser, "--no-browser", "do not open a browser window")
        flag(parser, "--listen ADDRESS", "let others reach it at this address; this machine alone if not given")
        help = "a name by which others call this server, which answers to no others"
        flag(parser, "--called NAME", help, several=True)
        flag(parser, "--behind-proxy", "something in front of --listen checks who comes and speaks TLS")

    def run(self, a: Arguments) -> Report:
        """Become the server, so that what stops this process stops it."""
        environment = {**os.environ, "RIDGELINE_DB": str(database_path(a.db).resolve())}
        command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.port", str(a.port)]
        if a.no_browser:
            command += ["--server.headless", "true"]
        command += _listening(a)
        os.chdir(APP.parent)
        if os.name == "nt":  # Windows would give the terminal back while the server runs
            sys.exit(subprocess.call(command, env=environment))
        os.execve(sys.executable, command, environment)


def _listening(a: Arguments) -> list[str]:
    """Return Streamlit's options for others to reach it.

    Raises
    ------
    OptionError
        If nobody would check who comes.
    """
    if not a.listen:
        if a.called or a.behind_proxy:
            raise OptionError("--called and --behind-proxy are for --listen ADDRESS; without it others cannot come.")
        return []
    if not (a.behind_proxy or login_configured()):
        raise OptionError(
            f"On {a.listen} everybody who reaches it could read and change all trials. Put [auth] for st.login into "
            f"{ROOT / '.streamlit' / 'secrets.toml'}, or have a proxy check who comes and add --behind-proxy."
        )
    print(_TLS, file=sys.stderr)
    names = ("localhost", "127.0.0.1", a.listen, *a.called)
    allowed = [word for name in dict.fromkeys(names) for word in ("--server.allowedHosts", name)]
    called = ["--browser.serverAddress", a.called[0]] if a.called else []
    return ["--server.address", a.listen, "--server.headless", "true", *allowed, *called]


_TLS = (
    "ridgeline: the dashboard speaks HTTP; what others send travels in the clear unless a proxy in front "
    "(nginx, Caddy) ends TLS with a certificate for the --called NAME, hands on the Host header, and passes WebSockets."
)
