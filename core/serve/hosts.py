"""How the server meets a request: its names, headers in time and of every answer, and what is wrong in a sentence."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import h11
import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MEDIA_TYPE = "application/problem+json"


class ProblemError(Exception):
    """A request that is not answered.

    Attributes
    ----------
    status : of HTTP
    detail : what is wrong, by which rule, and what to do
    """

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers or {}


def problem(error: ProblemError) -> Response:
    """Return the answer to such a request."""
    body = {"title": HTTPStatus(error.status).phrase, "status": error.status, "detail": error.detail}
    return Response(msgspec.json.encode(body), error.status, error.headers, MEDIA_TYPE)


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


HEADERS_S = 10.0
"""So long the headers of a request may take from the connection's, or their own, first byte on."""
MOST_WAITING = 128
"""Connections without a whole request; beyond, the oldest of the client that has most of them is closed."""


class Connection(H11Protocol):
    """A connection that is closed where a request's headers take too long, or too many others wait as it does."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request, and make room for this one among those that wait."""
        super().connection_made(transport)
        self._wait()
        waiting = [c for c in self.connections if isinstance(c, Connection) and c._deadline is not None]
        if len(waiting) > MOST_WAITING:
            count = Counter(c._host for c in waiting)
            most = max(count, key=lambda host: count[host])
            oldest = min((c for c in waiting if c._host == most), key=Connection._ends)
            oldest._refuse(ProblemError(503, "Too many connections wait to send a request. Come again."))

    def data_received(self, data: bytes) -> None:
        """Hand the bytes on; wait no longer once a request is whole, wait again at the next one's beginning."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._end()
        elif self._deadline is None and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._end()
        super().connection_lost(exc)

    @property
    def _host(self) -> str:
        return self.client[0] if self.client else ""

    def _ends(self) -> float:
        return self._deadline.when() if self._deadline else 0.0

    def _wait(self) -> None:
        late = ProblemError(408, f"The headers of the request did not come within {HEADERS_S:g} s.")
        self._deadline = self.loop.call_later(HEADERS_S, self._refuse, late)

    def _end(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, error: ProblemError) -> None:
        """Answer with what is wrong, where an answer is still allowed, and close."""
        self._end()
        answer = problem(error)
        if self.conn.our_state is h11.IDLE and not self.transport.is_closing():
            head = f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\nconnection: close\r\n".encode()
            lines = b"".join(name + b": " + value + b"\r\n" for name, value in answer.raw_headers)
            self.transport.write(head + lines + b"\r\n" + bytes(answer.body))
        self.transport.close()
