"""README's moving picture: the threshold dragged on Model, in the real app; run by hand.

PYTHONPATH=. .venv/bin/python tests/browser/moving_picture.py docs/model_page.webp
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import find_chromium
from tests.browser.measure_pages import CHART, SLIDER, fill, served

SIZE, SHOWN = (1280, 900), (960, 675)
STOPS = 9
"""By how many steps the threshold is lowered."""
FRAME_MS, HELD_MS = 700, 2500


def main() -> None:
    """Write the frames as one animated picture that begins again at its end."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database = Path(folder) / "picture.duckdb"
        fill(database)
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright.chromium.executable_path))
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
        with served("app.py", database) as (address, _):
            page.goto(f"{address}/model?eiger_threshold_given=true&eiger_threshold=0.1")
            page.locator(CHART).first.wait_for(timeout=120_000)
            looking = page.get_by_text("Looking for the best model")
            looking.wait_for(timeout=60_000)
            looking.wait_for(state="hidden", timeout=300_000)
            frames = [_frame(page), *(_moved(page) for _ in range(STOPS))]
        browser.close()
    there_and_back = [*frames, *frames[-2:0:-1]]
    held = [HELD_MS if frame in (frames[0], frames[-1]) else FRAME_MS for frame in there_and_back]
    first, *others = there_and_back
    first.save(sys.argv[1], save_all=True, append_images=others, duration=held, loop=0, quality=70, method=6)


def _moved(page: Page) -> Image.Image:
    page.locator(f".st-key-eiger_threshold {SLIDER}").first.press("ArrowLeft")
    return _frame(page)


def _frame(page: Page) -> Image.Image:
    page.wait_for_timeout(1000)
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=stStatusWidget], [data-stale=true]')", timeout=120_000
    )
    page.wait_for_timeout(2500)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(SHOWN, Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
