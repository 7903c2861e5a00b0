"""A file comes that is asked for while its page is drawn anew, by a button that the server has dropped already."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import PATIENT_MS, window
from tests.browser.measure_pages import served

pytestmark = pytest.mark.browser

DRAWN_ANEW = """
import time
from pathlib import Path
import streamlit as st
from pages._ui.server import keep_asked

st.cache_resource(keep_asked)()
step = st.session_state["step"] = st.session_state.get("step", 0) + 1
st.text("slow" if step == 3 else "quick")
if step == 2:  # ends before the button is there, so that what it offers is dropped
    st.rerun()
if step == 3:
    while not Path({taken!r}).exists():
        time.sleep(0.05)
st.download_button("Take", lambda: b"all of it", "taken.txt", key="take", on_click="ignore")
if step == 1:
    @st.fragment(run_every=2.0)
    def job() -> None:
        if st.session_state.setdefault("drawn", 0):
            st.rerun()
        st.session_state["drawn"] = 1
    job()
"""


def test_a_file_comes_while_its_page_is_drawn_anew(browser: Browser, tmp_path: Path) -> None:
    script, taken = tmp_path / "anew.py", tmp_path / "taken"
    script.write_text(DRAWN_ANEW.replace("{taken!r}", repr(str(taken))))
    page = window(browser, accept_downloads=True)
    with served(str(script), tmp_path / "none.duckdb") as (address, _):
        page.goto(address)
        page.get_by_text("slow").wait_for()
        with page.expect_download(timeout=PATIENT_MS) as download:
            page.get_by_role("button", name="Take").click()
        taken.touch()
        assert Path(download.value.path()).read_bytes() == b"all of it"
        page.context.close()
