"""The Design space page in a real browser: one click to the sliders, and a slider that moves everything."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest
from playwright.sync_api import Locator, Page, expect

from core.cli import main
from tests.browser.conftest import served, settle

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def database(stocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for both tests, which look at datasets of their own."""
    return copyfile(stocked, tmp_path_factory.mktemp("designs") / "journey.duckdb")


@pytest.fixture(scope="module")
def server(database: Path) -> Iterator[str]:
    with served(database) as address:
        yield address


def press(slider: Locator, key: str) -> None:
    """Press a key on a slider, once."""
    before = slider.input_value()
    slider.press(key)
    expect(slider).not_to_have_value(before)


TOGETHER = """([answer, own, curve]) => {
  const [said, slider, drawn] = [answer, own, curve].map(e => e.getBoundingClientRect());
  return 0 <= said.top && said.bottom <= 240 && said.top < slider.top && slider.top < drawn.bottom && drawn.bottom < 844;
}"""
"""Whether the answer, a slider and its curve are in a narrow window at one moment, in this order."""


def test_one_click_leads_to_sliders_that_move_everything(page: Page, server: str) -> None:
    page.goto(f"{server}/design_space")
    page.get_by_role("button", name="Load the sample").click()
    slider = page.locator(".st-key-at_dispatch_width").get_by_role("slider")
    expect(slider).to_have_count(1)
    settle(page)
    expect(page.get_by_role("img", name=re.compile("^Predicted cycles over dispatch_width"))).to_be_visible()

    # A key press moves prediction, curves and map, and stands in the address.
    predicted = page.get_by_test_id("stMetricValue").first
    before = predicted.inner_text()
    maps = page.get_by_role("img", name=re.compile("^Map of the predicted cycles"))
    drawn = maps.get_attribute("src")
    press(slider, "ArrowLeft")
    expect(predicted).not_to_have_text(before)
    expect(page).to_have_url(re.compile("at_dispatch_width=2"))
    expect(page.get_by_role("img", name=re.compile("dispatch_width.*here 2\\."))).to_be_visible()
    expect(maps).not_to_have_attribute("src", drawn or "")

    # A baseline is pinned, and told against.
    page.get_by_role("button", name="Pin as baseline").click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    settle(page)
    press(slider, "ArrowRight")
    expect(page.get_by_test_id("stMetricDelta").first).to_contain_text("%")

    # On a narrow screen what is said of the model comes below the button, as wide as the page.
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    told = page.get_by_text("designs of 5 parameters")
    button = page.get_by_role("button", name="Space and model")

    def stands_below() -> bool:
        said, above = told.last.bounding_box(), button.bounding_box()  # none of either while a page is drawn anew
        return bool(said and above and said["y"] >= above["y"] + above["height"] and said["width"] > 300)

    assert any(stands_below() or page.wait_for_timeout(100) for _ in range(600))

    # On a narrow screen the answer stays in view, and the slider with its curve below it.
    curve = page.get_by_role("img", name=re.compile("^Predicted cycles over dispatch_width"))
    curve.scroll_into_view_if_needed()
    page.get_by_test_id("stMain").evaluate("e => e.scrollBy(0, 200)")
    settle(page)
    looked_at = (page.locator(".st-key-answer").first, page.locator(".st-key-at_dispatch_width").first, curve)
    page.wait_for_function(TOGETHER, arg=[one.element_handle() for one in looked_at])


def test_results_that_are_dropped_change_the_answer_and_make_history(
    page: Page, server: str, database: Path, tmp_path: Path
) -> None:
    def cycles(a: float, b: float) -> float:
        return float(50 + 9 * (a - 6) ** 2 + 4 * (b - 5) ** 2)

    page.goto(f"{server}/trials")
    grid = [(a, b) for a in range(1, 9) for b in range(1, 9)]
    first = [(a, b) for a, b in grid if (3 * a + 5 * b) % 7 in (0, 2)]
    made = tmp_path / "first.csv"
    made.write_text("\n".join(["width,depth,cycles", *(f"{a},{b},{cycles(a, b)}" for a, b in first)]))
    of = ["--dataset", "mine", "--parameter", "width,depth", "--response", "cycles:cycles", "--machine-name", "m"]
    assert main(["--db", str(database), "import", str(made), *of]) == 0
    where = "dataset=mine&space_view=Next+experiments&next_goal=minimise&next_number=6&space_model=anova&metrics=width,depth"
    page.goto(f"{server}/design_space?{where}")
    history = page.get_by_text(re.compile("^One round of")).first  # the page drawn anew has it twice for a moment
    expect(history).to_be_visible()
    settle(page)
    answer = page.get_by_text(re.compile("(is|should be) the best: ")).first
    before = answer.inner_text()

    # The plan is downloaded, its results are dropped in the same view.
    with page.expect_download() as download:
        page.get_by_role("button", name="Plan as CSV").click()
    rows = list(csv.DictReader(download.value.path().read_text().splitlines()))
    assert len(rows) == 6
    for row in rows:
        row["cycles"] = str(cycles(float(row["width"]), float(row["depth"])))
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    results = {"name": "results.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    page.locator("input[type=file]").last.set_input_files(results)
    expect(page.get_by_text("6 of 6 planned designs have results, 6 rows.")).to_be_visible()
    page.get_by_role("button", name="Add 6 results to mine").click()
    expect(page.get_by_text("6 results of results.csv added to mine.")).to_be_visible()
    expect(page.get_by_text(re.compile("^2 rounds, "))).to_be_visible()
    settle(page)
    expect(answer).not_to_have_text(before)
    expect(page.get_by_role("button", name="Take back results.csv")).to_be_visible()

    # Whoever opens the address sees the same.
    page.reload()
    expect(page.get_by_text(re.compile("^2 rounds, "))).to_be_visible()
