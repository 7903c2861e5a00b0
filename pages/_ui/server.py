"""What the dashboard's server does besides pages: headers of every answer, by which names it answers, who may come."""

import base64
import hashlib
import re
from pathlib import Path, PurePosixPath

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from core.serve.hosts import Hosts
from core.workspace import APP, login_configured

SCRIPT = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
"""What every page carries."""
_HERE = (
    'window.__streamlit = {BACKEND_BASE_URL: new URL(".", location).href};'
    "document.cookie = `window=${innerHeight}x${innerWidth}; path=/; samesite=strict`;"
)
"""A browser's script by which Streamlit's knows the address of its server, and pages how large the window is."""
_DRAWN = ("explore", "model")
"""Addresses of pages that open on a chart; others open on light drawings."""
_STATIC = Path(st.__file__).with_name("static")
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def guards() -> list[Middleware]:
    """Return what every request goes through first."""
    named = st.get_option("server.allowedHosts")
    hosts = None if not named or any("*" in name for name in named) else frozenset(name.lower() for name in named)
    return [Middleware(Hosts, hosts=hosts, headers=_headers())]


def doors() -> list[Route]:
    """Return the addresses of the pages, whose first answer is Streamlit's own page with two things said ahead.

    It says where the server is, as the browser would look below the page's address first and wait after that failed;
    and where a page opens on a chart, which script draws it, half of all that is loaded, as the browser would ask for
    it once the page has run and the first chart has come.
    """
    index = (
        _STATIC.joinpath("index.html")
        .read_text(encoding="utf-8")
        .replace("<script>", f"<script>{_HERE}</script><script>", 1)
    )
    charts = [f"<static/js/{path.name}>; rel=modulepreload" for path in _STATIC.glob("static/js/PlotlyChart.*.js")]

    def answer(request: Request) -> HTMLResponse:
        links = {"link": ", ".join(charts)} if charts and request.url.path.rpartition("/")[2] in _DRAWN else {}
        return HTMLResponse(index, headers={"cache-control": "no-cache", **links})

    base = PurePosixPath("/", st.get_option("server.baseUrlPath").strip("/"))
    return [Route(str(base / path.stem), answer) for path in APP.parent.glob("pages/*.py")]


def _headers() -> dict[str, str]:
    """Return headers that let a page load and send nothing but to this server, and be framed by nobody else."""
    index = _STATIC.joinpath("index.html").read_text(encoding="utf-8")
    texts = (*_INLINE.findall(index), _HERE, SCRIPT)
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
