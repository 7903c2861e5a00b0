"""The same recipe with and without the excluded trials, so that one sees what leaving them out is worth."""

import streamlit as st

from core.progress import Progress
from core.recipes import make_recipe
from core.report.shared.scorecard import folds_in_words
from core.report.trials.difference import Difference, difference
from core.trial import Measured
from core.validate.folds import default_folds
from pages._ui import cached, jobs
from pages._ui.charts import table
from pages._ui.database import stamp
from pages._ui.filters import Condition
from pages._ui.page import guard
from pages._ui.text import count, literal, number, percent


def draw_compared(dataset: str, measured: Measured, response: str, where: tuple[Condition, ...], repeats: str) -> None:
    """Offer the comparison, and show it when it is there."""
    title = "What does it change? A model with and without the trials left out"
    view = st.expander(title, key="compared_open", on_change="rerun")
    if not view.open:
        return
    with view, guard():
        counted = cached.frame(dataset, response, None, where, repeats)
        everything = cached.everything(dataset, response, None, where, repeats)
        if everything.digest() == counted.digest():
            st.caption("Nothing that a model would see is left out at present, so there is no difference.")
            return
        recipe, plan = make_recipe("eiger"), default_folds(counted)

        one_each = counted.n_repeats is None
        whole = None if one_each else dict(zip(measured.ids, measured.configuration.tolist(), strict=True))

        def work(progress: Progress) -> Difference:
            return difference(recipe, everything, counted, plan, 0, progress, whole)

        st.caption(literal(f"{recipe.label}, {folds_in_words(str(plan))}; both are scored on the trials that count."))
        key = f"difference:{stamp(dataset)}:{everything.digest()}:{counted.digest()}"
        job = jobs.find(key)
        if job is None and st.button("Compare", key="compare_curation", icon=":material/compare_arrows:"):
            job = jobs.submit("difference", "With and without the trials left out", work, key)
        if job is None or not jobs.watch(job, key="watch_difference"):
            return
        found: Difference = job.result
        with st.grid(3, min_column_width=200, gap="small"):
            st.metric("Mean error, all trials", percent(found.everything.mape), border=True)
            st.metric(
                "Mean error, those that count",
                percent(found.counted.mape),
                _delta(found),
                delta_color="inverse",
                border=True,
            )
            st.metric("Scored", count(found.n_scored, "trial" if one_each else "configuration"), border=True)
        shown = found.table(counted)
        table(
            shown,
            key="difference",
            alt="Scores with and without the trials left out",
        )


def _delta(found: Difference) -> str | None:
    if found.everything.mape is None or found.counted.mape is None:
        return None
    return f"{number(found.counted.mape - found.everything.mape, 3)} points"
