"""What folds are called where they are chosen: words on the page, the token in the URL."""

from core.errors import RidgelineError
from core.report.shared.scorecard import fold_label


def folds_said(text: str) -> str:
    """Return what folds leave out in words; what was typed and cannot be understood stays as it is."""
    try:
        said = fold_label(text)
    except RidgelineError:
        return text
    return f"{said[:1].upper()}{said[1:]}"


def by_label(text: str) -> bool:
    """Whether folds are those of a column, which other trials may not have."""
    return text.startswith("by:")
