"""Machines of a dataset: what is known of each, typed once, or taken over from another dataset."""

import math
from zlib import crc32

import pandas as pd
import streamlit as st

from core.errors import OptionError
from core.report.trials.metrics import machine_table, takeover
from core.trial import Kind, Metric
from pages._ui import database
from pages._ui.database import store
from pages._ui.drawn import LONGEST, count, listed, literal, short, short_texts, table
from pages._ui.page import guard
from pages._ui.state import card_of

_ROUND = "_machine_values_round"


def draw_machines(dataset: str) -> None:
    """Show the machines with their metrics, and let the user add to them."""
    names = [name for name in database.labels(dataset)["machine"] if name]
    title = f"{count(len(names), 'machine')}: what is known of {'it' if len(names) == 1 else 'them'}"
    with st.expander(title if names else "No machine is named", key="machines_open"), guard():
        if not names:
            st.caption(
                "The trials do not say where they ran. Import them again under a new dataset's name and name the "
                "machine there; then its metrics can be typed here."
            )
            return
        values = machine_table(database.trials(dataset), database.metric_cards(dataset))
        table(short_texts(values), key="machines", values=values, alt="Machines and their metrics")
        if card_of(dataset).folder:
            st.caption("A folder is only read, so no machine metrics are added here: its files have to have them.")
            return
        _offer_known(dataset, names, values)
        _draw_form(dataset, names)


def _offer_known(dataset: str, names: list[str], values: pd.DataFrame) -> None:
    """Offer what other datasets know of machines about which nothing is known here."""
    for source, machines in takeover(names, values, store().machines.known(), dataset).items():
        known_there = literal(listed(map(short, machines)))
        said = f"Take over from dataset {literal(short(source))} what is known of {known_there}"
        if st.button(said, key=f"take_over_{source}_{dataset}", icon=":material/content_copy:"):
            known = store().machines.known()
            for machine in machines:
                store().machines.set(dataset, machine, known[machine][1], known[machine][2])
            st.rerun()


def _draw_form(dataset: str, names: list[str]) -> None:
    """Let the user type one metric for all machines."""
    st.markdown("**Add or change a machine metric.** It is kept with the dataset, and offered to others.")
    # The key belongs to these machines, so that a value never comes to stand beside another machine.
    key = f"machine_values_{crc32(repr((dataset, names, _round())).encode()):08x}"
    left, right = st.columns(2)
    name = left.text_input("Name", key="machine_metric", max_chars=120, placeholder="such as cores, or clock")
    unit = right.text_input("Unit", key="machine_unit", max_chars=24, placeholder="such as MHz; may stay empty")
    typed = st.data_editor(
        pd.DataFrame({"machine": [short(n, LONGEST) for n in names], "value": [math.nan] * len(names)}),
        key=key,
        hide_index=True,
        disabled=["machine"],
        column_config={"value": st.column_config.NumberColumn("value", help="Empty stays as it is.")},
    )
    if st.button("Keep these values", key=f"keep_machine_values_{dataset}", icon=":material/save:"):
        values = dict(zip(names, typed["value"].astype(float).tolist(), strict=True))
        known = {machine: value for machine, value in values.items() if not math.isnan(value)}
        if not (name or "").strip() or not known:
            raise OptionError("A machine metric needs a name and at least one value. Fill in both.")
        metric = Metric((name or "").strip(), Kind.MACHINE, (unit or "").strip())
        for machine, value in known.items():
            store().machines.set(dataset, machine, {metric: value})
        st.session_state[_ROUND] = _round() + 1
        st.rerun()


def _round() -> int:
    """Return how often values were kept in this session; the table of values starts empty after each time."""
    return int(st.session_state.get(_ROUND, 0))
