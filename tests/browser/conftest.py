"""A real server and a real Chromium for the journeys."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PATIENT_MS = 60_000
"""How long a page on a busy machine may take to show what is expected."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium(bundled: str) -> str | None:
    """Return a Chromium: the one that CHROMIUM names, the system's, or Playwright's own."""
    named = os.environ.get("CHROMIUM")
    found = named or next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or (bundled if Path(bundled).exists() else None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for one file: an event loop that Playwright left open would be met by whatever runs afterwards."""
    expect.set_options(timeout=PATIENT_MS)
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        if path is None:
            reason = "no Chromium: apt-get install chromium, or .venv/bin/playwright install chromium"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The dashboard on a database of this test; gives its address."""
    port = free_port()
    log = (tmp_path / "server.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "core.cli", "app", "--port", str(port), "--no-browser"],
        cwd=ROOT,
        stdout=log,
        stderr=log,
        env={**os.environ, "RIDGELINE_DB": str(tmp_path / "journey.duckdb")},
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)
        log.close()


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(240):
        assert process.poll() is None, "the dashboard ended before it answered"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.25)
    pytest.fail("the dashboard did not answer within a minute")


def downloaded(page: Page, button: Locator, file: Path) -> Path:
    """Return a file that a button gives; what is drawn anew at that moment takes the file away, and it is asked again."""
    for _ in range(3):
        with page.expect_download() as download:
            button.click()
        if download.value.failure() is None:
            download.value.save_as(file)
            return file
    raise AssertionError(f"{file.name} was not given: {download.value.failure()}")


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """A fresh window; fails the test if the page asks anybody but the server for anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENT_MS)
    outside: list[str] = []
    own = ("http://127.0.0.1", "ws://127.0.0.1", "blob:", "data:")
    page.on("request", lambda request: None if request.url.startswith(own) else outside.append(request.url))
    yield page
    context.close()
    assert not outside, f"the page asked {outside}"
