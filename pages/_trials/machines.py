"""Machines of a dataset: what is known of each, typed once, or taken over from another dataset."""

import math

import pandas as pd
import streamlit as st

from core.errors import OptionError
from core.report.machines import machine_table, takeover
from core.trial import Kind, Metric
from pages._ui import cached
from pages._ui.charts import table
from pages._ui.database import store
from pages._ui.text import count, listed, literal


def draw_machines(dataset: str) -> None:
    """Show the machines with their metrics, and let the user add to them."""
    names = [name for name in cached.labels(dataset)["machine"] if name]
    with st.expander(f"{count(len(names), 'machine')} with a name: what is known of them", key="machines_open"):
        if not names:
            st.caption("The trials do not say where they ran. Import them again with the machine's name.")
            return
        values = machine_table(cached.trials(dataset), cached.metric_cards(dataset))
        table(values, key="machines", alt="Machines and their metrics")
        _offer_known(dataset, names, values)
        _draw_form(dataset, names)


def _offer_known(dataset: str, names: list[str], values: pd.DataFrame) -> None:
    """Offer what other datasets know of machines about which nothing is known here."""
    offers = takeover(names, values, store().known_machines(), dataset)
    for source, machines in offers.items():
        said = f"Take over from dataset {literal(source)} what is known of {literal(listed(machines))}"
        if st.button(said, key=f"take_over_{source}", icon=":material/content_copy:"):
            known = store().known_machines()
            for machine in machines:
                store().set_machine(dataset, machine, known[machine][1], known[machine][2])
            st.rerun()


def _draw_form(dataset: str, names: list[str]) -> None:
    """Let the user type one metric for all machines."""
    st.markdown("**Add or change a machine metric.** It is kept with the dataset, and offered to others.")
    left, right = st.columns(2)
    name = left.text_input("Name", key="machine_metric", max_chars=120, placeholder="such as cores, or clock")
    unit = right.text_input("Unit", key="machine_unit", max_chars=24, placeholder="such as MHz; may stay empty")
    typed = st.data_editor(
        pd.DataFrame({"machine": names, "value": [math.nan] * len(names)}), key="machine_values", hide_index=True,
        disabled=["machine"], column_config={"value": st.column_config.NumberColumn("value")},
    )  # fmt: skip
    if st.button("Keep these values", key="keep_machine_values", icon=":material/save:"):
        known = typed.dropna(subset=["value"])
        if not (name or "").strip() or known.empty:
            raise OptionError("A machine metric needs a name and at least one value. Fill in both.")
        metric = Metric((name or "").strip(), Kind.MACHINE, (unit or "").strip())
        for machine, value in zip(known["machine"], known["value"], strict=True):
            store().set_machine(dataset, str(machine), {metric: float(value)})
        st.rerun()
