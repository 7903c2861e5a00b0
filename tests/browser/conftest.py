"""A real server and a real Chromium for the journeys."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from core.ingest import load_sample
from core.store import Store
from core.trial import Import
from core.workspace import SAMPLES
from pages._ui.database import FIRST_SAMPLE
from tests.browser.dashboard import FORKS, as_shipped, only_what_is_asked, serve

ROOT = Path(__file__).resolve().parents[2]
PATIENT_MS = 120_000
"""How long a page on a busy machine may take to show what is expected."""
LEFT_OUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
"""What Chromium leaves out: the first two are lists of an address bar, drawn behind every window in a fifth of the time
of a page. The others are Playwright's own, named again as only the last such list counts."""
PLAIN = ("--disable-gpu", "--disable-software-rasterizer", f"--disable-features={','.join(LEFT_OUT)}")
"""Without what stands in for a graphics processor a page takes a fifth less of the machine; it looks the same."""
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
        browser = playwright.chromium.launch(executable_path=path, args=PLAIN)
        yield browser
        browser.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def few(imported: Import) -> Import:
    """Return every seventh application's trials on two inputs: what a page shows takes a twentieth of the time."""
    trials = imported.trials
    applications, inputs = set(sorted(set(trials.application))[::7]), set(sorted(set(trials.input))[:2])
    rows = [
        i
        for i, (application, name) in enumerate(zip(trials.application, trials.input, strict=True))
        if application in applications and name in inputs
    ]

    def taken(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(texts[row] for row in rows) if len(texts) else ()

    texts = ("application", "input", "machine", "where", "execution", "ids")
    labels = {name: taken(own) for name, own in trials.labels.items()}
    fewer = {name: taken(getattr(trials, name)) for name in texts}
    return replace(imported, trials=replace(trials, values=trials.values[rows], labels=labels, **fewer))


def stock(database: Path, sample: str, each: int) -> None:
    """Let a database have all trials of a sample's every so manieth kernel, under the sample's name."""
    home = database.parent / sample
    shutil.copytree(SAMPLES / sample, home)
    rows = pd.read_csv(home / "trials.csv.gz")
    kernels = list(zip(rows["kernel"], rows["variant"], strict=True))
    chosen = set(sorted(set(kernels))[::each])
    rows[[kernel in chosen for kernel in kernels]].to_csv(home / "trials.csv.gz", index=False)
    with closing(Store.open(database)) as store:
        store.add(sample, load_sample(home))


@pytest.fixture(scope="session")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with few trials of the first sample under its name, to copy."""
    path = tmp_path_factory.mktemp("stocked") / "stocked.duckdb"
    with closing(Store.open(path)) as store:
        store.add(FIRST_SAMPLE, few(load_sample(SAMPLES / FIRST_SAMPLE)))
    return path


@pytest.fixture
def database(tmp_path: Path, stocked: Path) -> Path:
    """The database that the dashboard of this test opens."""
    return shutil.copyfile(stocked, tmp_path / "journey.duckdb")


@contextmanager
def served(database: Path, changed: Callable[[], None] = only_what_is_asked) -> Iterator[str]:
    """Give the address of a dashboard on a database, with something of the program changed."""
    port = free_port()
    process = FORKS.Process(target=serve, args=(port, database, database.parent / "server.log", changed))
    process.start()
    try:
        wait_for(f"http://127.0.0.1:{port}", process.is_alive)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.join(120)
    assert not process.is_alive(), "the dashboard did not end"


@contextmanager
def commanded(database: Path) -> Iterator[str]:
    """Give the address of a dashboard that the command starts."""
    port = free_port()
    with (database.parent / "server.log").open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "core.cli", "app", "--port", str(port), "--no-browser"],
            cwd=ROOT,
            stdout=log,
            stderr=log,
            env={**os.environ, "RIDGELINE_DB": str(database)},
        )
        try:
            wait_for(f"http://127.0.0.1:{port}", lambda: process.poll() is None)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=120)


@pytest.fixture
def server(database: Path) -> Iterator[str]:
    """The dashboard on a database of this test; gives its address."""
    with served(database) as address:
        yield address


@pytest.fixture(scope="module")
def common_server(stocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One dashboard for all tests that store nothing and do not ask what was computed before."""
    database = shutil.copyfile(stocked, tmp_path_factory.mktemp("common") / "common.duckdb")
    with served(database, as_shipped) as address:
        yield address


def wait_for(address: str, alive: Callable[[], bool]) -> None:
    for _ in range(1200):
        assert alive(), "the dashboard ended before it answered"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=10) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the dashboard did not answer within two minutes")


def downloaded(page: Page, button: Locator, file: Path) -> Path:
    """Return a file that a button gives."""
    with page.expect_download() as download:
        button.click()
    download.value.save_as(file)
    return file


SETTLED = """([token, quiet_ms]) => {
  const now = performance.now();
  if (window.token !== token) {
    window.token = token;
    window.moved = now;
    window.mover ??= new MutationObserver(() => { window.moved = performance.now(); });
    window.mover.observe(document, {subtree: true, childList: true, characterData: true, attributes: true,
                                    attributeFilter: ['data-stale', 'data-test-script-state', 'src']});
  }
  const app = document.querySelector('[data-testid=stApp]');
  const fades = document.getAnimations().some(a => isFinite(a.effect?.getComputedTiming().endTime ?? Infinity)
                                                   && a.playState === 'running');
  if (app?.dataset.testScriptState !== 'notRunning' || fades
      || document.querySelector('[data-stale=true], [data-testid=stStatusWidget], [data-testid=stSkeleton]'))
    window.moved = now;
  return now - window.moved > quiet_ms;
}"""
"""Whether the page's script has ended, and for so long nothing was drawn and nothing faded in or out."""
QUIET_MS = 300
_tokens = count()


def settle(page: Page) -> None:
    """Wait until the page has stopped running, and what it drew is there."""
    page.wait_for_function(SETTLED, arg=[f"settle {next(_tokens)}", QUIET_MS], polling=50, timeout=3 * PATIENT_MS)


def at_rest(page: Page) -> None:
    """Wait until a page that was opened has its title, and has stopped running."""
    page.locator("[data-testid=stMain] h1").first.wait_for()
    settle(page)


def window(browser: Browser, **how: Any) -> Page:
    """Return a page of its own context that waits as long as a busy machine may take.

    Nothing moves that the system can forbid: each frame is drawn by the processor, which is a fifth of a page.
    """
    page = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce", **how).new_page()
    page.set_default_timeout(PATIENT_MS)
    return page


@contextmanager
def alone(browser: Browser) -> Iterator[Page]:
    """Give a fresh window; fails the test if the page asks anybody but the server for anything."""
    page = window(browser, accept_downloads=True)
    outside: list[str] = []
    own = ("http://127.0.0.1", "ws://127.0.0.1", "blob:", "data:")
    page.on("request", lambda request: None if request.url.startswith(own) else outside.append(request.url))
    yield page
    page.context.close()
    assert not outside, f"the page asked {outside}"


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """A window of its own for each test."""
    with alone(browser) as page:
        yield page
