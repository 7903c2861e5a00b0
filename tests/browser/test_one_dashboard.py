"""What one dashboard shows to all who store nothing: pages run once, charts are drawn once, back is one step.

What a page costs is counted, not timed. A choice is a step of the browser's history, as a page is, and each page comes
back as it was left. These tests share a server, which trains what they look at once.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.conftest import alone, at_rest
from tests.prove.tab import Tab

pytestmark = pytest.mark.browser

BEGAN = datetime(2026, 1, 1)
"""What a page's clock says, which a test moves: however busy the machine, two presses are as far apart as it says."""
DRAWN = ".stPlotlyChart .main-svg:first-child"
COUNT = """window.drawn = 0; document.addEventListener('DOMContentLoaded', () => new MutationObserver(all => {
  for (const one of all) for (const node of one.addedNodes)
    if (node.nodeType === 1 && node.classList.contains('draglayer')) window.drawn++;
}).observe(document.body, {subtree: true, childList: true}));"""
"""Counts the layers that Plotly makes when it draws a chart, and when it draws one anew."""


@pytest.fixture(scope="module")
def server(common_server: str) -> str:
    """A dashboard that has computed what these pages show, so that none waits for a job."""
    for address in ("explore", "model", "compare"):
        with closing(Tab(common_server)) as tab:
            tab.visit(address)
            tab.rest()
    return common_server


@dataclass
class Opened:
    """A page that was opened once, and has come to rest.

    Attributes
    ----------
    sent : how often it has asked the server for a run
    asked : the addresses that it asked for
    drawn : how many charts were drawn, each as often as it was
    """

    page: Page
    sent: int
    asked: list[str]
    drawn: int


@pytest.fixture(scope="module")
def opened(browser: Browser, server: str) -> Iterator[Callable[[str], Opened]]:
    """Return a function that gives a page of its own window, the same to each test."""
    with ExitStack() as windows:

        @cache
        def at(address: str) -> Opened:
            page, asked, sent = windows.enter_context(alone(browser)), list[str](), list[object]()
            page.add_init_script(COUNT)
            page.on("request", lambda request: asked.append(request.url))
            page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
            page.goto(f"{server}/{address}")
            at_rest(page)
            page.wait_for_timeout(1000)
            return Opened(page, len(sent), list(asked), page.evaluate("drawn"))

        yield at


Open = Callable[[str], Opened]


@pytest.mark.parametrize(("address", "charts"), [("explore", 2), ("model", 1), ("compare", 0)])
def test_a_page_runs_once_and_draws_each_chart_once(opened: Open, server: str, address: str, charts: int) -> None:
    seen = opened(address)
    assert seen.sent == 1  # each further run would be asked for
    assert [url for url in seen.asked if url.endswith("/_stcore/health")] == [f"{server}/_stcore/health"]
    assert seen.page.locator(DRAWN).count() == seen.drawn == charts
    assert seen.page.get_by_test_id("stDataFrame").count() == 0  # a program of its own, which would come last


def test_an_open_chart_takes_the_colours_of_the_system(opened: Open) -> None:
    page = opened("explore").page
    page.emulate_media(color_scheme="light")
    tick = page.locator(".stPlotlyChart .xtick text").first
    expect(tick).to_have_css("fill", "rgb(85, 96, 108)")
    page.emulate_media(color_scheme="dark")
    expect(tick).to_have_css("fill", "rgb(169, 180, 191)")
    page.emulate_media(color_scheme="light")
    expect(tick).to_have_css("fill", "rgb(85, 96, 108)")


def test_a_click_on_a_chart_chooses_a_trial(opened: Open) -> None:
    page = opened("explore").page
    box = page.locator('[class*="st-key-scores"] .scatterlayer .point').nth(3).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("heading", name="chosen trial")).to_be_visible()


def by_link(page: Page) -> None:
    page.get_by_test_id("stSidebar").get_by_test_id("stPageLink-NavLink").filter(has_text="Model").first.click()


def by_button(page: Page) -> None:
    page.get_by_role("button", name="Model these").click()


def widen(page: Page) -> None:
    """Choose the last way of the intervals, which the server writes; a list may close as the page is drawn again."""
    for _ in range(10):
        if not page.locator(".st-key-interval input").is_visible():
            page.get_by_role("button", name="All options").click()
        page.locator(".st-key-interval input").click()
        with suppress(TimeoutError):
            page.get_by_role("option").last.click(timeout=5000)
            return
    raise AssertionError("the list of ways never stayed open")


