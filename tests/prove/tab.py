"""A tab of a browser: it talks to the dashboard as browsers do, and draws nothing."""

import time
import urllib.request
from collections import Counter
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.prove.dashboard import PATIENCE_S

TRIGGERS = ("trigger_value", "string_trigger_value")
SOON_S = 30.0
"""Within which a job ends that somebody stops."""


@dataclass
class Tab:
    """One session: its elements by their place, what was touched, and every byte that came.

    Attributes
    ----------
    marks : what to look for in every message
    shared : marks of those who saved a model, which everybody may see on the page Models
    met : how often each other mark was there, with the page
    bugs : what tracebacks and sentences of bugs were shown, with the page
    told : the addresses that pages sent
    """

    address: str
    marks: tuple[str, ...] = ()
    shared: AbstractSet[str] = frozenset()
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    bugs: list[str] = field(default_factory=list)
    at: str = ""
    query: str = ""
    session: str = ""
    n_bytes: int = 0
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._nodes: dict[tuple[int, ...], tuple[Delta, str]] = {}
        self._states: dict[str, WidgetState] = {}
        self._timers: dict[str, tuple[float, float]] = {}
        self._run, self._page, self._parts = "", "", frozenset[str]()
        stream = self.address.replace("http", "ws", 1) + "/_stcore/stream"
        spoken, self._open = [Subprotocol("streamlit"), Subprotocol("tab")], ExitStack()
        self._socket = self._open.enter_context(
            connect(stream, subprotocols=spoken, origin=Origin(self.address), max_size=None)
        )

    def close(self) -> None:
        """Close the tab."""
        self._open.close()

    def visit(self, page: str, query: str = "") -> float:
        """Open a page; return the seconds until it stands."""
        self._states.clear()
        return self.back(page, query)

    def back(self, page: str, query: str = "") -> float:
        """Go back to a page; return the seconds until it stands."""
        self.at, self.query, self._page = page, query, ""
        return self._ask("")

    def find(self, kind: str, name: str) -> Any | None:
        """Return the last element of a kind whose key ends so, or which is labelled so."""
        found = self._named(kind, name)
        return found[-1][0] if found else None

    def the(self, kind: str, name: str) -> Any:
        """Return the same, which has to be there."""
        return self._the(kind, name)[0]

    def all(self, kind: str) -> list[Any]:
        """Return the elements of a kind."""
        return [element for element, _ in self._elements(kind)]

    def text(self) -> str:
        """Return what the page says."""
        kinds = ("markdown", "alert", "heading", "text")
        return "\n".join(element.body for kind in kinds for element in self.all(kind))

    def keys(self) -> set[str]:
        """Return the keys of what stands on the page and can be touched: what its address may say."""
        drawn = [
            getattr(d.new_element, kind) for d, _ in self._nodes.values() if (kind := d.new_element.WhichOneof("type"))
        ]
        return {
            key
            for element in drawn
            if len(parts := getattr(element, "id", "").split("-", 2)) == 3 and (key := parts[2])
        }

    def views(self) -> list[tuple[str, str]]:
        """Return what the page's address may say to show it otherwise: the key of its tabs or of a row of options, and one of these."""
        rows = [(e.query_param_key, option.content) for e in self.all("button_group") for option in e.options]
        named = {
            path: d.add_block.tab_container.query_param_key
            for path, (d, _) in self._nodes.items()
            if d.HasField("add_block")
        }
        tabs = [
            (named[path[:-1]], d.add_block.tab.label) for path, (d, _) in self._nodes.items() if d.add_block.tab.label
        ]
        return [(key, text) for key, text in (*rows, *tabs) if key]

    def press(self, name: str) -> float:
        """Press a button; return the seconds until the page stands."""
        return self.set("button", name, trigger_value=True)

    def set(self, kind: str, name: str, **value: Any) -> float:
        """Touch a widget; return the seconds until the page stands."""
        element, part = self._the(kind, name)
        self._states[element.id] = WidgetState(id=element.id, **value)
        return self._ask(part)

    def stay(self, seconds: float) -> None:
        """Stay on the page, whose parts run again by themselves as they asked for."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            due = min(self._timers, key=lambda part: self._timers[part][1], default=None)
            wait = left if due is None else self._timers[due][1] - time.monotonic()
            if wait > 0:
                time.sleep(min(wait, left))
            elif due is not None:
                self._timers[due] = (self._timers[due][0], time.monotonic() + self._timers[due][0])
                self._ask(due, by_itself=True)

    def rest(self, within_s: float = PATIENCE_S) -> None:
        """Stay on the page until no part of it runs again by itself, as one does that waits for a job.

        Raises
        ------
        TimeoutError
            If a part still does so after as many seconds.
        """
        end = time.monotonic() + within_s
        while self._timers:
            if time.monotonic() > end:
                raise TimeoutError(f"{self.at}?{self.query} still runs by itself after {within_s:g} s")
            self.stay(0.5)

    def upload(self, name: str, file: str, raw: bytes) -> float:
        """Give a file to an uploader, as a browser sends it; return the seconds until the page stands."""
        element = self.the("file_uploader", name)
        ask = BackMsg()
        ask.file_urls_request.request_id, ask.file_urls_request.session_id = "one", self.session
        ask.file_urls_request.file_names.append(file)
        self._socket.send(ask.SerializeToString())
        while (said := self._take()).WhichOneof("type") != "file_urls_response":
            pass
        urls = said.file_urls_response.file_urls[0]
        self._put(urls.upload_url, file, raw)
        state = WidgetState(id=element.id)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = file, len(raw), urls.file_id
        info.file_urls.CopyFrom(urls)
        self._states[element.id] = state
        return self._ask("")

    def _put(self, url: str, file: str, raw: bytes) -> None:
        with urllib.request.urlopen(f"{self.address}/_stcore/health") as answer:
            cookie = answer.headers.get("Set-Cookie", "").partition(";")[0]
        edge = "edge-of-a-part"
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{file}"\r\n\r\n'.encode()
        request = urllib.request.Request(
            self.address + url,
            head + raw + f"\r\n--{edge}--\r\n".encode(),
            method="PUT",
            headers={
                "Content-Type": f"multipart/form-data; boundary={edge}",
                "Cookie": cookie,
                "X-Xsrftoken": cookie.partition("=")[2],
                "Origin": self.address,
            },
        )
        with urllib.request.urlopen(request):
            pass

    def _named(self, kind: str, name: str) -> list[tuple[Any, str]]:
        return [(e, f) for e, f in self._elements(kind) if e.id.endswith(f"-{name}") or getattr(e, "label", "") == name]

    def _the(self, kind: str, name: str) -> tuple[Any, str]:
        found = self._named(kind, name)
        if not found:
            raise LookupError(
                f"{self.at}?{self.query} has no {kind} '{name}', but {[e.id[-30:] for e in self.all(kind)]}"
            )
        return found[-1]

    def _elements(self, kind: str) -> list[tuple[Any, str]]:
        nodes = sorted(self._nodes.items())
        return [
            (getattr(d.new_element, kind), d.fragment_id)
            for _, (d, _) in nodes
            if d.new_element.WhichOneof("type") == kind
        ]

    def _ask(self, part: str, by_itself: bool = False) -> float:
        """Ask for a run of the page, or of a part, and take all that comes until it has ended."""
        begun = time.monotonic()
        ask = BackMsg()
        again = ask.rerun_script
        again.query_string, again.fragment_id, again.page_script_hash = self.query, part, self._page
        again.page_name = "" if self._page else self.at
        again.is_auto_rerun, again.context_info.url = by_itself, f"{self.address}/{self.at}"
        again.widget_states.widgets.extend(self._states.values())
        self._states = {id: s for id, s in self._states.items() if s.WhichOneof("value") not in TRIGGERS}
        self._socket.send(ask.SerializeToString())
        while not self._ended(self._take()):
            pass
        return time.monotonic() - begun

    def _take(self) -> ForwardMsg:
        raw = self._socket.recv(PATIENCE_S)
        assert isinstance(raw, bytes)
        self.n_bytes += len(raw)
        known = self.shared if self.at == "models" else ()
        self.met.update((mark, self.at) for mark in self.marks if mark.encode() in raw and mark not in known)
        said = ForwardMsg()
        said.ParseFromString(raw)
        self._keep(said)
        return said

    def _keep(self, said: ForwardMsg) -> None:
        what = said.WhichOneof("type")
        if what == "delta":
            self._place(tuple(said.metadata.delta_path), said.delta)
        elif what == "new_session":
            self._run, self._parts = said.metadata.run.script_run_id, frozenset(said.metadata.run.fragment_ids)
            self.session = said.new_session.initialize.session_id or self.session
            if not self._parts:
                self._timers.clear()
        elif what == "navigation":
            self._page = said.navigation.page_script_hash
        elif what == "page_info_changed":
            self.query = said.page_info_changed.query_string
            self.told.append(self.query)
        elif what == "auto_rerun":
            every = said.auto_rerun.interval
            self._timers[said.auto_rerun.fragment_id] = (every, time.monotonic() + every)
        elif what == "stop_auto_rerun":
            for part in said.stop_auto_rerun.fragment_ids:
                self._timers.pop(part, None)

    def _place(self, path: tuple[int, ...], delta: Delta) -> None:
        if delta.WhichOneof("type") == "new_transient":
            return
        if delta.WhichOneof("type") == "new_element":
            for below in [p for p in self._nodes if len(p) > len(path) and p[: len(path)] == path]:
                del self._nodes[below]
            self._note(delta)
        self._nodes[path] = (delta, self._run)

    def _note(self, delta: Delta) -> None:
        element = delta.new_element
        body = element.exception.message or element.exception.type if element.WhichOneof("type") == "exception" else ""
        body = body or (element.alert.body if "is a bug" in element.alert.body else "")
        if body:
            self.bugs.append(f"{self.at}?{self.query}: {body}")

    def _ended(self, said: ForwardMsg) -> bool:
        """Return whether a run has ended, and let go of what it did not draw again."""
        if said.WhichOneof("type") != "script_finished" or said.script_finished == said.FINISHED_EARLY_FOR_RERUN:
            return False
        self._nodes = {
            path: (delta, run)
            for path, (delta, run) in self._nodes.items()
            if run == self._run or (self._parts and delta.fragment_id not in self._parts)
        }
        return True


def stopped(tab: Tab, within_s: float = SOON_S) -> bool:
    """Press what stops the job that a page shows, and return whether it ended soon."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        stop = tab.find("button", "Stop")
        if stop is None:
            return True
        tab.press("Stop")
        tab.stay(1.0)
    return False
