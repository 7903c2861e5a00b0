"""What the first view of the Trials page is called, and the way to it."""

from pages._ui.choices import DATASET
from pages._ui.page import turn_to

DATASET_VIEW, KEY = "Dataset", "trials_view"


def show_dataset(name: str) -> None:
    """Run the page again with this dataset in view."""
    turn_to(KEY, DATASET_VIEW, **{DATASET: name})