@pytest.mark.parametrize("go", [by_link, by_button])
def test_back_is_one_step_with_choices_on_both_pages(page: Page, server: str, go: Callable[[Page], None]) -> None:
    page.goto(f"{server}/explore?dataset=generations&explore_clusters=5&view=Metrics")  # the dataset is the usual one
    clusters = page.locator(".st-key-explore_clusters")
    expect(clusters.locator("input")).to_have_value("5")
    at_rest(page)
    page.clock.set_fixed_time(BEGAN)
    clusters.get_by_test_id("stNumberInputStepUp").click()
    expect(page.locator(".st-key-answer")).to_contain_text("6")
    at_rest(page)
    left = page.url
    assert "explore_clusters=6" in left
    assert "view=Metrics" in left

    go(page)
    page.wait_for_url("**/model**")
    page.clock.set_fixed_time(BEGAN + timedelta(seconds=1.1))  # a further choice is a step of its own
    page.locator(".st-key-model_view").get_by_role("tab", name="Effects").click()
    page.wait_for_url("**model_view=Effects**")
    at_rest(page)
    page.clock.set_fixed_time(BEGAN + timedelta(seconds=2.2))
    widen(page)
    page.wait_for_url("**interval=**")

    page.go_back()
    expect(page).not_to_have_url(re.compile("interval="))
    assert "model_view=Effects" in page.url
    page.go_back()
    expect(page).to_have_url(re.compile("/model(?!.*model_view=)"))
    page.go_back()
    expect(page).to_have_url(left)
    expect(clusters.locator("input")).to_have_value("6")
    page.go_forward()
    page.wait_for_url("**/model**")
    page.evaluate("query => history.replaceState(null, '', location.pathname + query)", f"?{urlsplit(left).query}")
    assert "explore_clusters" not in page.url  # a run of the page before may say so late
    page.go_forward()
    page.wait_for_url("**/model**model_view=Effects**")
    expect(page.locator(".st-key-model_view").get_by_role("tab", name="Effects")).to_have_attribute(
        "aria-selected", "true"
    )


def test_back_takes_back_a_choice_and_loads_nothing_again(page: Page, server: str) -> None:
    page.goto(f"{server}/explore?dataset=generations&explore_clusters=5&view=Metrics")
    clusters, tabs = page.locator(".st-key-explore_clusters"), page.locator(".st-key-view")
    expect(clusters.locator("input")).to_have_value("5")
    at_rest(page)
    page.evaluate("window.kept = true")
    steps = page.evaluate("history.length")
    for n, after_s in (("6", 0.0), ("7", 0.9)):  # one after the other within a moment are one step
        page.clock.set_fixed_time(BEGAN + timedelta(seconds=after_s))
        clusters.get_by_test_id("stNumberInputStepUp").click()
        expect(clusters.locator("input")).to_have_value(n)
    expect(page.locator(".st-key-answer")).to_contain_text("7")
    at_rest(page)
    page.clock.set_fixed_time(BEGAN + timedelta(seconds=2.0))
    tabs.get_by_role("tab", name="Trials").click()
    expect(page).not_to_have_url(re.compile("view=Metrics"))
    at_rest(page)
    assert page.evaluate("history.length") == steps + 2

    left = page.url
    page.go_back()
    for write in ("pushState", "replaceState"):  # as a run that goes on meanwhile does
        page.evaluate(f"address => history.{write}(null, '', address)", left)
    assert page.url != left
    expect(tabs.get_by_role("tab", name="Metrics")).to_have_attribute("aria-selected", "true")
    expect(clusters.locator("input")).to_have_value("7")
    page.go_back()
    expect(clusters.locator("input")).to_have_value("5")
    expect(page.locator(".st-key-answer")).to_contain_text("5")
    page.go_forward()
    expect(clusters.locator("input")).to_have_value("7")
    assert page.evaluate("window.kept")


def test_on_a_phone_the_tab_of_a_link_is_in_view(page: Page, server: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/model?model_view=Formula")
    tabs = page.locator(".st-key-model_view")
    expect(tabs.get_by_role("tab", name="Formula")).to_be_in_viewport(ratio=0.9)
    expect(tabs.get_by_role("tab", name="Predictions")).not_to_be_in_viewport(ratio=0.9)


def test_a_page_that_is_entered_sends_its_address(server: str) -> None:
    """What the page before sends late would stay in it: on a page that goes on it is sent where it changed alone."""
    with closing(Tab(server)) as tab:
        for page in ("explore", "model", "explore"):
            tab.visit(page)
        assert tab.told == ["", "", ""]
        tab.visit("explore")
        assert tab.told == ["", "", ""]


def test_a_page_that_is_gone_back_to_says_nothing_of_the_page_that_was_left(server: str) -> None:
    """A browser sends what the page that it leaves said, and Streamlit forgets that page at the next one's end."""
    with closing(Tab(server)) as tab:
        tab.visit("model", "eiger_clusters=2&view=Metrics")
        tab.set("number_input", "eiger_clusters", int_value=2)
        tab.told.clear()
        tab.back("explore", "view=Metrics")
        assert tab.told == ["view=Metrics"]
