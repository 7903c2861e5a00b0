"""Which kernels are held out together, chosen alike in every view."""

from core.report.scaling.kept import KERNELS_HELD_OUT
from core.scaling.study import Study
from core.validate.folds import FORMS
from pages._ui.choices import pick
from pages._ui.folds import by_label, folds_said

_HELP = (
    "What is predicted has not been learnt from. Kernels of a family have names alike up to their first number: "
    f"leaving whole families out is the harder question. Others can be typed: {FORMS}."
)


def choose_folds(study: Study, key: str, usual: str) -> str:
    """Let the user choose the folds; labels of several values can be held out, too."""
    labels = [f"by:{name}" for name, texts in study.labels.items() if 1 < len(set(texts)) < study.n_kernels]
    offered = list(dict.fromkeys([usual, *KERNELS_HELD_OUT, *labels]))
    return pick("Kernels held out", offered, key, _HELP, words=_words, gone=by_label)


def _words(text: str) -> str:
    return KERNELS_HELD_OUT.get(text) or (folds_said(text) if by_label(text) else text)
