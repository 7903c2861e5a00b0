"""What the dashboard's server does besides pages: headers of every answer, by which names it answers, who may come."""

import base64
import hashlib
import re
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.serve.hosts import Hosts
from core.workspace import login_configured

ONE_STEP = """
const turn = history.turn ??= history.pushState.bind(history);
if (!history.pressed) addEventListener("click", () => { history.pressed = location.href; }, true);
history.pressed ??= location.href;
history.pushState = (state, title, url) => {
  const path = new URL(url, location).pathname;
  if (path === location.pathname) return history.replaceState(state, title, url);
  if (new URL(history.pressed).pathname === location.pathname) history.replaceState(state, title, history.pressed);
  turn(state, title, url);
};
"""
"""A browser's script by which Back is one step: choices rewrite the address of their page, only pages are steps.

Streamlit would make every address that its server sends a step, also the next page's choices that arrive before that
page does; the page that is left keeps the address that it had as its user pressed.
"""
_DRAWN = ("explore", "model")
"""Addresses of pages that open on a chart; others open on light drawings."""
_STATIC = Path(st.__file__).with_name("static")
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def guards() -> list[Middleware]:
    """Return what every request goes through first."""
    named = st.get_option("server.allowedHosts")
    hosts = None if not named or any("*" in name for name in named) else frozenset(name.lower() for name in named)
    return [Middleware(Hosts, hosts=hosts, headers=_headers()), Middleware(ChartsAhead)]


class ChartsAhead:
    """Tells the browser with a page's first answer of the script that draws charts, half of all that it loads.

    Else it would ask for it once the page has run and the first chart has come.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._links = ", ".join(
            f"<static/js/{path.name}>; rel=modulepreload" for path in _STATIC.glob("static/js/PlotlyChart.*.js")
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""

        async def with_links(message: Message) -> None:
            if message["type"] == "http.response.start" and self._links:
                MutableHeaders(scope=message)["link"] = self._links
            await send(message)

        opens = scope["type"] == "http" and scope["path"].rpartition("/")[2] in _DRAWN
        await self._app(scope, receive, with_links if opens else send)


def _headers() -> dict[str, str]:
    """Return headers that let a page load and send nothing but to this server, and be framed by nobody else."""
    index = _STATIC.joinpath("index.html").read_text(encoding="utf-8")
    texts = (*_INLINE.findall(index), ONE_STEP)
    sums = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    own = " ".join(f"'sha256-{text}'" for text in sums)
    policy = {
        "default-src": "'self'",
        "script-src": f"'self' {own} 'unsafe-eval'",  # Plotly compiles its shaders' glue
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "worker-src": "'self' blob:",
        "frame-src": "'self' blob: data:",
        "frame-ancestors": "'self'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
    }
    return {
        "content-security-policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "x-frame-options": "SAMEORIGIN",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }


def admit() -> None:
    """Let a page be seen by those alone who signed in, where signing in is configured."""
    if login_configured() and not getattr(st.user, "is_logged_in", False):
        st.button("Sign in", on_click=st.login, type="primary")
        st.stop()
