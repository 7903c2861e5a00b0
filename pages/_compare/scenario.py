"""What is predicted from what: trials as they are, or a host's counters and the response of targets."""

from typing import Any

import streamlit as st

from core.curate import HostTarget, Unjoined, join
from core.errors import RidgelineError
from core.frozen import Frozen
from core.report.compare.side_by_side import likely_pair, unjoined_table
from core.report.shared.naming import predictors
from core.trial import Frame, Kind
from pages._ui.choices import pick, pick_several
from pages._ui.database import frame as load_frame
from pages._ui.database import kept, labels, metric_names, stamp, store
from pages._ui.drawn import count, literal, noted, shortened, table
from pages._ui.page import guard
from pages._ui.state import Asked

NO_HOST, SAME, NONE = "no host: trials as they are", "the same", "none"
_EVERY = "all trials"
_MOST_TARGETS = 6
_BRIEF = 220


class Pair(Frozen):
    """Which machines predict which.

    Attributes
    ----------
    host : "" for trials as they are
    home : the host's dataset
    """

    host: str = ""
    home: str = ""
    targets: tuple[str, ...] = ()


class Scenario(Frozen):
    """One question of a race.

    Attributes
    ----------
    title : tells it from the others of the page
    home : the host's dataset
    """

    title: str
    response: str
    frame: Frame
    asked: Asked
    host: str = ""
    target: str = ""
    home: str = ""
    unjoined: tuple[Unjoined, ...] = ()


def target_metric(scenario: Scenario, metric: str) -> Frame:
    """Return the same workloads with another metric of the target as response."""
    return joined(scenario.asked, scenario.host, scenario.home, scenario.target, metric).frame


def choose_pair(asked: Asked, home: str) -> Pair:
    """Let the user choose host and targets; a dataset of one machine asks for neither."""
    machines = [name for name in labels(asked.dataset)["machine"] if name]
    hosts = [name for name in labels(home)["machine"] if name]
    if home == asked.dataset and len(machines) < 2:
        return Pair()
    likely = _likely(asked) if home == asked.dataset else (hosts[0], machines[0]) if hosts and machines else None
    offered = [NO_HOST, *hosts]
    help = "The machine whose counters are known: what it measured of a workload predicts the target."
    host = pick("Host", offered, "host", help, usual=likely[0] if likely else None, words=shortened(offered, 40))
    if host == NO_HOST:
        return Pair()
    rest = [name for name in machines if (name, asked.dataset) != (host, home)]
    first = [likely[1]] if likely and likely[1] in rest else rest[:1]
    help = "The machines whose response is predicted; each is a race of its own."
    look: Any = {"words": shortened(rest, 40), "max_selections": _MOST_TARGETS, "placeholder": "Choose a target"}
    return Pair(host, home, pick_several("Targets", rest, "target", help, usual=first, **look))


def _likely(asked: Asked) -> tuple[str, str] | None:
    """Return machines to begin with, which share workloads, where one has counters to predict the other from."""
    if not any(m.kind is Kind.COUNTER for m in metric_names(asked.dataset)):
        return None
    try:
        found = likely_pair(load_frame(asked.dataset, asked.response, None, (), asked.repeats))
        if found:
            joined(asked, found[0], asked.dataset, found[1], asked.response)
        return found
    except RidgelineError:
        return None


def choose_more(asked: Asked) -> tuple[str, tuple[str, ...]]:
    """Let the user choose the host's dataset and a second response; return these."""
    others = [name for name in store().datasets.names() if name != asked.dataset]
    home = asked.dataset
    if others:
        help = "Where the host's trials are, if not in the dataset whose response is predicted."
        chosen = pick("Host's dataset", [SAME, *others], "host_dataset", help)
        home = asked.dataset if chosen == SAME else chosen
    responses = [m.name for m in metric_names(asked.dataset) if m.kind is Kind.RESPONSE]
    rest = [name for name in responses if name != asked.response]
    if not rest:
        return home, (asked.response,)
    help = "Raced as well, in a block of its own, such as energy or power beside time."
    second = pick("Second response", [NONE, *rest], "second", help)
    return home, (asked.response,) if second == NONE else (asked.response, second)


def scenarios_of(asked: Asked, pair: Pair, responses: tuple[str, ...]) -> tuple[Scenario, ...]:
    """Return what can be raced; what cannot is said in one sentence each."""
    found: list[Scenario] = []
    for response in responses:
        for target in pair.targets or ("",):
            with guard():
                found.append(_scenario(asked, pair, target, response, responses))
    return tuple(found)


def _scenario(asked: Asked, pair: Pair, target: str, response: str, responses: tuple[str, ...]) -> Scenario:
    named = f"{response}, " if len(responses) > 1 else ""
    if not pair.host:
        return Scenario(f"{named}{_EVERY}", response, asked.frame(response), asked)
    found = joined(asked, pair.host, pair.home, target, response)
    title = f"{named}{pair.host} → {target}"
    return Scenario(title, response, found.frame, asked, pair.host, target, pair.home, found.unjoined)


@kept(
    lambda asked, host, home, *more: (stamp(asked.dataset), stamp(home), asked, host, home, *more),
    12,
    "Joining workloads …",
)
def joined(asked: Asked, host: str, home: str, target: str, response: str) -> HostTarget:
    """Return the workloads of host and target as they are stored now."""
    chosen = (response, host, target, asked.metrics, asked.where)
    return join(store().host_target(asked.dataset, *chosen, host_dataset=home), asked.repeats)


def describe(scenario: Scenario) -> None:
    """Say what is predicted from what, and what is left out: long notes and lists are folded."""
    frame = scenario.frame
    rows = count(len(frame), "workload" if scenario.host else "trial")
    title = _EVERY.capitalize() if scenario.title == _EVERY else scenario.title
    said = f"{title}: {frame.response} of {rows} from {predictors(frame.names)}."
    notes = noted(frame.notes)
    brief = [note for note in notes if len(note) <= _BRIEF]
    st.caption(literal(" ".join([said, *brief])))
    long = [note for note in notes if note not in brief]
    if not long and not scenario.unjoined:
        return
    only = [f"{count(len(scenario.unjoined), 'workload')} of one machine only"] if scenario.unjoined else []
    metrics = ["metrics with missing values"] if long else []
    with st.expander(literal(f"What is left out: {' and '.join([*only, *metrics])}"), key=f"out_{scenario.title}"):
        for note in long:
            st.caption(literal(note))
        if scenario.unjoined:
            st.caption("These are on one machine only; application, input and parameters must agree on both.")
            shown = unjoined_table(scenario.unjoined)
            table(shown, f"unjoined {scenario.title}", alt="Workloads that only one machine has", height=260)
