"""Models over HTTP: the same numbers as `predict`, and one sentence for everything that is wrong."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.applications import Starlette

from core import __version__
from core.cli import main
from core.cli.serve import _hosts, _named
from core.errors import OptionError
from core.export import write_model
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.serve import Limits, Served, make_app, serve_models
from core.serve.hosts import name_of
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

ROOT = Path(__file__).resolve().parents[2]
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def raw() -> bytes:
    return write_model(train(make_recipe("ols"), machine_frame(), parse_folds("kfold:4")).model)


@pytest.fixture(scope="module")
def models(raw: bytes) -> dict[str, Served]:
    forest = make_recipe("forest", {"trees": "5"}).fit(machine_frame())
    return serve_models({"time": raw, "by trees": write_model(forest)})


def call(app: Starlette, *requests: tuple[str, str, dict[str, Any]]) -> list[httpx.Response]:
    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8765") as client:
            return [await client.request(method, path, **given) for method, path, given in requests]

    return asyncio.run(ask())


def predict(app: Starlette, body: Any, headers: dict[str, str] | None = None) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return call(app, ("POST", "/models/time/predict", {"content": content, "headers": headers or JSON}))[0]


def row(**changed: Any) -> dict[str, Any]:
    return {"instructions": 1e5, "bytes": 1e5, "clock": 2.0, "bandwidth": 100.0, **changed}


def of(model: FittedPipeline, **given: float) -> dict[str, float]:
    return {name: given[name] for name in model.names}


def test_rows_and_columns_have_the_model_s_own_answers(models: dict[str, Served]) -> None:
    app, model, frame = make_app(models), models["time"].model, machine_frame()
    X = model.rows(frame)
    rows = [dict(zip(model.names, x, strict=True)) for x in X.tolist()]
    answer = predict(app, {"rows": rows}).json()
    right = model.predict(X)
    assert (answer["model"], answer["response"], answer["unit"]) == ("time", "time", "s")
    for key, values in (("value", right.value), ("low", right.low), ("high", right.high)):
        assert [one[key] for one in answer["predictions"]] == values.tolist()
    assert [one["in_domain"] for one in answer["predictions"]] == right.in_domain.tolist()
    columns = predict(app, {"columns": dict(zip(model.names, X.T.tolist(), strict=True))}).json()["predictions"]
    assert columns["value"] == right.value.tolist()
    assert columns["why"] == list(right.why)


def test_null_is_refused_and_far_away_is_said(models: dict[str, Served]) -> None:
    found = predict(make_app(models), {"rows": [row(clock=None), row(bandwidth=1e9), row()]}).json()["predictions"]
    assert (found[0]["value"], found[0]["low"], found[0]["in_domain"]) == (None, None, False)
    assert found[0]["why"] == "no prediction: metric 'clock' is missing"
    assert found[1]["value"] is not None
    assert not found[1]["in_domain"]
    assert "bandwidth = 1e+09 is outside" in found[1]["why"]
    assert found[2]["why"] == ""


BODIES = [
    (b"", 400, "not JSON"),
    (b"{", 400, "not JSON"),
    (b"\xff\xfe{}", 400, "not JSON"),
    (b'{"rows":[{"clock":NaN}]}', 400, "not JSON"),
    (b'{"rows":[{"clock":Infinity}]}', 400, "not JSON"),
    (b'{"rows":[{"clock":1e999}]}', 422, "out of range"),
    (b'{"rows":[{"clock":1' + b"0" * 400 + b"}]}", 422, "out of range"),
    (b"[]", 422, 'must be {"rows"'),
    (b"{}", 422, 'must be {"rows"'),
    (b'{"rows":[],"columns":{}}', 422, 'must be {"rows"'),
    (b'{"rows":[]}', 422, "no rows"),
    (b'{"rows":{}}', 422, "rows must be a list, not an object"),
    (b'{"rows":[{}]}', 422, "rows[0]: the metric 'instructions' is missing"),
    (b'{"rows":[{"clock":"2"}]}', 422, "rows[0].clock must be a number or null, not a text"),
    (b'{"rows":[{"clock":true}]}', 422, "must be a number or null, not true or false"),
    (b'{"rows":[{"clock":[2]}]}', 422, "must be a number or null, not a list"),
    (b'{"rows":[{"speed":2}]}', 422, "'speed' is none of the model's metrics, which are: instructions"),
    (b"[" * 100_000, 422, 'must be {"rows"'),
    (b'{"rows":' + b"[" * 100_000, 422, "rows[0]"),
    (
        b'{"columns":{"instructions":[1],"bytes":[1,2],"clock":[1],"bandwidth":[1]}}',
        422,
        "'bytes' has 2 values and 'instructions' 1",
    ),
    (b'{"rows":[{"clock":1,"clock":2,"instructions":1,"bytes":1,"bandwidth":1}]}', 400, "'clock' twice"),
    (b'{"rows":[{"cl\\u006fck":1,"clock":2,"instructions":1,"bytes":1,"bandwidth":1}]}', 400, "'clock' twice"),
    (
        b'{"rows":[{"clock":1,"instructions":1,"bytes":1,"bandwidth":1}],"rows":[{"clock":1,"instructions":1,"bytes":1,"bandwidth":1}]}',
        400,
        "'rows' twice",
    ),
]


@pytest.mark.parametrize(("body", "status", "said"), BODIES, ids=range(len(BODIES)))
def test_what_is_wrong_with_a_body_is_said_in_a_sentence(
    models: dict[str, Served], body: bytes, status: int, said: str
) -> None:
    answer = predict(make_app(models), body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    found = answer.json()
    assert found["status"] == status
    assert said in found["detail"]
    assert found["detail"].endswith(".")
    assert "\n" not in found["detail"]
    assert len(found["detail"]) < 400


def test_a_key_with_a_colon_is_not_taken_for_two() -> None:
    frame = machine_frame()
    frame = replace(frame, metrics=(replace(frame.metrics[0], name="a:b::c"), *frame.metrics[1:]))
    app = make_app(serve_models({"time": write_model(make_recipe("ols").fit(frame))}))
    good = {**row(), "a:b::c": 1e5}
    del good["instructions"]
    assert predict(app, {"rows": [good, good]}).status_code == 200
    twice = json.dumps({"rows": [good, good]}).replace('"clock"', '"clock": 1, "clock"').encode()
    assert "'clock' twice" in predict(app, twice).json()["detail"]


AWKWARD = ("\\\\PC\\Memory\\Page Faults/sec", 'say "hi"', "line\nbreak")


def test_names_with_quotes_backslashes_and_line_breaks_are_served() -> None:
    """Windows counters are called `\\\\PC\\Memory\\…`."""
    frame = machine_frame()
    metrics = tuple(replace(m, name=name) for m, name in zip(frame.metrics, (*AWKWARD, "plain"), strict=True))
    model = make_recipe("ols").fit(replace(frame, metrics=metrics))
    app = make_app(serve_models({"time": write_model(model)}))
    own = dict(zip((m.name for m in metrics), frame.X[0].tolist(), strict=True))
    wanted = float(model.predict(frame.X[:1, [[m.name for m in metrics].index(n) for n in model.names]]).value[0])
    asked = {name: own[name] for name in model.names}
    answers = [
        predict(app, {"rows": [asked]}).json()["predictions"][0]["value"],
        predict(app, {"columns": {name: [value] for name, value in asked.items()}}).json()["predictions"]["value"][0],
    ]
    assert answers == [wanted, wanted]
    assert "is missing" in predict(app, {"rows": [{"plain": 1.0}]}).json()["detail"]
    more = predict(app, {"rows": [asked | {"other": 1.0}]})
    assert (more.status_code, "'other' is none of the model's metrics" in more.json()["detail"]) == (422, True)
    assert predict(app, {"rows": [asked | {model.names[0]: "x"}]}).status_code == 422


def test_damaged_bodies_are_never_a_failure_of_the_server(models: dict[str, Served]) -> None:
    app, rng = make_app(models), np.random.default_rng(3)
    good = json.dumps({"rows": [row(), row(clock=None)]}).encode()
    pieces = [
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"null",
        b"1e999",
        b"-",
        b"\\",
        b"\\ud800",
        b"\x00",
        b"\xff",
        b"NaN",
        b"true",
        b'"rows"',
    ]
    bodies = []
    for _ in range(400):
        at, n = int(rng.integers(len(good))), int(rng.integers(4))
        bodies.append(good[:at] + pieces[rng.integers(len(pieces))] * int(rng.integers(3)) + good[at + n :])
    answers = call(app, *(("POST", "/models/time/predict", {"content": body, "headers": JSON}) for body in bodies))
    assert {a.status_code for a in answers} == {200, 400, 422}
    assert all(a.json()["detail"].endswith(".") for a in answers if a.status_code != 200)


def test_limits_of_size_and_rows(models: dict[str, Served]) -> None:
    app = make_app(models, limits=Limits(body_bytes=1000, rows=2))
    assert "at most 2 are predicted" in predict(app, {"rows": [row()] * 3}).json()["detail"]
    answer = predict(app, b" " * 1001)
    assert (answer.status_code, answer.json()["title"]) == (413, "Request Entity Too Large")

    async def endless() -> Any:
        while True:
            yield b" " * 600

    sent = call(app, ("POST", "/models/time/predict", {"content": endless(), "headers": JSON}))
    assert sent[0].status_code == 413


@pytest.mark.parametrize(("n", "taken"), [(12, 12), (200, 0)])
def test_a_body_that_is_too_large_comes_in_before_it_is_refused(models: dict[str, Served], n: int, taken: int) -> None:
    """Who still sends when the connection is closed reads no answer; far larger ones are not let in."""
    app, came = make_app(models, limits=Limits(body_bytes=1000, rows=2)), 0

    async def parts() -> Any:
        nonlocal came
        for _ in range(n):
            came += 1
            yield b" " * 100

    headers = {**JSON, "content-length": str(100 * n)}
    sent = call(app, ("POST", "/models/time/predict", {"content": parts(), "headers": headers}))
    assert (sent[0].status_code, came) == (413, taken)


def test_limits_of_time(models: dict[str, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow() -> Any:
        yield b"{"
        await asyncio.sleep(120)

    app = make_app(models, limits=Limits(read_s=0.05, predict_s=0.05))
    (answer,) = call(app, ("POST", "/models/time/predict", {"content": slow(), "headers": JSON}))
    assert (answer.status_code, answer.json()["detail"]) == (408, "The body did not come within 0.05 s.")
    held = threading.Event()
    monkeypatch.setattr("core.serve.app.predicted", lambda *_, **__: b"true" if held.wait(120) else b"false")
    app = make_app({"time": replace(models["time"], quick_rows=0)}, limits=Limits(predict_s=0.05))
    answer = predict(app, {"rows": [row()]})
    held.set()
    assert (answer.status_code, "took longer" in answer.json()["detail"]) == (503, True)


def test_health_answers_while_a_model_predicts(models: dict[str, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    monkeypatch.setattr("core.serve.app.predicted", lambda *_, **__: b'{"late":true}' if held.wait(120) else b"{}")
    app = make_app({"time": replace(models["time"], quick_rows=0)})

    async def ask() -> tuple[dict[str, Any], dict[str, Any]]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            late = asyncio.create_task(client.post("/models/time/predict", json={"rows": [row()]}))
            await asyncio.sleep(0.05)
            health = (await client.get("/health")).json()
            assert not late.done()
            held.set()
            return health, (await late).json()

    assert asyncio.run(ask()) == ({"status": "ok"}, {"late": True})


def test_addresses_methods_and_media_types(models: dict[str, Served]) -> None:
    app = make_app(models)
    body = {"content": b"{}"}
    answers = call(
        app,
        ("GET", "/nowhere", {}),
        ("GET", "/models/none", {}),
        ("POST", "/models/none/predict", {**body, "headers": JSON}),
        ("GET", "/models/time/predict", {}),
        ("DELETE", "/models", {}),
        ("POST", "/models/time/predict", body),
        ("POST", "/models/time/predict", {**body, "headers": {"content-type": "text/plain"}}),
        ("POST", "/models/time/predict", {**body, "headers": {**JSON, "content-encoding": "gzip"}}),
        ("OPTIONS", "/models/time/predict", {"headers": {"origin": "http://evil.example"}}),
    )
    assert [a.status_code for a in answers] == [404, 404, 404, 405, 405, 415, 415, 415, 405]
    assert all(
        a.headers["content-type"] == "application/problem+json" and a.json()["detail"].endswith(".") for a in answers
    )
    assert answers[3].headers["allow"] == "POST"
    assert "'time', 'by trees'" in answers[1].json()["detail"]
    assert not any(name.startswith("access-control") for a in answers for name in a.headers)
    assert answers[0].headers["x-content-type-options"] == "nosniff"


def test_other_names_of_this_machine_are_refused(models: dict[str, Served]) -> None:
    app = make_app(models, _hosts("127.0.0.1", []))
    hosts = [
        "localhost:8765",
        "127.0.0.1",
        "[::1]:80",
        "evil.example",
        "evil.example:8765",
        "localhost.evil.example",
        "",
    ]
    answers = call(app, *(("GET", "/health", {"headers": {"host": host}}) for host in hosts))
    assert [a.status_code for a in answers] == [200, 200, 200, 400, 400, 400, 400]
    assert "not called 'evil.example'" in answers[3].json()["detail"]
    assert _hosts("0.0.0.0", []) is None
    assert "model.lab" in (_hosts("0.0.0.0", ["Model.Lab"]) or ())
    assert name_of("LOCALHOST:80") == "localhost"


def test_what_is_served_is_described(models: dict[str, Served]) -> None:
    root, one, card = (
        a.json() for a in call(make_app(models), ("GET", "/", {}), ("GET", "/models", {}), ("GET", "/models/time", {}))
    )
    assert root == one
    assert [m["predict"] for m in root["models"]] == ["/models/time/predict", "/models/by%20trees/predict"]
    assert (card["response"], card["metrics"][2]["name"]) == ({"name": "time", "unit": "s"}, "clock")
    low, high = machine_frame().X[:, 2].min(), machine_frame().X[:, 2].max()
    assert (card["metrics"][2]["low"], card["metrics"][2]["high"], card["metrics"][2]["kind"]) == (low, high, "machine")
    assert card["scores"]["mape"]["unseen trials"] > 0
    assert call(make_app(models), ("GET", root["models"][1]["model"], {}))[0].json()["scores"] is None


def test_openapi_describes_each_model_s_requests(models: dict[str, Served]) -> None:
    found = call(make_app(models), ("GET", "/openapi.json", {}))[0].json()
    assert found["openapi"] == "3.1.0"
    schemas = found["components"]["schemas"]
    references = set(map(str.strip, str(found).split("'#/components/schemas/")[1:]))
    assert {text.split("'")[0] for text in references} <= set(schemas)
    for number, served in enumerate(models.values(), 1):
        own = schemas[f"Row{number}"]
        assert own["required"] == list(served.model.names) == list(own["properties"])
        assert own["additionalProperties"] is False
    assert set(found["paths"]) >= {"/models/time/predict", "/models/by%20trees/predict", "/health", "/models"}
    said = call(make_app(models), ("POST", "/models/time/predict", {"json": {"rows": [row()]}}))[0].json()
    assert set(said) == set(schemas["PredictedRows"]["required"])
    assert set(said["predictions"][0]) == set(schemas["PredictedRow"]["required"])
    always = json.loads(resources.files("core.serve").joinpath("openapi.json").read_bytes())
    assert found["info"] == {**always["info"], "version": __version__}
    assert always["paths"].items() < found["paths"].items()
    assert always["components"]["schemas"].items() < schemas.items()


def test_a_bug_is_a_problem_without_its_insides(models: dict[str, Served], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> bytes:
        raise RuntimeError("secret")

    monkeypatch.setattr("core.serve.app.predicted", broken)
    answer = predict(make_app(models), {"rows": [row()]})
    assert answer.status_code == 500
    assert "secret" not in answer.text


def test_many_requests_at_once_each_have_their_own_answer(models: dict[str, Served]) -> None:
    app = make_app({"time": replace(models["time"], quick_rows=0)})
    model = models["time"].model
    clocks = np.linspace(1.1, 3.9, 40)

    async def ask() -> list[float]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            sent = [client.post("/models/time/predict", json={"rows": [row(clock=c)]}) for c in clocks]
            return [a.json()["predictions"][0]["value"] for a in await asyncio.gather(*sent)]

    X = np.array([[row(clock=c)[name] for name in model.names] for c in clocks])
    assert asyncio.run(ask()) == pytest.approx(model.predict(X).value.tolist(), rel=1e-14)


def test_names_come_from_files_or_from_the_user(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "fast.json").write_bytes(raw)
    path = str(tmp_path / "fast.json")
    assert list(_named([path, f"slow={path}"])) == ["fast", "slow"]
    with pytest.raises(OptionError, match="would be called 'fast'"):
        _named([path, path])
    with pytest.raises(OptionError, match="cannot be served under the name 'a/b'"):
        serve_models({"a/b": raw})


@pytest.fixture
def server(raw: bytes, tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    (tmp_path / "m.json").write_bytes(raw)
    command = [sys.executable, "-m", "core.cli", "serve", str(tmp_path / "m.json"), "--port", "0"]
    process = subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("serving m on http://127.0.0.1:"), line
    yield line.split()[3], process
    process.kill()
    process.wait()


def test_the_verb_serves_until_it_is_stopped(server: tuple[str, subprocess.Popen[str]]) -> None:
    address, process = server
    body = json.dumps({"rows": [row()]}).encode()
    with urllib.request.urlopen(
        urllib.request.Request(f"{address}models/m/predict", body, JSON), timeout=120
    ) as answer:
        assert json.load(answer)["predictions"][0]["in_domain"] in (True, False)
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) in (0, -signal.SIGTERM)
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


def test_a_taken_port_is_said(raw: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.json").write_bytes(raw)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", str(tmp_path / "m.json"), "--port", str(taken.getsockname()[1])]) == 2
    assert "cannot be listened on: Address already in use" in capsys.readouterr().err
