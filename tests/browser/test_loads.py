"""A page that is opened again asks its server once for everything: what it costs is counted, not timed."""

import pytest
from playwright.sync_api import Browser, WebSocket, expect

from tests.browser.conftest import PATIENT_MS, at_rest, settle, window

pytestmark = pytest.mark.browser

DRAWN = ".stPlotlyChart .main-svg:first-child"


@pytest.mark.parametrize(("address", "charts"), [("explore", 2), ("model", 1), ("compare", 0)])
def test_a_page_runs_once_and_draws_each_chart_once(
    browser: Browser, common_server: str, address: str, charts: int
) -> None:
    page = window(browser)
    page.goto(f"{common_server}/{address}")
    at_rest(page)
    looking = page.get_by_text("Looking for the best model")
    looking.wait_for(state="hidden", timeout=5 * PATIENT_MS)
    settle(page)  # what is trained once is there from now on
    asked, sent = list[str](), list[object]()
    page.on("request", lambda request: asked.append(request.url))

    def opened(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(frame))

    page.on("websocket", opened)
    page.goto(f"{common_server}/{address}")
    expect(page.locator(DRAWN)).to_have_count(charts)
    at_rest(page)
    page.wait_for_timeout(1000)
    assert len(sent) == 1  # each further run would be asked for
    assert [url for url in asked if url.endswith("/_stcore/health")] == [f"{common_server}/_stcore/health"]
    assert page.locator(DRAWN).count() == charts
    assert page.get_by_test_id("stDataFrame").count() == 0  # a program of its own, which would come last
    page.context.close()
