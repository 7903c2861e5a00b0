"""`ridgeline app` and `streamlit run app.py`: headers, names, and nobody let in unasked."""

import http.client
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import workspace
from core.cli import main
from core.workspace import APP
from pages._ui.server import doors
from tests.browser.conftest import free_port, wait_for

ROOT = APP.parent
WAYS = {
    "ridgeline": ("core.cli", "app", "--no-browser", "--port"),
    "streamlit": ("streamlit", "run", str(APP), "--server.headless", "true", "--server.port"),
}


@pytest.fixture(scope="module", params=WAYS)
def port(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    found, folder = free_port(), tmp_path_factory.mktemp("app")
    environment = {**os.environ, "RIDGELINE_DB": str(folder / "x.duckdb"), "OPENBLAS_NUM_THREADS": "1"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *WAYS[request.param], str(found)], cwd=ROOT, stdout=log, stderr=log, env=environment
        )
        try:
            wait_for(f"http://127.0.0.1:{found}", lambda: process.poll() is None)
            yield found
        finally:
            process.terminate()
            process.wait(120)


def get(port: int, path: str, host: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", path, headers={"Host": host, **headers})
    return connection.getresponse()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/model", "/nothing/here.js", "/_stcore/metrics"])
def test_every_answer_has_the_headers(port: int, path: str) -> None:
    found = {name.lower(): value for name, value in get(port, path, f"localhost:{port}").getheaders()}
    assert "default-src 'self'" in found["content-security-policy"]
    assert "unsafe-inline" not in found["content-security-policy"].split("script-src")[1].split(";")[0]
    assert "img-src 'self' data: blob:" in found["content-security-policy"]
    assert found["x-frame-options"] == "SAMEORIGIN"
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "no-referrer"


@pytest.mark.slow
def test_pages_with_a_chart_tell_at_once_of_the_script_that_draws_it(port: int) -> None:
    told = get(port, "/model", f"localhost:{port}").getheader("link", "")
    path = told.partition("<")[2].partition(">")[0]
    assert told == f"<{path}>; rel=modulepreload"
    assert get(port, f"/{path}", f"localhost:{port}").status == 200
    assert get(port, "/", f"localhost:{port}").getheader("link") is None


@pytest.mark.parametrize(("base", "address"), [("", "/model"), ("/perf/ridge/", "/perf/ridge/model")])
def test_pages_are_answered_below_the_path_that_the_server_is_given(
    base: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streamlit.get_option", lambda name: base)
    assert address in {route.path for route in doors()}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/model", "/_stcore/metrics", "/_stcore/host-config"])
def test_another_name_is_refused_on_every_route(port: int, path: str) -> None:
    assert get(port, path, "127.0.0.1").status == 200 or path == "/_stcore/metrics"
    found = get(port, path, "evil.example")
    assert found.status == 400
    assert b"This server is not called 'evil.example'" in found.read()


@pytest.mark.slow
def test_a_websocket_of_another_name_is_refused(port: int) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "x" * 22 + "==",
    }
    found = get(port, "/_stcore/stream", "evil.example", Origin="http://evil.example", **upgrade)
    assert found.status == 403


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The commands that would be started, in place of starting them; the folder of the settings is this test's."""
    found: list[list[str]] = []
    monkeypatch.setattr(os, "execve", lambda path, command, environment: found.append(command) or sys.exit(0))
    monkeypatch.setattr(os, "chdir", lambda path: None)
    monkeypatch.setattr(workspace, "ROOT", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return found


def test_others_are_let_in_by_somebody_who_checks(
    started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--db", str(tmp_path / "x"), "app", "--listen", "0.0.0.0"]) == 2
    assert "everybody who reaches it could read and change" in capsys.readouterr().err
    assert main(["app", "--behind-proxy"]) == 2
    assert started == []
    with pytest.raises(SystemExit):
        main(["--db", str(tmp_path / "x"), "app", "--listen", "0.0.0.0", "--behind-proxy", "--called", "lab.example"])
    assert "ends TLS with a certificate" in capsys.readouterr().err
    command = " ".join(started[0])
    assert "--server.address 0.0.0.0" in command
    assert "--server.allowedHosts lab.example" in command
    assert "--browser.serverAddress lab.example" in command


def test_a_configured_login_lets_it_listen(started: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text(
        '[auth]\nredirect_uri = "https://lab.example/oauth2callback"\n'
    )
    with pytest.raises(SystemExit):
        main(["--db", str(tmp_path / "x"), "app", "--listen", "0.0.0.0"])
    assert "--server.address 0.0.0.0" in " ".join(started[0])


@pytest.mark.slow
def test_a_page_shows_nothing_to_those_who_have_not_signed_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    from pages._ui import server

    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "x.duckdb"))
    monkeypatch.setattr(server, "login_configured", lambda: True)
    at = AppTest.from_file(str(APP), default_timeout=600)
    at.secrets["auth"] = {"redirect_uri": "http://localhost/oauth2callback", "cookie_secret": "x"}
    at.run()
    assert [button.label for button in at.button] == ["Sign in"]
    assert not at.title
    assert not (tmp_path / "x.duckdb").exists()
    assert st.user is not None
