"""The dashboard: its server, its title and the table of its pages."""

from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._ui.choices import shared_url
from pages._ui.heap import settle
from pages._ui.page import ICON, LOGO, PRODUCT, from_app
from pages._ui.server import guards


def draw() -> None:
    """Run the page that is open, beside links to the others."""
    trials: Any = {"page": "pages/trials.py", "title": "Trials", "icon": ":material/table_rows:"}
    pages = [
        st.Page(**trials, default=True, url_path="front"),
        st.Page("pages/explore.py", title="Explore", icon=":material/bubble_chart:"),
        st.Page("pages/model.py", title="Model", icon=":material/show_chart:"),
        st.Page("pages/compare.py", title="Compare", icon=":material/trophy:"),
        st.Page("pages/experiments.py", title="Experiments", icon=":material/science:"),
        st.Page("pages/design_space.py", title="Design space", icon=":material/tune:"),
        st.Page("pages/scaling.py", title="Scaling", icon=":material/stacked_line_chart:"),
        st.Page("pages/models.py", title="Models", icon=":material/inventory_2:"),
    ]
    from_app()
    st.set_page_config(page_title=PRODUCT, page_icon=ICON, layout="wide")
    st.logo(LOGO, icon_image=ICON, size="large")
    by_name = st.Page(**trials, url_path="trials", visibility="hidden")
    current = st.navigation([*pages, by_name], position="hidden")
    for link in pages:
        shown = current if link.title == current.title else link
        st.sidebar.page_link(shown, query_params=shared_url(), width="stretch")
    st.sidebar.divider()
    try:
        current.run()
    finally:  # a page may end early, to run again
        settle()


if get_script_run_ctx(suppress_warning=True) is None:  # the server asks for its app; each run of the script draws
    app = st.App(__file__, middleware=guards())
else:
    draw()
