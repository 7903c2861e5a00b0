"""Requests a second of `ridgeline serve` against a bare Starlette endpoint that parses and answers JSON as large.

Run by hand: python -m tests.bench.bench_serve [seconds]
Both servers run one after the other on the same machine in processes of their own, with the same
requests over the same number of open connections; what counts is the ratio.
"""

import asyncio
import json
import multiprocessing
import socket
import sys
import time
from collections.abc import Callable

import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.export import write_model
from core.recipes import make_recipe, train
from core.serve import make_app, serve_models
from core.trial import Kind, Metric, make_frame
from core.validate.folds import parse_folds
from tests.bench.record import Line, record

NAMES = ("simd", "lanes", "cache_kb", "clock_mhz", "banks", "width")
RECIPES = {"ols": {}, "stargazer": {}, "forest": {"trees": "50"}}
ROWS = (1, 100)
CONNECTIONS = 8


def models() -> dict[str, bytes]:
    rng = np.random.default_rng(5)
    X = rng.uniform(1, 64, (200, len(NAMES)))
    y = 1e5 / X[:, 0] + 40 * X[:, 1] + X[:, 2] * X[:, 3] * np.exp(rng.normal(0, 0.02, 200))
    frame = make_frame(X, y, [Metric(n, Kind.PARAMETER) for n in NAMES], Metric("cycles", Kind.RESPONSE))
    return {
        name: write_model(train(make_recipe(name, o), frame, parse_folds("kfold:5")).model)
        for name, o in RECIPES.items()
    }


def request_of(n: int) -> bytes:
    X = np.random.default_rng(n).uniform(2, 60, (n, len(NAMES)))
    return json.dumps({"rows": [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]}).encode()


def bare(answer: bytes) -> Starlette:
    plain = json.loads(answer)

    async def endpoint(request: Request) -> JSONResponse:
        await request.json()
        return JSONResponse(plain)

    return Starlette(routes=[Route("/models/{name}/predict", endpoint, methods=["POST"])])


def serving(app: Starlette, listening: socket.socket) -> None:
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off")).run(sockets=[listening])


def with_server(app: Starlette, work: Callable[[int], float]) -> float:
    listening = socket.create_server(("127.0.0.1", 0))
    process = multiprocessing.get_context("fork").Process(target=serving, args=(app, listening))
    process.start()
    try:
        return work(listening.getsockname()[1])
    finally:
        process.terminate()
        process.join()
        listening.close()


async def _one(port: int, message: bytes, until: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    n = 0
    while time.perf_counter() < until:
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        n += 1
    writer.close()
    return n


async def _load(port: int, message: bytes, seconds: float) -> float:
    begun = time.perf_counter()
    counts = await asyncio.gather(*(_one(port, message, begun + seconds) for _ in range(CONNECTIONS)))
    return sum(counts) / (time.perf_counter() - begun)


def rate(app: Starlette, name: str, body: bytes, seconds: float) -> float:
    head = f"POST /models/{name}/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    message = head.encode() + body

    def work(port: int) -> float:
        asyncio.run(_load(port, message, 0.3))
        return asyncio.run(_load(port, message, seconds))

    return with_server(app, work)


def main(seconds: float) -> None:
    from core.serve.served import predicted, read_rows

    served = serve_models(models())
    app = make_app(served, frozenset({"localhost"}))
    for name in RECIPES:
        for n in ROWS:
            body = request_of(n)
            answer = predicted(served[name], read_rows(body, served[name], n)[0], in_columns=False)
            own, plain = rate(app, name, body, seconds), rate(bare(answer), name, body, seconds)
            work = f"serve, {name}, {n} rows a request, the clock of {CONNECTIONS} connections"
            record(Line(work, 1 / own, "s a request", "bare Starlette with answers as large", 1 / plain))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
