"""Which kernels are held out together, chosen alike in every view."""

import streamlit as st

from core.report.scaling_kept import KERNELS_HELD_OUT
from core.scaling.kernel_folds import FORMS
from core.scaling.study import Study

_HELP = (
    "What is predicted has not been learnt from. Kernels of a family have names alike up to their first number: "
    f"leaving whole families out is the harder question. Others can be typed: {FORMS}."
)


def choose_folds(study: Study, key: str, usual: str) -> str:
    """Let the user choose the folds; labels of several values can be held out, too."""
    labels = [f"by:{name}" for name, texts in study.labels.items() if 1 < len(set(texts)) < study.n_kernels]
    offered = list(dict.fromkeys([usual, *KERNELS_HELD_OUT, *labels]))
    typed = st.session_state.get(key)
    if typed and typed not in offered:
        offered.append(typed)
    return st.selectbox(
        "Kernels held out", offered, key=key, bind="query-params", help=_HELP, accept_new_options=True,
        format_func=lambda text: KERNELS_HELD_OUT.get(text, text),
    ) or usual  # fmt: skip
