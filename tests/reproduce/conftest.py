"""Samples with few of their trials, as the papers' artefacts ask for them."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest

from core.ingest import load_sample
from core.reproduce.artefact import Trials
from core.store import Store
from core.workspace import SAMPLES

Cut = Callable[[str, Callable[[pd.DataFrame], pd.DataFrame]], Trials]


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cut]:
    """Return what gives a sample with some of its rows, under the sample's name."""
    with ExitStack() as stack:

        def made(name: str, kept: Callable[[pd.DataFrame], pd.DataFrame]) -> Trials:
            home = tmp_path_factory.mktemp(name)
            shutil.copytree(SAMPLES / name, home / name)
            rows = kept(pd.read_csv(SAMPLES / name / "trials.csv.gz"))
            rows.to_csv(home / name / "trials.csv.gz", index=False)
            store = stack.enter_context(Store.open(Path(home) / "cut.duckdb"))
            store.add(name, load_sample(home / name))
            return Trials(store, name)

        yield made
