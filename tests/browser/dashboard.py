"""Dashboards of tests: each begins as a copy of one process that has imported the program, which is most of a start.

Their models grow few trees, as how good these are asks no test with a browser. Where a test says nothing else, nothing
is computed behind the Model page that nobody asked for: a page that waits for it draws itself anew all the while.
"""

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from pages._ui.server import import_all
from tests.conftest import compute_what_is_asked, grow_few_trees
from tests.prove import dashboard

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__, "streamlit.web.cli", "sklearn.linear_model"])

import_all()


def only_what_is_asked() -> None:
    """Let the Model page look for the best model where it is asked to, and test no other thresholds behind it."""
    compute_what_is_asked(pytest.MonkeyPatch())


def as_shipped() -> None:
    """Let the Model page compute unasked what it does for everybody."""


def serve(port: int, database: Path, log: Path, changed: Callable[[], None]) -> None:
    """Be a dashboard on a database, with something of the program changed."""
    grow_few_trees(pytest.MonkeyPatch())
    changed()
    dashboard.serve(database, port, log)
