"""The HTTP interface: routes, limits of body and crowd, and errors as problems."""

import asyncio
import functools
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

import anyio.to_thread
import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from core.frozen import Frozen
from core.serve.describe import described, listed, openapi
from core.serve.hosts import HEADERS, Hosts, ProblemError, problem
from core.serve.served import Served, predicted, read_rows

LATER = {"retry-after": "1"}


class Crowd:
    """Refuses requests beyond a number under way, of which one client may have half."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, or tell it to come again."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = (scope.get("client") or ("",))[0]
        if self._under_way.total() >= self._most or self._under_way[client] >= max(self._most // 2, 1):
            said = "Too many requests are under way. Come again in a second, or send several rows in one."
            await problem(ProblemError(503, said, LATER))(scope, receive, send)
            return
        self._under_way[client] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way[client] -= 1
            if not self._under_way[client]:
                del self._under_way[client]


JSON = "application/json"
_LARGE = 64 * 1024
"""Bytes from which on a body is read in another thread."""


_DRAINED = 8
"""Times the largest body up to which one is let in to be dropped: who still sends does not read why it is refused."""


class Limits(Frozen):
    """What a request may take.

    Attributes
    ----------
    body_bytes, rows : of one request
    read_s, predict_s : for its body to come, and for the model to answer
    at_once : requests under way, of which one client may have half
    """

    body_bytes: int = 16 * 1024 * 1024
    rows: int = 100_000
    read_s: float = 20.0
    predict_s: float = 60.0
    at_once: int = 256


def make_app(
    models: Mapping[str, Served], hosts: frozenset[str] | None = None, limits: Limits | None = None
) -> Starlette:
    """Return the ASGI application that serves some models.

    Parameters
    ----------
    hosts : names by which the server may be called, so that no page of another site reaches it by a
        name of its own that leads here (DNS rebinding); None for any
    """
    limits = limits or Limits()
    server, every = _Server(models, limits), msgspec.json.encode(listed(models))
    described_all = msgspec.json.encode(openapi(models, limits.rows))
    fixed = {"/": every, "/health": b'{"status":"ok"}', "/openapi.json": described_all, "/models": every}
    handlers: Any = {ProblemError: _on_problem, HTTPException: _on_http, Exception: _on_bug}
    return Starlette(
        routes=[
            *(Route(path, _always(body), methods=["GET"]) for path, body in fixed.items()),
            Route("/models/{name}", server.model, methods=["GET"]),
            Route("/models/{name}/predict", server.predict, methods=["POST"]),
        ],
        exception_handlers=handlers,
        middleware=[Middleware(Hosts, hosts=hosts, headers=HEADERS), Middleware(Crowd, most=limits.at_once)],
    )


class _Server:
    def __init__(self, models: Mapping[str, Served], limits: Limits) -> None:
        self._models, self._limits = models, limits
        self._described = {name: msgspec.json.encode(described(served)) for name, served in models.items()}

    async def model(self, request: Request) -> Response:
        return _json(self._described[self._served(request).name])

    async def predict(self, request: Request) -> Response:
        served = self._served(request)
        _refuse_media_type(request)
        body = await self._body(request)
        if len(body) > _LARGE:
            return _json(await self._elsewhere(functools.partial(self._answer, served, body)))
        X, in_columns = read_rows(body, served, self._limits.rows)
        if len(X) <= served.quick_rows:
            return _json(predicted(served, X, in_columns=in_columns))
        return _json(await self._elsewhere(functools.partial(predicted, served, X, in_columns=in_columns)))

    def _served(self, request: Request) -> Served:
        name = request.path_params["name"]
        if name not in self._models:
            there = ", ".join(f"'{known}'" for known in self._models)
            raise ProblemError(404, f"There is no model '{name[:80]}' here; there are: {there}.")
        return self._models[name]

    def _answer(self, served: Served, body: bytes) -> bytes:
        X, in_columns = read_rows(body, served, self._limits.rows)
        return predicted(served, X, in_columns=in_columns)

    async def _body(self, request: Request) -> bytes:
        """Return the body, which is refused where it is too large."""
        most = self._limits.body_bytes
        said = request.headers.get("content-length", "")
        declared = int(said) if said.isdigit() else 0
        if declared > _DRAINED * most:
            raise _too_large(most)
        try:
            async with asyncio.timeout(self._limits.read_s):
                return await _read(request, most, declared)
        except TimeoutError:
            raise ProblemError(408, f"The body did not come within {self._limits.read_s:g} s.") from None

    async def _elsewhere(self, work: Callable[[], bytes]) -> bytes:
        """Return what work makes in another thread, so that others are answered meanwhile."""
        try:
            async with asyncio.timeout(self._limits.predict_s):
                return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        except TimeoutError:
            seconds = f"{self._limits.predict_s:g} s"
            raise ProblemError(503, f"The prediction took longer than {seconds}. Ask for fewer rows at once.") from None


async def _read(request: Request, most: int, declared: int) -> bytes:
    """Return a body; one that says that it is too large comes in first and is dropped, so that its sender listens."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > max(most, declared):
                raise _too_large(most)
            if declared <= most:
                parts.append(part)
    except ClientDisconnect:
        raise ProblemError(400, "The body was cut off.") from None
    if declared > most:
        raise _too_large(most)
    return b"".join(parts)


def _too_large(most: int) -> ProblemError:
    return ProblemError(413, f"The body is larger than {most / 2**20:g} MiB. Send the rows in several requests.")


def _refuse_media_type(request: Request) -> None:
    given = request.headers.get("content-type", "")
    kind, _, parameters = given.partition(";")
    if kind.strip().lower() != JSON or parameters.strip().lower() not in ("", "charset=utf-8"):
        raise ProblemError(415, f"The body must be {JSON}, not '{given[:80]}'. Set Content-Type.")
    if request.headers.get("content-encoding", "identity") != "identity":
        raise ProblemError(415, "The body must not be packed. Send it without Content-Encoding.")


def _json(body: bytes) -> Response:
    return Response(body, media_type=JSON)


def _always(body: bytes) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers every request alike."""

    async def answer(request: Request) -> Response:
        return _json(body)

    return answer


async def _on_problem(request: Request, error: ProblemError) -> Response:
    return problem(error)


async def _on_http(request: Request, error: HTTPException) -> Response:
    """Answer for what the routes refuse: an unknown address, a method that is not answered."""
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = dict(error.headers or {})
        takes = allowed.get("Allow", "others")
        said = f"{request.url.path[:200]} does not take {request.method[:20]}; it takes {takes}."
        return problem(ProblemError(405, said, allowed))
    said = f"There is nothing at {request.url.path[:200]}; the models are listed at /models."
    return problem(ProblemError(error.status_code, said if error.status_code == HTTPStatus.NOT_FOUND else error.detail))


async def _on_bug(request: Request, error: Exception) -> Response:
    return problem(ProblemError(500, "The server failed on this request; its log says where."))
