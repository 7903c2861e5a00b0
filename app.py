"""The dashboard: its server, its title and the table of its pages."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._ui.choices import shared_url, take_own_address
from pages._ui.page import ICON, ICONS, LOGO, PRODUCT, START, from_app, path_of
from pages._ui.server import doors, guards, keep_asked, settle, share_arenas


def draw() -> None:
    """Run the page that is open, beside links to the others."""
    pages = [st.Page(path_of(title), title=title, icon=icon, default=title == START) for title, icon in ICONS.items()]
    take_own_address()
    from_app()
    st.set_page_config(page_title=PRODUCT, page_icon=ICON, layout="wide")
    st.logo(LOGO, icon_image=ICON, size="large")
    current = st.navigation(pages, position="hidden")
    for link in pages:
        choices = {} if link.title == START else shared_url()
        st.sidebar.page_link(link, query_params=choices, width="stretch")
    st.sidebar.divider()
    try:
        current.run()
    finally:  # a page may end early, to run again
        settle()


if get_script_run_ctx(suppress_warning=True) is None:  # the server asks for its app; each run of the script draws
    share_arenas()
    keep_asked()
    app = st.App(__file__, routes=doors(), middleware=guards())
else:
    draw()
