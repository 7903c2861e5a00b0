"""By which names the server may be called, and headers that every answer has."""

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.serve.problem import ProblemError, problem

HEADERS = {"x-content-type-options": "nosniff", "cache-control": "no-store"}


class Hosts:
    """Refuses requests whose Host header is none of the names that belong here, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None, headers: Mapping[str, str]) -> None:
        self._app, self._hosts, self._headers = app, hosts, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        host = name_of(Headers(scope=scope).get("host", ""))
        if self._hosts is not None and host not in self._hosts:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            said = f"This server is not called '{host[:80]}'. Call it by {', '.join(sorted(self._hosts))}."
            await problem(ProblemError(400, said))(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)


def name_of(host: str) -> str:
    """Return a Host header without its port, in small letters."""
    host = host.strip().lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if host.count(":") == 1 else host
