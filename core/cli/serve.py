"""`ridgeline serve`: models over HTTP, on this machine unless told otherwise."""

import ipaddress
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from core.cli._files import model_bytes
from core.cli.base import Arguments, Parser, Report, Verb, flag, whole_from
from core.errors import OptionError, RidgelineError
from core.serve import Limits, make_app, serve_models

HOST, PORT = "127.0.0.1", 8765
GOODBYE_S = 5
"""So long requests under way may take when the server is stopped."""


class ServeVerb(Verb):
    """Answer requests for predictions over HTTP, as JSON."""

    group = "keep and serve"
    examples = ("ridgeline serve model.json",)
    json = False

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "models [NAME=]model.json", "called by its file if not named", nargs="+")
        flag(parser, "--host", f"address to listen on ({HOST}: this machine alone)", default=HOST)
        flag(parser, "--port N", "port to listen on; 0 takes a free one", default=PORT, type=whole_from(0, 65_535))
        help = "a name by which others call this server; it then answers to no other"
        flag(parser, "--called NAME", help, several=True)
        flag(parser, "--max-rows N", "rows in one request", default=Limits.rows)
        flag(parser, "--max-mib N", "size of one request in MiB", default=Limits.body_bytes / 2**20)

    def run(self, a: Arguments) -> Report:
        """Serve until stopped by Ctrl-C or a signal."""
        import uvicorn

        from core.serve.hosts import Connection

        if a.max_rows < 1 or not a.max_mib > 0:
            raise OptionError("--max-rows and --max-mib must be above 0.")
        limits = Limits(body_bytes=int(a.max_mib * 2**20), rows=a.max_rows)
        models = serve_models(_named(a.models))
        app = make_app(models, _hosts(a.host, a.called), limits)
        listening = _socket(a.host, a.port)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            http=Connection,
            timeout_graceful_shutdown=GOODBYE_S,
        )
        where = f"http://{_shown(listening)}/"
        print(f"serving {', '.join(models)} on {where} (stop with Ctrl-C)", file=sys.stderr, flush=True)
        uvicorn.Server(config).run(sockets=[listening])
        return Report()


def _named(given: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for text in given:
        name, sign, path = text.partition("=")
        if not sign or Path(text).exists():
            name, path = Path(text).name.removesuffix(".json"), text
        if name in found:
            raise OptionError(f"Two models would be called '{name}'. Name them: NAME={path}.")
        found[name] = model_bytes(path)
    return found


def _hosts(host: str, called: Sequence[str]) -> frozenset[str] | None:
    """Return the names by which the server may be called; None for any, which is so where all may reach it."""
    names = {name.lower() for name in called}
    if _is_here(host):
        return frozenset({"localhost", "127.0.0.1", "[::1]", host.lower(), *names})
    return frozenset({*names, "localhost", "127.0.0.1", host.lower()}) if names else None


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(place)
        found.listen(128)
    except OSError as error:
        raise RidgelineError(
            f"{host} port {port} cannot be listened on: {error.strerror}. Choose another --port."
        ) from None
    return found


def _shown(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
