"""Connections that only begin to ask, and clients that ask too much, keep nobody else waiting."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
import uvicorn

from core.export import write_model
from core.recipes import make_recipe
from core.serve import Limits, make_app, serve_models
from core.serve import hosts as guarded
from core.serve.hosts import MOST_WAITING, Connection
from core.serve.served import Served
from tests.conftest import machine_frame

pytestmark = pytest.mark.slow

HALF = b"GET /health HTTP/1.1\r\nhost: localhost\r\nx-slow: "
PROBLEM = "application/problem+json"
PATIENT_S = 120
"""How long a busy machine may take to answer."""


@pytest.fixture(scope="module")
def models() -> dict[str, Served]:
    return serve_models({"m": write_model(make_recipe("ols").fit(machine_frame()))})


@pytest.fixture
def port(models: dict[str, Served], monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(guarded, "HEADERS_S", 2.0)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(models), http=Connection, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(PATIENT_S)


def end_of(sent: socket.socket) -> bytes:
    """Return all that still comes until the connection is closed."""
    sent.settimeout(PATIENT_S)
    found = b""
    try:
        while part := sent.recv(4096):
            found += part
    except ConnectionResetError:
        pass
    return found


def test_half_sent_headers_are_closed_and_others_are_answered(port: int) -> None:
    half = [socket.create_connection(("127.0.0.1", port), timeout=PATIENT_S) for _ in range(300)]
    for connection in half:
        connection.sendall(HALF)
    answers = [httpx.get(f"http://127.0.0.1:{port}/health", timeout=PATIENT_S).status_code for _ in range(20)]
    assert answers == [200] * 20
    ends = [end_of(connection) for connection in half]
    heads = [end.split(b"\r\n")[0] for end in ends if end]
    assert heads.count(b"HTTP/1.1 408 Request Timeout") >= MOST_WAITING - 30
    assert set(heads) <= {b"HTTP/1.1 408 Request Timeout", b"HTTP/1.1 503 Service Unavailable"}
    last = ends[-1].partition(b"\r\n\r\n")
    assert PROBLEM.encode() in last[0]
    assert json.loads(last[2])["detail"] == "The headers of the request did not come within 2 s."


def test_a_kept_connection_may_ask_again_and_is_timed_again(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "HEADERS_S", 1.5 * PATIENT_S)  # also on a busy machine they come in time
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENT_S) as connection:
        for _ in range(2):
            connection.sendall(HALF)
            time.sleep(0.2)
            connection.sendall(b"x\r\n\r\n")
            said = b""
            while b'"ok"}' not in said:
                said += connection.recv(4096)
            assert said.startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(guarded, "HEADERS_S", 0.2)
        connection.sendall(HALF)
        assert end_of(connection).startswith(b"HTTP/1.1 408")


def test_a_client_has_half_of_what_is_answered_at_a_time(models: dict[str, Served]) -> None:
    app, go_on = make_app(models, limits=Limits(at_once=8, read_s=PATIENT_S)), asyncio.Event()

    async def slow() -> object:
        yield b"{"
        await go_on.wait()

    async def ask(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post("/models/m/predict", content=slow(), headers={"content-type": "application/json"})

    async def both() -> tuple[list[httpx.Response], httpx.Response]:
        one, other = (httpx.ASGITransport(app=app, client=(host, 1)) for host in ("10.0.0.1", "10.0.0.2"))
        async with (
            httpx.AsyncClient(transport=one, base_url="http://localhost") as greedy,
            httpx.AsyncClient(transport=other, base_url="http://localhost") as modest,
        ):
            many = [asyncio.create_task(ask(greedy)) for _ in range(10)]
            async with asyncio.timeout(PATIENT_S):
                while sum(task.done() for task in many) < 6:
                    await asyncio.sleep(0.01)
            answer = await modest.get("/health")
            go_on.set()
            return await asyncio.gather(*many), answer

    many, answer = asyncio.run(both())
    assert answer.status_code == 200
    refused = [found for found in many if found.status_code == 503]
    assert len(refused) == 6
    assert refused[0].headers["content-type"] == PROBLEM
    assert refused[0].headers["retry-after"] == "1"
