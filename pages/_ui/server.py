"""What the dashboard's server does besides pages: headers, names, who may come, files asked for, and its memory."""

import atexit
import base64
import ctypes
import gc
import hashlib
import importlib
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager

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


_KEPT_S = 60.0


def keep_asked() -> None:
    """Let files and their buttons be had a minute longer than they are shown, and answers outlast a new drawing.

    A Streamlit that has no such method does it in some other way: there nothing is changed.
    """
    for owner, name, made in (
        (MediaFileManager, "_drop_deferred_id", _later),
        (MediaFileManager, "_delete_file", _later),
        (ForwardMsgQueue, "clear", _but_answers),
    ):
        if (own := getattr(owner, name, None)) is not None:
            setattr(owner, name, made(own))


def _later(drop: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """Return what drops a file that was to be dropped a minute ago; Streamlit asks again at the end of every run."""
    since: dict[str, float] = {}

    def dropped(files: MediaFileManager, file_id: str) -> None:
        if time.monotonic() - since.setdefault(file_id, time.monotonic()) >= _KEPT_S:
            del since[file_id]
            drop(files, file_id)

    return dropped


def _but_answers(clear: Callable[..., None]) -> Callable[..., None]:
    """Return what clears a queue as a page begins, but for answers to what the browser asked."""

    def cleared(queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: Any = None) -> None:
        answers = [m for m in queue._queue if m.WhichOneof("type") == "backend_operation_response"]
        clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)
        if retain_lifecycle_msgs and fragment_ids_this_run is None:  # a part of the page leaves them
            queue._queue += answers

    return cleared


_ONCE = threading.Lock()
_ROOT = Path(__file__).parents[2]
_ARENA_MAX, _ARENAS = -8, 2
"""`M_ARENA_MAX` of <malloc.h>, and how many of the C library's heaps all threads share."""


def share_arenas() -> None:
    """Let all threads share two heaps of the GNU C library; elsewhere do nothing.

    Each run of a page is a thread. Eight heaps per processor, from which it takes one, keep what they once held: with
    two of them the server of ten tabs holds a third less after 13,000 presses.
    """
    with suppress(AttributeError, OSError, TypeError):  # another C library, or none that can be asked
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def settle() -> None:
    """Import what is left of the pages behind the first paint, then freeze the heap; only once in a process.

    Streamlit collects garbage of all generations after every rerun. Modules, classes and their docstrings are 95 % of
    what it would walk, and none of them ever goes.
    """
    if _ONCE.acquire(blocking=False):
        threading.Thread(target=_settle, name="settle", daemon=True).start()


def import_all() -> None:
    """Import the modules of all pages."""
    for path in sorted(_ROOT.joinpath("pages").glob("_*/**/*.py")):  # the others are scripts that draw
        importlib.import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))


def _settle() -> None:
    import_all()
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # so that what ends with the process is let go in order
